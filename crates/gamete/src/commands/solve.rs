use std::convert::Infallible;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineSetup, EngineSpec, UciSeat};
use gamete_arena::{
    Competitor, InOrder, Limits, News, Playable, Player, Puzzle, Reply, Seat, SeatFault, Solution, SolveTask,
    TaskOutcome, Worker, Workspace, execute, run_all,
};
use gamete_chess::{Epd, EpdReader, Move, Position};
use gamete_engine::Searcher;
use gamete_game::{ByColor, Game, Line};
use indicatif::ProgressBar;
use serde_json::json;

use crate::contest::{check_program, named};
use crate::files;
use crate::terminal::{self, grouped, outln};

/// Solve suites of positions with known best moves.
///
/// A position is solved when the move chosen at the end of its time is one of `bm`, and none of `am`. A line that is no
/// position is left out, reported with its place, and makes the exit status 1.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete solve wac.epd
  gamete solve ecm.epd --movetime 5000 --player mine.toml --missed
  gamete solve wac.epd --player cmd=stockfish --nodes 100000
  gamete solve wac.epd --nodes 100000 --json")]
pub struct Args {
    /// EPD files
    #[arg(required = true, value_name = "FILE")]
    suites: Vec<PathBuf>,

    /// A player file, a model for its defaults, or another program by UCI, as after -engine of a match: cmd=PROGRAM, with
    /// args=, dir= and option.NAME= behind it in the same word
    #[arg(long, default_value = "chess/classic")]
    player: String,

    /// Milliseconds for each position [default: 1000, if there is no other limit]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Nodes for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Plies for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Searcher::<Position>::MAX_DEPTH)))]
    depth: Option<u32>,

    /// Megabytes of transposition table for each position
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=16_384))]
    hash: u64,

    /// Positions at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: u64,

    /// Name the positions that were not solved
    #[arg(long)]
    missed: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What became of a position.
struct Answer {
    name: String,
    solved: bool,
    chosen: String,
    wanted: String,
    nodes: u64,
    /// Positions visited until the move became the choice for good; other programs do not tell.
    settled: Option<u64>,
}

/// A file of positions.
#[derive(Default)]
struct Suite {
    positions: Vec<Epd>,
    /// Lines that are no positions.
    skipped: u64,
    /// Positions that nothing is said of.
    unmarked: u64,
}

/// More problems than this in one suite are counted but not shown.
const SHOWN_PROBLEMS: u64 = 20;

/// More than any suite has; a bound on the memory that a file of nonsense takes.
const MAX_POSITIONS: usize = 1_000_000;

pub fn run(args: &Args) -> Result<ExitCode> {
    let stop = listen()?;
    let solver = named(&args.player).with_context(|| format!("--player {}", args.player))?;
    let solver = match solver {
        Competitor::Player(player) => {
            Position::engine(&player, 1 << 20)?;
            Competitor::Player(player)
        }
        Competitor::Engine(spec) => {
            let spec = with_hash(spec, args.hash);
            check_program(&spec, &stop)?;
            Competitor::Engine(spec)
        }
    };
    let time = args.movetime.or((args.nodes.is_none() && args.depth.is_none()).then_some(1_000));
    let limits = Limits {
        depth: args.depth,
        nodes: args.nodes,
        move_time: time.map(Duration::from_millis),
        ..Limits::default()
    };
    let mut status = ExitCode::SUCCESS;
    for path in &args.suites {
        let suite = read_suite(path)?;
        let bar = terminal::progress(suite.positions.len() as u64, "positions");
        bar.tick();
        bar.enable_steady_tick(Duration::from_millis(200));
        let start = Instant::now();
        let answers = match &solver {
            Competitor::Player(player) => solve(player, &suite.positions, limits, args, &stop, &bar),
            Competitor::Engine(spec) => solve_by_program(spec, &suite.positions, limits, args, &stop, &bar),
        };
        bar.finish_and_clear();
        if stop.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(130));
        }
        report(&path.display().to_string(), &suite, &answers?, start.elapsed(), args)?;
        if suite.skipped > 0 {
            status = ExitCode::FAILURE;
        }
    }
    Ok(status)
}

