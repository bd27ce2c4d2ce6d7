use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use gamete_arena::uci::EngineCatalog;
use gamete_arena::{
    Competitor, Contestant, GameName, Local, LocalOptions, MAX_RANDOM_PLIES, ModelInfo, Playable,
    RANDOM_PLIES, TimeControl, WorkspaceOptions, dispatch,
};
use gamete_corpus::{
    DrawError, DrawOptions, Drawn, MAX_SCORE, MentorError, Played, Scored, SelfPlay, Take, ask_mentor,
    check_output, draw_from_games, draw_from_play, draw_from_suites, write_corpus,
};
use indicatif::ProgressBar;

use crate::contest::{check_program, named_with_limits};
use crate::files::{Format, game_parser};
use crate::interrupt::stop_on_interrupt;
use crate::terminal::{self, errln, grouped};

/// Make a corpus from games, suites or self-play, and have a mentor score it.
///
/// From each decisive game, one position is drawn in which the winner is to move, with the move played; or, with
/// --take results, quiet positions with the result of the game. With --mentor, one position is drawn from each game,
/// whoever won, and a player or another program says what it is worth and what to play. From suites (EPD) all
/// positions are taken, with their best moves. The positions of half the games are for testing what was learned from
/// the others. The same files, options and seed make the same corpus, to the byte.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete corpus make games.pgn.zst --min-rating 2600 -o experts.corpus
  gamete corpus make a.pgn b.pgn.zip --games 10000 --seed 2 -o ten-thousand.corpus
  gamete corpus make games.pgn --skip-plies 0 --forced -o literal.corpus
  gamete corpus make games.pgn --take results --per-game 8 -o results.corpus
  gamete corpus make games.pgn -o mentor.corpus --mentor cmd=stockfish nodes=10000
  gamete corpus make wac.epd -o tactics.corpus
  gamete corpus make --play 2000 --player chess/classic nodes=2000 -o own.corpus")]
pub struct Args {
    /// Game files or suites, compressed or not
    #[arg(required_unless_present = "play", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Corpus to write
    #[arg(short, long, value_name = "NAME.corpus")]
    output: PathBuf,

    /// The game, if the file names do not tell
    #[arg(long, value_parser = game_parser())]
    game: Option<GameName>,

    /// What to learn [default: mentor with --mentor, else experts]
    #[arg(long, value_enum)]
    take: Option<Learn>,

    /// Who scores the positions: a player file, a model, or cmd=PROGRAM with args=, dir= and option.NAME= as after
    /// -engine in a match; and how long it thinks about each: nodes=, depth= or st=
    #[arg(long, num_args = 1.., value_name = "WHO")]
    mentor: Vec<String>,

    /// Instead of files: this many games of a player against itself, each from a random opening
    #[arg(long, value_name = "GAMES", conflicts_with_all = ["files", "min_rating"], value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    play: Option<u64>,

    /// Who plays them, and how long it thinks per move [default: the mentor, or the game's own model, nodes=2000]
    #[arg(long, num_args = 1.., value_name = "WHO", requires = "play")]
    player: Vec<String>,

    /// Random moves at the start of these games
    #[arg(long, value_name = "N", default_value_t = RANDOM_PLIES as u64, requires = "play", value_parser = clap::value_parser!(u64).range(..=MAX_RANDOM_PLIES as u64))]
    plies: u64,

    /// Number of games [default: all suitable ones]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    games: Option<u64>,

    /// Minimum rating of both players
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u32>,

    /// Positions per game
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    per_game: u64,

