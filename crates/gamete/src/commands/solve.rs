use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gamete_arena::uci::{EngineCatalog, EngineSetup, EngineSpec};
use gamete_arena::{
    Competitor, Contestant, GameName, InOrder, Limits, LocalOptions, Puzzle, Solution, SolveTask, Suite,
    SuitePosition, TaskOutcome, WorkspaceOptions, submit_all,
};
use gamete_chess::Position;
use gamete_engine::Searcher;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::contest::{check_program, named};
use crate::files;
use crate::grid::{GridArgs, Job, Machines};
use crate::interrupt::stop_on_interrupt;
use crate::terminal::{self, grouped, outln, print_json};

/// Solve suites of positions with known best moves.
///
/// A position is solved if the move chosen at the end of its time is one of `bm`, and none of `am`. A line that is
/// not a position is skipped, reported with its location, and makes the exit status 1.
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

    /// A player file, a model for its defaults, or a UCI engine as after -engine in a match: cmd=PROGRAM, followed by
    /// args=, dir= and option.NAME= in the same argument
    #[arg(long, default_value = "chess/classic")]
    player: String,

    /// Milliseconds per position [default: 1000, if there is no other limit]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Nodes per position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search depth per position, in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Searcher::<Position>::MAX_DEPTH)))]
    depth: Option<u32>,

    /// Hash table size for each position, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=16_384))]
    hash: u64,

    /// Positions to solve at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: u64,

    /// List the positions that were not solved
    #[arg(long)]
    missed: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    grid: GridArgs,
}

/// What became of a position, as `--json` prints it too.
#[derive(Serialize)]
struct Answer {
    #[serde(rename = "id")]
    name: String,
    solved: bool,
    #[serde(rename = "move")]
    chosen: String,
    wanted: String,
    nodes: u64,
    /// Positions visited until the move became the choice for good; other programs do not tell.
    settled: Option<u64>,
    /// How another program failed.
    fault: Option<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let stop = stop_on_interrupt(None)?;
    let competitor = named(&args.player).with_context(|| format!("--player {}", args.player))?;
    let game = competitor.game();
    let competitor = competitor.map_engine(|spec| with_hash(spec, args.hash));
    if let Competitor::Engine(spec) = &competitor {
        check_program(spec, &stop)?;
    }
    let time = args.movetime.or((args.nodes.is_none() && args.depth.is_none()).then_some(1_000));
    let limits = Limits {
        depth: args.depth,
        nodes: args.nodes,
        move_time: time.map(Duration::from_millis),
        ..Limits::default()
    };
    let solver = solver_at(competitor, limits);
    let mut engines = EngineCatalog::default();
    let name = solver.name.clone();
    let solver = solver.map_engine(|spec| engines.add(&name, spec, None));
    let engines = Arc::new(engines);
    let mut status = ExitCode::SUCCESS;
    for path in &args.suites {
        let suite = read_suite(game, path)?;
        let bar = terminal::progress(suite.positions.len() as u64, "positions");
        bar.tick();
        bar.enable_steady_tick(Duration::from_millis(200));
        let start = Instant::now();
        let answers = solve(&solver, &engines, game, &suite.positions, args, &stop, &bar);
        bar.finish_and_clear();
        if stop.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(130));
        }
        report(&path.display().to_string(), &suite, &answers?, start.elapsed(), args)?;
        if suite.bad_lines > 0 {
            status = ExitCode::FAILURE;
        }
    }
    Ok(status)
}

/// Who solves positions within these limits.
fn solver_at(competitor: Competitor<EngineSpec>, limits: Limits) -> Contestant<EngineSpec> {
    let (name, time_margin_ms) = match &competitor {
        Competitor::Player(player) => (player.name.clone(), 0),
        Competitor::Engine(spec) => (spec.title(), EngineSetup::PATIENCE.as_millis() as u64),
    };
    Contestant { name, competitor, limits, time_margin_ms }
}

/// The program with `--hash` as its memory, unless it was told otherwise.
fn with_hash(mut spec: EngineSpec, megabytes: u64) -> EngineSpec {
    if !spec.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("hash")) {
        spec.options.push(("Hash".to_owned(), megabytes.to_string()));
    }
    spec
}