/// Ctrl-C breaks off, and other programs are ended.
fn listen() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if handler.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

/// The program with `--hash` as its memory, unless it was told otherwise.
fn with_hash(mut spec: EngineSpec, megabytes: u64) -> EngineSpec {
    if !spec.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("hash")) {
        spec.options.push(("Hash".to_owned(), megabytes.to_string()));
    }
    spec
}

fn read_suite(path: &Path) -> Result<Suite> {
    let mut suite = Suite::default();
    files::read(path, &ProgressBar::hidden(), |name, text| {
        for epd in EpdReader::new(text) {
            match epd {
                Ok(epd) if epd.best_moves().is_some() || epd.avoid_moves().is_some() => {
                    suite.positions.push(epd);
                }
                Ok(_) => suite.unmarked += 1,
                Err(error) => {
                    suite.skipped += 1;
                    if suite.skipped <= SHOWN_PROBLEMS {
                        terminal::print_problem(&format!("{name}: {error}"));
                    }
                }
            }
            if suite.positions.len() > MAX_POSITIONS {
                bail!("{name}: more than {} positions", grouped(MAX_POSITIONS as u64));
            }
        }
        Ok(())
    })?;
    let name = path.display();
    if suite.skipped > SHOWN_PROBLEMS {
        terminal::print_problem(&format!("{name}: and {} more like these", suite.skipped - SHOWN_PROBLEMS));
    }
    if suite.positions.is_empty() {
        bail!("{name}: no positions with bm or am in it");
    }
    Ok(suite)
}

fn solve(
    player: &Player,
    positions: &[Epd],
    limits: Limits,
    args: &Args,
    stop: &AtomicBool,
    bar: &ProgressBar,
) -> Result<Vec<Answer>> {
    let task = |epd: &Epd| SolveTask {
        game: Position::GAME_NAME,
        player: player.clone(),
        limits,
        hash_mb: args.hash as u32,
        positions: vec![puzzle(epd)],
    };
    let mut workspaces: Vec<_> = (0..args.concurrency).map(|_| Workspace::new(stop)).collect();
    let tasks = positions.iter().map(|epd| task(epd).into());
    let outcomes = run_all(&mut workspaces, tasks, |_, _| bar.inc(1))?;
    let solutions = outcomes.into_iter().filter_map(solution);
    let answer = |(index, (solution, epd)): (usize, (Solution, &Epd))| Answer {
        solved: solution.solved,
        nodes: solution.nodes,
        settled: Some(solution.settled),
        ..Answer::new(index, epd, solution.chosen)
    };
    Ok(solutions.zip(positions).enumerate().map(answer).collect())
}

