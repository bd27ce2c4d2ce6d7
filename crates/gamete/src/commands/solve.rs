use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use gamete_arena::{
    GameName, Limits, Playable, Player, Puzzle, Solution, SolveTask, TaskOutcome, Workspace, run_all,
};
use gamete_chess::{Epd, EpdReader, Position};
use gamete_engine::Searcher;
use gamete_game::Game;
use indicatif::ProgressBar;
use serde_json::json;

use crate::files;
use crate::terminal::{self, grouped, outln};

/// Solve suites of positions with known best moves.
///
/// A position is solved when the move chosen at the end of its time is one of `bm`, and none of `am`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete solve wac.epd
  gamete solve ecm.epd --movetime 5000 --player mine.toml --missed
  gamete solve wac.epd --nodes 100000 --json")]
pub struct Args {
    /// EPD files
    #[arg(required = true, value_name = "FILE")]
    suites: Vec<PathBuf>,

    /// A player file, or a model for its defaults
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
    settled: u64,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let player = Player::load(&args.player).with_context(|| format!("--player {}", args.player))?;
    Position::engine(&player, 1 << 20)?;
    let time = args.movetime.or((args.nodes.is_none() && args.depth.is_none()).then_some(1_000));
    let limits = Limits {
        depth: args.depth,
        nodes: args.nodes,
        move_time: time.map(Duration::from_millis),
        ..Limits::default()
    };
    for suite in &args.suites {
        let name = suite.display().to_string();
        let positions = read_suite(suite)?;
        let start = Instant::now();
        let answers = solve(&player, &positions, limits, args)?;
        report(&name, &answers, start.elapsed(), args)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read_suite(path: &std::path::Path) -> Result<Vec<Epd>> {
    let mut positions = Vec::new();
    files::read(path, &ProgressBar::hidden(), |name, text| {
        for epd in EpdReader::new(text) {
            let epd = epd.with_context(|| name.to_owned())?;
            if epd.best_moves().is_some() || epd.avoid_moves().is_some() {
                positions.push(epd);
            }
        }
        Ok(())
    })?;
    if positions.is_empty() {
        bail!("{}: no positions with bm or am in it", path.display());
    }
    Ok(positions)
}

fn solve(player: &Player, positions: &[Epd], limits: Limits, args: &Args) -> Result<Vec<Answer>> {
    let bar = terminal::progress(positions.len() as u64, "positions");
    let stop = AtomicBool::new(false);
    let task = |epd: &Epd| SolveTask {
        game: GameName::Chess,
        player: player.clone(),
        limits,
        hash_mb: args.hash as u32,
        positions: vec![puzzle(epd)],
    };
    let mut workspaces: Vec<_> = (0..args.concurrency).map(|_| Workspace::new(&stop)).collect();
    let tasks = positions.iter().map(|epd| task(epd).into());
    let outcomes = run_all(&mut workspaces, tasks, |_, _| bar.inc(1));
    bar.finish_and_clear();
    let solutions = outcomes?.into_iter().filter_map(solution);
    Ok(solutions
        .zip(positions)
        .enumerate()
        .map(|(index, (solution, epd))| Answer::new(index, epd, solution))
        .collect())
}

fn puzzle(epd: &Epd) -> Puzzle {
    let texts = |moves: Option<&[gamete_chess::Move]>| {
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
    fn new(index: usize, epd: &Epd, solution: Solution) -> Self {
        let Puzzle { best, avoid, .. } = puzzle(epd);
        let wanted = if best.is_empty() { format!("not {}", avoid.join(" ")) } else { best.join(" ") };
        Self {
            name: epd.id().map_or_else(|| format!("position {}", index + 1), str::to_owned),
            solved: solution.solved,
            chosen: solution.chosen.unwrap_or_else(|| "none".to_owned()),
            wanted,
            nodes: solution.nodes,
            settled: solution.settled,
        }
    }
}

fn report(name: &str, answers: &[Answer], time: Duration, args: &Args) -> io::Result<()> {
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
            "seconds": time.as_secs_f64(), "positions": rows })
        );
    }
    if args.missed {
        for answer in answers.iter().filter(|answer| !answer.solved) {
            outln!("{}: {} instead of {}", answer.name, answer.chosen, answer.wanted)?;
        }
    }
    outln!(
        "{name}: {solved} of {} solved, {} nodes in {:.1} s",
        answers.len(),
        grouped(nodes),
        time.as_secs_f64()
    )
}