fn read_suite(game: GameName, path: &Path) -> Result<Suite> {
    let mut suite = Suite::default();
    files::read(path, &ProgressBar::hidden(), |name, text| Ok(suite.read(game, name, text)?))?;
    suite.problems.iter().for_each(|problem| terminal::print_problem(problem));
    let (name, more) = (path.display().to_string(), suite.bad_lines - suite.problems.len() as u64);
    if more > 0 {
        terminal::print_problem(&format!("{name}: and {more} more like these"));
    }
    Ok(suite.non_empty(&name)?)
}

/// Has the positions solved, each on its own.
fn solve(
    solver: &Contestant,
    engines: &Arc<EngineCatalog>,
    game: GameName,
    positions: &[SuitePosition],
    args: &Args,
    stop: &Arc<AtomicBool>,
    bar: &ProgressBar,
) -> Result<Vec<Answer>> {
    let (stop_flag, engines) = (Arc::clone(stop), Arc::clone(engines));
    let workspace = WorkspaceOptions { stop: stop_flag, engines, ..WorkspaceOptions::default() };
    let options = LocalOptions { threads: args.concurrency as usize, workspace, ..LocalOptions::default() };
    let job = Job { name: "solve", ..Job::default() };
    let machines = Machines::start(args.grid.choice()?.as_ref(), &job, options, stop)?;
    let task = |position: &SuitePosition| SolveTask {
        game,
        solver: solver.clone(),
        hash_mb: args.hash as u32,
        positions: vec![position.puzzle.clone()],
    };
    let tasks = positions.iter().map(|position| task(position).into()).enumerate();
    let (mut answers, mut result) = (InOrder::default(), Ok(()));
    submit_all(machines.executor(), tasks, stop, |index, outcome| {
        bar.inc(1);
        let position = &positions[index];
        match outcome {
            Ok(TaskOutcome::Solve(outcome)) => {
                for solution in outcome.solutions {
                    let answer = Answer::new(index, position, solution);
                    if let Some(fault) = &answer.fault {
                        let text = format!("{}: {}: {fault}", answer.name, solver.name);
                        bar.suspend(|| terminal::print_warning(&text));
                    }
                    answers.insert(index as u64, answer);
                }
                ControlFlow::Continue(())
            }
            Ok(_) => unreachable!("the outcome of a position"),
            Err(error) => {
                result = Err(error);
                ControlFlow::Break(())
            }
        }
    });
    result?;
    Ok(answers.drain().map(|(_, answer)| answer).collect())
}

impl Answer {
    fn new(index: usize, position: &SuitePosition, solution: Solution) -> Self {
        let Puzzle { best, avoid, .. } = &position.puzzle;
        let wanted = if best.is_empty() { format!("not {}", avoid.join(" ")) } else { best.join(" ") };
        Self {
            name: position.id.clone().unwrap_or_else(|| format!("position {}", index + 1)),
            solved: solution.solved,
            chosen: solution.chosen.unwrap_or_else(|| "none".to_owned()),
            wanted,
            nodes: solution.nodes,
            settled: solution.settled,
            fault: solution.fault,
        }
    }
}

/// What `--json` prints of a suite.
#[derive(Serialize)]
struct SuiteReport<'a> {
    suite: &'a str,
    solved: usize,
    of: usize,
    nodes: u64,
    seconds: f64,
    /// Lines that could not be read.
    skipped: u64,
    positions: &'a [Answer],
}

fn report(name: &str, suite: &Suite, answers: &[Answer], time: Duration, args: &Args) -> io::Result<()> {
    let solved = answers.iter().filter(|answer| answer.solved).count();
    let nodes: u64 = answers.iter().map(|answer| answer.nodes).sum();
    if args.json {
        return print_json(&SuiteReport {
            suite: name,
            solved,
            of: answers.len(),
            nodes,
            seconds: time.as_secs_f64(),
            skipped: suite.bad_lines,
            positions: answers,
        });
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
    if suite.bad_lines > 0 {
        text += &format!(", lines skipped {}", grouped(suite.bad_lines));
    }
    outln!("{text}")
}
