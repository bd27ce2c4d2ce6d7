use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use anyhow::{Context, Result, bail};
use gamete_arena::{
    Adjudication, Contestant, GameName, Limits, LocalOptions, ModelInfo, Player, StartPositions,
    WorkspaceOptions,
};
use gamete_lab::{Bred, MatchScore, PairedMatch, Playoff, Store, play_pairs};
use gamete_stats::{Pentanomial, Results, report};
use serde::Serialize;

use crate::grid::{GridArgs, Job, Machines};
use crate::interrupt::stop_on_interrupt;
use crate::lab::LabArgs;
use crate::terminal::{self, outln, print_json};

/// Play a champion of the lab against another, or against any player.
///
/// A side is an experiment (`ID`), the mean player of a generation (`ID@0`) or one of its individuals (`ID@3#1`), a
/// run of a study (`ID/s=0.5/2`), the mean champion of an arm (`ID/s=0.5`), a stage of a pipeline (`ID/STAGE`, which
/// any of these may follow), a player file, or a model for its classical weights. Games come in pairs from random
/// openings, with colours reversed; the experiment of the first side sets how long both think and how games are
/// decided.
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
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=Playoff::MAX_PAIRS as u64))]
    pairs: u64,

    /// Random plies at the start of each pair
    #[arg(long, value_name = "N", default_value_t = PairedMatch::USUAL_PLIES as u64, value_parser = clap::value_parser!(u64).range(0..=Playoff::MAX_PLIES as u64))]
    plies: u64,

    /// Search limits of both sides, such as depth=4 [default: the experiment's]
    #[arg(long, value_name = "LIMITS")]
    limits: Option<Limits>,

    /// Seed of the random openings
    #[arg(long, value_name = "N", default_value_t = PairedMatch::USUAL_SEED)]
    seed: u64,

    /// Games to play at once [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    grid: GridArgs,
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
    let contest = PairedMatch {
        first,
        second,
        adjudication,
        plies: args.plies as usize,
        starts: StartPositions::Usual,
        seed: args.seed,
        openings: String::new(),
        listed: Vec::new(),
        held_out: None,
    };
    let stop = stop_on_interrupt(None)?;
    let pairs = play(args, &contest, &stop);
    if stop.load(Ordering::Relaxed) {
        return Ok(ExitCode::from(130));
    }
    let pairs = pairs?;
    if args.json {
        print_json(&Comparison {
            first: &args.first,
            second: &args.second,
            limits: limits.to_string(),
            seed: args.seed,
            score: pairs.into(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let results = Results::from(pairs);
    outln!("{} against {}, {limits}, seed {}", args.first, args.second, args.seed)?;
    outln!("{}", report::elo_line(&results))?;
    outln!("{}", report::los_line(&results))?;
    outln!("{}", report::games_line(results.games()))?;
    outln!("{}", report::ptnml_line(pairs))?;
    outln!("{}", report::margin_note(&results))?;
    Ok(ExitCode::SUCCESS)
}

/// What `--json` prints: what the first side made of its games.
#[derive(Serialize)]
struct Comparison<'a> {
    first: &'a str,
    second: &'a str,
    limits: String,
    seed: u64,
    #[serde(flatten)]
    score: MatchScore,
}

/// Who plays.
enum Side {
    Bred(Box<Bred>),
    Classical(&'static ModelInfo),
    Other(Box<Player>),
}

impl Side {
    /// The player; classical weights think as those they are compared with.
    fn player(&self, host: Option<&Bred>) -> Player {
        match self {
            Self::Bred(bred) => bred.player.clone(),
            Self::Other(player) => player.as_ref().clone(),
            Self::Classical(model) => host.map_or_else(|| Player::new(model), |host| host.classical(model)),
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
    Ok(Side::Bred(Box::new(Bred::find(store, text)?)))
}

/// Plays the pairs, or as many as there are until `stop` is set: what there is of them at a broker is removed then.
fn play(args: &Args, contest: &PairedMatch, stop: &Arc<AtomicBool>) -> Result<Pentanomial> {
    let threads =
        args.concurrency.map_or_else(|| available_parallelism().map_or(1, usize::from), |n| n as usize);
    let workspace = WorkspaceOptions { stop: Arc::clone(stop), ..WorkspaceOptions::default() };
    let local = LocalOptions { threads, workspace, ..LocalOptions::default() };
    let job = Job { name: "compare", ..Job::default() };
    let machines = Machines::start(args.grid.choice()?.as_ref(), &job, local, stop)?;
    let bar = terminal::progress(2 * args.pairs, "games");
    let mut results = Vec::new();
    let played = play_pairs(
        contest.pairs().take(args.pairs as usize).enumerate(),
        machines.executor(),
        stop,
        || bar.inc(1),
        |_, result| {
            results.push(result);
            ControlFlow::Continue(())
        },
    );
    bar.finish_and_clear();
    played?;
    Ok(results.into_iter().sum())
}