    /// Take no position from the first plies of a game
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u64).range(..=1_000))]
    skip_plies: u64,

    /// Include positions with a single legal move
    #[arg(long)]
    forced: bool,

    /// Share of games whose positions are for testing
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    test_share: f64,

    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Games or positions at once [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Learn {
    /// The winners' moves
    Experts,
    /// Game results, from quiet positions
    Results,
    /// The mentor's verdict, on any positions
    Mentor,
}

impl From<Learn> for Take {
    fn from(learn: Learn) -> Self {
        match learn {
            Learn::Experts => Self::Experts,
            Learn::Results => Self::Results,
            Learn::Mentor => Self::Mentor,
        }
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("give a number from 0 to 1".to_owned()),
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if args.output == Path::new("-") {
        bail!("-: a corpus is a file that is mapped into memory; give it a name");
    }
    check_suite_options(args)?;
    check_output(&args.output)?;
    let stop = stop_on_interrupt(None)?;
    let mut engines = EngineCatalog::default();
    let mut who = |words: &[String], option| who(words, option, &mut engines, &stop);
    let mentor = who(&args.mentor, "--mentor")?;
    if args.take == Some(Learn::Mentor) && mentor.is_none() {
        bail!(
            "--take mentor: who is to score the positions? say --mentor cmd=stockfish nodes=10000, or a player"
        );
    }
    let player = who(&args.player, "--player")?;
    let of_name = |path: &PathBuf| match Format::of_path(path) {
        Some(Format::Games(game)) => Some(game),
        _ => None,
    };
    let of_player = || player.as_ref().or(mentor.as_ref()).map(Contestant::game);
    let game =
        args.game.or_else(|| args.files.iter().find_map(of_name)).or_else(of_player).unwrap_or_default();
    let player = match (player, &mentor) {
        (None, Some(mentor)) if args.play.is_some() => Some(mentor.clone()),
        (None, None) if args.play.is_some() => {
            who(&[ModelInfo::default_for(game).name, "nodes=2000"].map(str::to_owned), "--player")?
        }
        (player, _) => player,
    };
    for (contestant, option) in [(&mentor, "--mentor"), (&player, "--player")] {
        if let Some(contestant) = contestant.as_ref().filter(|contestant| contestant.game() != game) {
            let (name, plays) = (&contestant.name, contestant.game());
            bail!(
                "{option} {name}: it plays {plays}, and the positions are of {game}; name one that plays {game}"
            );
        }
    }
    let executor = executor(args.concurrency, engines, &stop)?;
    dispatch!(game, G => make::<G>(args, mentor.as_ref(), player.as_ref(), &executor, &stop))
}

/// Who was named, if anybody was, and is known to work. Another program is added to the engines.
pub(super) fn who(
    words: &[String],
    option: &str,
    engines: &mut EngineCatalog,
    stop: &AtomicBool,
) -> Result<Option<Contestant>> {
    if words.is_empty() {
        return Ok(None);
    }
    let named = || format!("{option} {}", words.join(" "));
    let contestant = named_with_limits(words).with_context(named)?;
    if contestant.limits.time_control != TimeControl::Infinite {
        bail!("{}: there is no clock here; say nodes=, depth= or st=", named());
    }
    if let Competitor::Engine(spec) = &contestant.competitor {
        check_program(spec, stop).with_context(named)?;
    }
    // Two programs of one name may be different ones.
    let name = format!("{option} {}", contestant.name);
    Ok(Some(contestant.map_engine(|spec| engines.add(&name, spec, None))))
}

/// Whether positions are taken from suites, and not drawn from games.
fn is_suite(args: &Args) -> bool {
    args.files.first().is_some_and(|path| Format::of_path(path) == Some(Format::EPD))
}

/// Refuses options that say how positions are drawn from games where there are none.
fn check_suite_options(args: &Args) -> Result<()> {
    let given = [
        ("--take results", args.take == Some(Learn::Results)),
        ("--min-rating", args.min_rating.is_some()),
        ("--per-game", args.per_game != 1),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) if is_suite(args) => bail!(
            "{option}: all positions of a suite are taken, with their best moves; leave it out, or name files of games"
        ),
        _ => Ok(()),
    }
}

fn make<G: Playable>(
    args: &Args,
    mentor: Option<&Contestant>,
    player: Option<&Contestant>,
    executor: &Local,
    stop: &AtomicBool,
) -> Result<ExitCode> {
    let take = args.take.map_or(if mentor.is_some() { Take::Mentor } else { Take::Experts }, Take::from);
    let options = DrawOptions {
        take,
        seed: args.seed,
        games: args.games.map(|games| games as usize),
        min_rating: args.min_rating,
        skip_plies: args.skip_plies as usize,
        forced: args.forced,
        per_game: args.per_game as usize,
        test_share: args.test_share,
    };
    let Played { mut drawn, games, failure: unplayed } = match player {
        Some(player) => play::<G>(args, player, &options, executor, stop)?,
        None => Played { drawn: read::<G>(args, &options)?, games: 0, failure: None },
    };
    let noun = if drawn.settings.iter().any(|(name, _)| name == "take") { "games" } else { "positions" };
    for (count, reason) in drawn.passed_over.reasons(&options) {
        errln!("{} {noun} {reason}", grouped(count));
    }
    let mut shortage = unplayed.as_ref().map(|failure| Shortage::of_games(failure, games));
    let can_score = |_: &&Contestant| match &unplayed {
        None => true,
        Some(DrawError::Interrupted) => false,
        Some(_) => !drawn.samples.is_empty(),
    };
    let (mut asked, mut is_scored) = (None, false);
    if let Some(mentor) = mentor.filter(can_score) {
        let unscored = unplayed.as_ref().map(|failure| {
            errln!("{failure}; {} now scores the positions of the games before", mentor.name);
            drawn.clone()
        });
        let scored = score(&mut drawn, mentor, executor, stop);
        is_scored = !drawn.samples.is_empty();
        if let Some(failure) = &scored.failure {
            let fault = Shortage::of_scores(failure);
            match (unscored, &mut shortage) {
                // Games of another program may never be the same again.
                (Some(unscored), Some(shortage)) if !is_scored => {
                    (drawn, shortage.fault) = (unscored, fault.fault);
                }
                _ => (asked, shortage) = (Some(scored.asked), Some(fault)),
            }
        }
    }
    let mut manifest = drawn.manifest(&options);
    (manifest.asked, manifest.finished) = (asked, unplayed.is_some().then_some(games));
    let count = drawn.samples.len() as u64;
    // A part of a corpus never replaces a whole one.
    let keeps_old = shortage.is_some() && args.output.exists();
    let output = if keeps_old { &args.output.with_extension("partial.corpus") } else { &args.output };
    if count > 0 || shortage.is_none() {
        write_corpus(output, manifest, &drawn.samples)?;
        let unscored = if mentor.is_some() && !is_scored { ", not scored" } else { "" };
        errln!("{}: {} positions{unscored}", output.display(), grouped(count));
        if let Some(Shortage { missing, .. }) = shortage.as_ref().filter(|_| keeps_old) {
            errln!("{}: still the old corpus, as not all {missing}", args.output.display());
        }
    }
    match shortage {
        None => Ok(ExitCode::SUCCESS),
        Some(Shortage { fault: None, .. }) => Ok(ExitCode::from(130)),
        Some(Shortage { fault: Some(fault), none, .. }) if count == 0 => {
            bail!("{fault}; {none}, and nothing is written")
        }
        Some(Shortage { fault: Some(fault), kept, .. }) => {
            bail!("{fault}; the {} positions {kept} are in {}", grouped(count), output.display())
        }
    }
}

/// Why a corpus has not all that was asked for.
struct Shortage {
    /// What failed; nothing where somebody broke it off.
    fault: Option<String>,
    /// What is not complete.
    missing: &'static str,
    /// Which positions there are.
    kept: String,
    /// Why there are none.
    none: &'static str,
}

impl Shortage {
    fn of_games(failure: &DrawError, finished: u64) -> Self {
        Self {
            fault: (!matches!(failure, DrawError::Interrupted)).then(|| failure.to_string()),
            missing: "games were played",
            kept: format!("of the {} finished games", grouped(finished)),
            none: "no finished game gave a position",
        }
    }

    fn of_scores(failure: &MentorError) -> Self {
        Self {
            fault: (!matches!(failure, MentorError::Interrupted)).then(|| failure.to_string()),
            missing: "positions were scored",
            kept: "that it scored".to_owned(),
            none: "no position was scored",
        }
    }
}

/// Draws from games that are played for it.
fn play<G: Playable>(
    args: &Args,
    player: &Contestant,
    options: &DrawOptions,
    executor: &Local,
    stop: &AtomicBool,
) -> Result<Played<G>, DrawError> {
    let games = args.play.unwrap_or_default();
    let play = SelfPlay { player: player.clone(), games, plies: args.plies as usize };
    let bar = bar(games, "games");
    let drawn = draw_from_play(&play, options, executor, stop, || bar.inc(1));
    bar.finish_and_clear();
    drawn
}

/// Asks the mentor, and says what it found out of bounds.
fn score<G: Playable>(
    drawn: &mut Drawn<G>,
    mentor: &Contestant,
    executor: &Local,
    stop: &AtomicBool,
) -> Scored {
    let bar = bar(drawn.samples.len() as u64, "positions");
    let scored = ask_mentor(drawn, mentor, HASH_MB, executor, stop, || bar.inc(1));
    bar.finish_and_clear();
    let most = MAX_SCORE / 1000;
    for (count, what) in
        [(scored.mates, "a mate".to_owned()), (scored.beyond, format!("more than {most} pawns"))]
    {
        if count > 0 {
            errln!("{} positions are {what} to {}, counted as {most} pawns", grouped(count), mentor.name);
        }
    }
    scored
}

/// Megabytes of table for each position that a player of ours scores.
pub(super) const HASH_MB: u32 = 16;

/// Draws from files.
fn read<G: Playable>(args: &Args, options: &DrawOptions) -> Result<Drawn<G>, DrawError> {
    let total = args.files.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    let progress = terminal::byte_progress(total);
    let on_bytes = |bytes| progress.inc(bytes);
    let drawn = match is_suite(args) {
        true => draw_from_suites(&args.files, options, on_bytes),
        false => draw_from_games(&args.files, options, on_bytes),
    };
    progress.finish_and_clear();
    drawn
}

/// Threads that play and think.
pub(super) fn executor(
    concurrency: Option<u64>,
    engines: EngineCatalog,
    stop: &Arc<AtomicBool>,
) -> Result<Local> {
    let cores = || available_parallelism().map_or(1, usize::from);
    let threads = concurrency.map_or_else(cores, |threads| threads as usize);
    let (stop, engines) = (Arc::clone(stop), Arc::new(engines));
    let workspace = WorkspaceOptions { stop, engines, ..WorkspaceOptions::default() };
    let options = LocalOptions { threads, workspace, ..LocalOptions::default() };
    Local::with_options(options).context("no thread can be started; is there memory left?")
}

/// A bar with the time that is left.
pub(super) fn bar(steps: u64, unit: &str) -> ProgressBar {
    let bar = terminal::progress(steps, unit);
    bar.tick();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
