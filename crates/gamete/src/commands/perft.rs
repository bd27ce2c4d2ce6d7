use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use gamete_arena::{GameName, dispatch};
use gamete_game::{BoardGame, Game, perft};
use indicatif::ProgressBar;
use serde::Serialize;

use super::show_board::parse_position;
use crate::files::{self, game_parser};
use crate::perft_suite;
use crate::terminal::{self, grouped, outln};

/// Count the positions that legal moves lead to (perft).
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete perft 6
  gamete perft --divide --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1' 4
  gamete perft --game checkers --json 11
  gamete perft --suite perftsuite.epd --max-nodes 5000000")]
pub struct Args {
    /// The game [default: that of the FEN, else chess]
    #[arg(long, value_name = "GAME", value_parser = game_parser())]
    game: Option<GameName>,

    /// Position to start from [default: the start position]
    #[arg(long)]
    fen: Option<String>,

    /// Also print the count for each first move
    #[arg(long)]
    divide: bool,

    /// Write castling as in Chess960: king takes rook
    #[arg(long)]
    chess960: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Instead, check files with lines like `FEN ;D1 20 ;D2 400`, on all cores
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["fen", "divide", "depth", "json", "game", "chess960"])]
    suite: Vec<PathBuf>,

    /// With --suite: skip counts above this
    #[arg(long, value_name = "N", requires = "suite")]
    max_nodes: Option<u64>,

    /// Depth in plies
    #[arg(required_unless_present = "suite", value_parser = clap::value_parser!(u32).range(0..=64))]
    depth: Option<u32>,
}

#[derive(Serialize)]
struct Report {
    nodes: u64,
    seconds: f64,
    nps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<serde_json::Map<String, serde_json::Value>>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if !args.suite.is_empty() {
        return check_suites(&args.suite, args.max_nodes.unwrap_or(u64::MAX));
    }
    let game = args.game.unwrap_or_else(|| GameName::of_fen(args.fen.as_deref()));
    if args.chess960 && game.shuffled_starts().is_none() {
        bail!("--chess960 is for chess");
    }
    dispatch!(game, G => count::<G>(args))
}

fn count<G: BoardGame>(args: &Args) -> Result<ExitCode> {
    let position: G = parse_position(args.fen.as_deref())?;
    let depth = args.depth.context("a depth is needed")?;
    let start = Instant::now();
    let counts = count_moves(&position, depth);
    let nodes = if depth == 0 { 1 } else { counts.iter().map(|&(_, nodes)| nodes).sum() };
    let seconds = start.elapsed().as_secs_f64();
    let nps = (nodes as f64 / seconds.max(1e-9)) as u64;

    let named = counts.iter().map(|&(mv, nodes)| (position.divide_text(mv, args.chess960), nodes));
    if args.json {
        let divide = args.divide.then(|| named.map(|(name, nodes)| (name, nodes.into())).collect());
        outln!("{}", serde_json::to_string(&Report { nodes, seconds, nps, divide })?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.divide {
        for (name, nodes) in named {
            outln!("{name}: {nodes}")?;
        }
        outln!()?;
    }
    outln!("{seconds:.3} s, {} nodes a second", grouped(nps))?;
    outln!("Nodes: {nodes}")?;
    Ok(ExitCode::SUCCESS)
}

/// The counts behind each first move, with a progress bar because depth is quickly too much.
fn count_moves<G: Game>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let moves = position.moves();
    let bar = terminal::progress(moves.len() as u64, "moves");
    let count = |mv| {
        let mut next = position.clone();
        next.play(mv);
        let nodes = perft(&next, depth - 1);
        bar.inc(1);
        (mv, nodes)
    };
    let counts = moves.into_iter().map(count).collect();
    bar.finish_and_clear();
    counts
}

fn check_suites(paths: &[PathBuf], max_nodes: u64) -> Result<ExitCode> {
    let mut failed = false;
    for path in paths {
        failed |= !check_suite(path, max_nodes)?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// More than any suite has; a bound on the memory that a file of nonsense takes.
const MAX_BYTES: u64 = 64 << 20;

fn check_suite(path: &Path, max_nodes: u64) -> Result<bool> {
    let name = path.display();
    let mut text = String::new();
    files::read(path, &ProgressBar::hidden(), |_, part| {
        let most = MAX_BYTES - text.len() as u64;
        Read::take(&mut *part, most)
            .read_to_string(&mut text)
            .with_context(|| format!("{name}: cannot be read"))?;
        if text.len() as u64 == MAX_BYTES {
            bail!("{name}: more than {} MiB of positions", MAX_BYTES >> 20);
        }
        Ok(())
    })?;
    let cases = perft_suite::parse(&text).with_context(|| name.to_string())?;
    if cases.is_empty() {
        bail!("{name}: no perft counts in it");
    }
    let start = Instant::now();
    let bar = terminal::progress(cases.len() as u64, "positions");
    let report = perft_suite::check(&cases, max_nodes, || bar.inc(1));
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    for failure in &report.failures {
        terminal::print_problem(&format!("{name}: {failure}"));
    }
    outln!(
        "{name}: {} counts of {} positions, {} nodes in {seconds:.1} s, {} wrong",
        grouped(report.counts),
        grouped(cases.len() as u64),
        grouped(report.nodes),
        report.failures.len()
    )?;
    Ok(report.failures.is_empty())
}