/// The same for another program.
fn solve_by_program(
    spec: &EngineSpec,
    positions: &[Epd],
    limits: Limits,
    args: &Args,
    stop: &AtomicBool,
    bar: &ProgressBar,
) -> Result<Vec<Answer>> {
    let worker = || Program { seat: UciSeat::new(spec.clone(), limits, EngineSetup::default()), stop };
    let mut answers = InOrder::default();
    execute(args.concurrency as usize, positions.iter().enumerate(), worker, |news| {
        let News::Done((index, epd), reply) = news;
        bar.inc(1);
        let reply = match reply {
            Ok(reply) => reply,
            Err(fault) => {
                let answer = Answer::new(index, epd, None);
                let text = format!("{}: {}: {}", answer.name, spec.title(), fault_text(&fault));
                bar.suspend(|| terminal::print_warning(&text));
                None
            }
        };
        let chosen = reply.as_ref().map(|reply| reply.mv);
        answers.insert(
            index as u64,
            Answer {
                solved: chosen.is_some_and(|mv| is_right(epd, mv)),
                nodes: reply.and_then(|reply| reply.thought?.nodes).unwrap_or_default(),
                ..Answer::new(index, epd, chosen.map(|mv| epd.position.move_text(mv)))
            },
        );
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    Ok(answers.drain().map(|(_, answer)| answer).collect())
}

/// Another program before single positions, each a game of its own.
struct Program<'a> {
    seat: UciSeat,
    stop: &'a AtomicBool,
}

impl<'a> Worker for Program<'a> {
    type Job = (usize, &'a Epd);
    type Event = Infallible;
    type Answer = Result<Option<Reply<Position>>, SeatFault>;

    fn work(&mut self, &(_, epd): &Self::Job, _: &mut dyn FnMut(Infallible)) -> Self::Answer {
        if !epd.position.has_moves() {
            return Ok(None);
        }
        self.seat.new_game(&epd.position, 0, self.stop)?;
        let line = Line::new(epd.position.clone());
        self.seat.think(&line, &ByColor::default(), self.stop).map(Some)
    }
}

fn fault_text(fault: &SeatFault) -> String {
    match fault {
        SeatFault::TimeLoss(overrun) => format!("{:.1} s late", overrun.as_secs_f64()),
        SeatFault::IllegalMove(text) | SeatFault::Disconnect(text) | SeatFault::Stall(text) => text.clone(),
    }
}

fn is_right(epd: &Epd, mv: Move) -> bool {
    epd.best_moves().is_none_or(|best| best.contains(&mv))
        && epd.avoid_moves().is_none_or(|avoid| !avoid.contains(&mv))
}

fn puzzle(epd: &Epd) -> Puzzle {
    let texts = |moves: Option<&[Move]>| {
        moves.unwrap_or_default().iter().map(|&mv| epd.position.move_text(mv)).collect()
    };
    Puzzle { fen: epd.position.to_string(), best: texts(epd.best_moves()), avoid: texts(epd.avoid_moves()) }
}

/// The one solution of one position.
fn solution(outcome: TaskOutcome) -> Option<Solution> {
    match outcome {
        TaskOutcome::Solve(outcome) => outcome.solutions.into_iter().next(),
        TaskOutcome::Game(_) | TaskOutcome::Expert(_) => None,
    }
}

impl Answer {
    /// An answer that is not yet judged.
    fn new(index: usize, epd: &Epd, chosen: Option<String>) -> Self {
        let Puzzle { best, avoid, .. } = puzzle(epd);
        let wanted = if best.is_empty() { format!("not {}", avoid.join(" ")) } else { best.join(" ") };
        Self {
            name: epd.id().map_or_else(|| format!("position {}", index + 1), str::to_owned),
            solved: false,
            chosen: chosen.unwrap_or_else(|| "none".to_owned()),
            wanted,
            nodes: 0,
            settled: None,
        }
    }
}

fn report(name: &str, suite: &Suite, answers: &[Answer], time: Duration, args: &Args) -> io::Result<()> {
    let solved = answers.iter().filter(|answer| answer.solved).count();
    let nodes: u64 = answers.iter().map(|answer| answer.nodes).sum();
    if args.json {
        let rows: Vec<_> = answers
            .iter()
            .map(|answer| {
                json!({
                    "id": answer.name, "solved": answer.solved, "move": answer.chosen, "wanted": answer.wanted,
                    "nodes": answer.nodes, "settled": answer.settled,
                })
            })
            .collect();
        return outln!(
            "{}",
            json!({ "suite": name, "solved": solved, "of": answers.len(), "nodes": nodes,
            "seconds": time.as_secs_f64(), "skipped": suite.skipped, "positions": rows })
        );
    }
    if args.missed {
        for answer in answers.iter().filter(|answer| !answer.solved) {
            outln!("{}: {} instead of {}", answer.name, answer.chosen, answer.wanted)?;
        }
    }
    let mut text = format!(
        "{name}: {solved} of {} solved, {} nodes in {:.1} s",
        answers.len(),
        grouped(nodes),
        time.as_secs_f64()
    );
    if suite.unmarked > 0 {
        text += &format!(", without bm or am {}", grouped(suite.unmarked));
    }
    if suite.skipped > 0 {
        text += &format!(", lines skipped {}", grouped(suite.skipped));
    }
    outln!("{text}")
}
