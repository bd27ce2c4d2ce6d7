use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use gamete_arena::{Playable, Player};
use gamete_chess::{Epd, EpdReader, Position};
use gamete_engine::{Limit, Searcher};
use gamete_game::{Game, Line};
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
    let limit = Limit {
        depth: args.depth,
        nodes: args.nodes,
        time: time.map(Duration::from_millis),
        ..Limit::INFINITE
    };
    for suite in &args.suites {
        let name = suite.display().to_string();
        let positions = read_suite(suite)?;
        let start = Instant::now();
        let answers = solve(&player, &positions, &limit, args);
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

fn solve(player: &Player, positions: &[Epd], limit: &Limit, args: &Args) -> Vec<Answer> {
    let next = AtomicUsize::new(0);
    let bar = terminal::progress(positions.len() as u64, "positions");
    let answers = Mutex::new(Vec::with_capacity(positions.len()));
    std::thread::scope(|scope| {
        for _ in 0..args.concurrency {
            scope.spawn(|| {
                let hash = (args.hash as usize) << 20;
                let mut engine = Position::engine(player, hash).expect("a player of chess");
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(epd) = positions.get(index) else { break };
                    engine.new_game(0);
                    let line = Line::new(epd.position.clone());
                    let outcome = engine.search(&line, limit, &AtomicBool::new(false), None, &mut |_| ());
                    let answer = judge(index, epd, outcome.best, outcome.nodes, outcome.settled);
                    answers.lock().expect("no panic while solving").push((index, answer));
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut answers = answers.into_inner().expect("no panic while solving");
    answers.sort_by_key(|&(index, _)| index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn judge(index: usize, epd: &Epd, best: Option<gamete_chess::Move>, nodes: u64, settled: u64) -> Answer {
    let text = |mv: &gamete_chess::Move| epd.position.move_text(*mv);
    let listed = |moves: &[gamete_chess::Move]| moves.iter().map(text).collect::<Vec<_>>().join(" ");
    let good = epd.best_moves().is_none_or(|moves| best.is_some_and(|best| moves.contains(&best)));
    let bad = epd.avoid_moves().is_some_and(|moves| best.is_some_and(|best| moves.contains(&best)));
    let wanted = match (epd.best_moves(), epd.avoid_moves()) {
        (Some(moves), _) => listed(moves),
        (None, moves) => format!("not {}", listed(moves.unwrap_or_default())),
    };
    Answer {
        name: epd.id().map_or_else(|| format!("position {}", index + 1), str::to_owned),
        solved: good && !bad && best.is_some(),
        chosen: best.as_ref().map_or_else(|| "none".to_owned(), text),
        wanted,
        nodes,
        settled,
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
