use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;

use anyhow::{Context, Result, bail};
use gamete_arena::{
    Adjudication, Contestant, GameName, GameTask, Limits, ModelInfo, News, OpeningText, Player, Rng, Worker,
    Workspace, execute,
};
use gamete_game::{Color, Outcome};
use gamete_lab::{Playoff, Store};
use gamete_stats::{Pentanomial, Results, report};
use serde_json::json;

use crate::lab::{Champion, LabArgs, champion};
use crate::terminal::{self, outln};

/// Let two champions of the lab meet, or a champion and any other player.
///
/// A side is an experiment (`ID`), the mean player of a generation (`ID@0`), a run of a study (`ID/s=0.5/2`), a player
/// file, or a model for its classical weights. Games come in pairs from random openings, colours reversed; both think and
/// games are decided as the experiment of the first side says.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete compare kendall-whitwell-1 chess/kendall-whitwell
  gamete compare kendall-whitwell-1 kendall-whitwell-1@0 --pairs 500
  gamete compare mutation-study-1/s=0.5/1 mutation-study-1/s=2/1 --json")]
pub struct Args {
    /// One side
    first: String,

    /// The other side
    second: String,

    #[command(flatten)]
    lab: LabArgs,

    /// Pairs of games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=Playoff::MOST_PAIRS as u64))]
    pairs: u64,

    /// Random plies at the start of each pair
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u64).range(0..=Playoff::MOST_PLIES as u64))]
    plies: u64,

    /// How much each may think, as in depth=4 [default: the experiment's]
    #[arg(long, value_name = "LIMITS")]
    limits: Option<Limits>,

    /// Where the openings come from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Games at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let store = args.lab.open()?;
    let sides = [side(&store, &args.first)?, side(&store, &args.second)?];
    let host = match &sides {
        [Side::Bred(one), _] => Some(one.as_ref()),
        [_, Side::Bred(two)] => Some(two.as_ref()),
        _ => None,
    };
    let limits = match (args.limits, host) {
        (Some(limits), _) => limits,
        (None, Some(host)) => host.limits,
        (None, None) => bail!("neither side is an experiment; say how long to think, as in --limits depth=4"),
    };
    let adjudication = host.map_or_else(
        || Adjudication { max_moves: Some(200), ..Adjudication::default() },
        |host| host.breed.adjudication(),
    );
    let [first, second] = sides.each_ref().map(|side| Contestant::new(side.player(host), limits));
    if first.game() != second.game() {
        bail!("{} plays {}, and {} plays {}", args.first, first.game(), args.second, second.game());
    }
    if args.plies == 0 && args.pairs > 1 {
        terminal::print_warning(
            "--plies 0: all pairs begin alike, and without noise or clocks they are the same games",
        );
    }
    let tasks = tasks(args, &first, &second, adjudication);
    let pairs = play(args, &tasks);
    let results = Results::from(pairs);
    let elo = results.elo();
    if args.json {
        let games = results.games();
        let object = json!({
            "first": args.first, "second": args.second, "limits": limits.to_string(), "seed": args.seed,
            "wins": games.wins, "draws": games.draws, "losses": games.losses, "ptnml": pairs.counts(),
            "elo": elo.value, "error": elo.margin, "los": results.los(),
        });
        outln!("{object}")?;
        return Ok(ExitCode::SUCCESS);
    }
    outln!("{} against {}, {limits}, seed {}", args.first, args.second, args.seed)?;
    outln!("{}", report::elo_line(&results))?;
    outln!("{}", report::los_line(&results))?;
    outln!("{}", report::games_line(results.games()))?;
    outln!("{}", report::ptnml_line(pairs))?;
    outln!("{}", report::margin_note(&results))?;
    Ok(ExitCode::SUCCESS)
}

/// Who plays.
enum Side {
    Bred(Box<Champion>),
    Classical(&'static ModelInfo),
    Other(Box<Player>),
}

impl Side {
    /// The player; classical weights think as those they are compared with.
    fn player(&self, host: Option<&Champion>) -> Player {
        match self {
            Self::Bred(champion) => champion.player.clone(),
            Self::Other(player) => player.as_ref().clone(),
            Self::Classical(model) => {
                let mut player = Player::new(model);
                if let Some(host) = host {
                    player.search = host.player.search.clone();
                    player.noise = host.player.noise.filter(|_| model.game == host.breed.game());
                }
                player
            }
        }
    }
}

fn side(store: &Store, text: &str) -> Result<Side> {
    if let Ok(model) = ModelInfo::find(text) {
        return Ok(Side::Classical(model));
    }
    if std::path::Path::new(text).is_file() {
        return Ok(Side::Other(Box::new(Player::load(text).with_context(|| text.to_owned())?)));
    }
    let looks_like_model = GameName::ALL.iter().any(|game| text.starts_with(&format!("{game}/")));
    if looks_like_model || text.ends_with(".toml") {
        return Ok(Side::Other(Box::new(Player::load(text)?)));
    }
    Ok(Side::Bred(Box::new(champion(store, text)?)))
}

fn tasks(args: &Args, first: &Contestant, second: &Contestant, adjudication: Adjudication) -> Vec<GameTask> {
    let game = first.game();
    let mut rng = Rng::new(args.seed);
    let mut tasks = Vec::new();
    for _ in 0..args.pairs {
        let OpeningText { start, book } = OpeningText::random(game, args.plies as usize, &mut rng);
        let seed = rng.next_u64();
        for (white, black) in [(first, second), (second, first)] {
            let (start, book, white, black) = (start.clone(), book.clone(), white.clone(), black.clone());
            tasks.push(GameTask { game, start, book, white, black, adjudication, seed });
        }
    }
    tasks
}

/// Plays one task after another.
struct Pairs<'a> {
    tasks: &'a [GameTask],
    workspace: Workspace<'a>,
}

impl Worker for Pairs<'_> {
    type Job = u64;
    type Event = ();
    type Answer = Option<Outcome>;

    fn work(&mut self, &number: &u64, _tell: &mut dyn FnMut(())) -> Option<Outcome> {
        self.workspace.play(&self.tasks[number as usize]).expect("a game from its start").outcome()
    }
}

fn play(args: &Args, tasks: &[GameTask]) -> Pentanomial {
    let threads =
        args.concurrency.map_or_else(|| available_parallelism().map_or(1, usize::from), |n| n as usize);
    let bar = terminal::progress(tasks.len() as u64, "games");
    let never = AtomicBool::new(false);
    let mut outcomes = vec![Outcome::Draw; tasks.len()];
    execute(
        threads,
        0..tasks.len() as u64,
        || Pairs { tasks, workspace: Workspace::new(&never) },
        |news| {
            if let News::Done(number, outcome) = news {
                outcomes[number as usize] = outcome.unwrap_or(Outcome::Draw);
                bar.inc(1);
            }
            ControlFlow::Continue(())
        },
    );
    bar.finish_and_clear();
    let mut pairs = Pentanomial::default();
    for pair in outcomes.chunks_exact(2) {
        let halves = |outcome, color| match outcome {
            Outcome::Win(winner) if winner == color => 2,
            Outcome::Win(_) => 0,
            Outcome::Draw => 1,
        };
        let score = halves(pair[0], Color::White) + halves(pair[1], Color::Black);
        let both_drawn = pair.iter().all(|&outcome| outcome == Outcome::Draw);
        match score {
            0 => pairs.ll += 1,
            1 => pairs.ld += 1,
            2 if both_drawn => pairs.dd += 1,
            2 => pairs.wl += 1,
            3 => pairs.wd += 1,
            _ => pairs.ww += 1,
        }
    }
    pairs
}
