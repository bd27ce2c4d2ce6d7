use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::EngineCatalog;
use gamete_arena::{GameName, Player, dispatch};
use gamete_chess::Position;
use gamete_corpus::{
    Agreement, Corpus, Differences, ExpertTable, ExtractError, Leaf, MentorError, Part, differences,
    differences_of_moves, searched_moves,
};
use gamete_engine::Searcher;
use gamete_game::whole_weights;
use gamete_stats::wilson;
use serde::Serialize;

use super::kinds::print_kinds;
use super::make::{HASH_MB, bar, executor, who};
use crate::interrupt::stop_on_interrupt;
use crate::terminal::{outln, print_json};

/// Compare a player with the experts of a corpus.
///
/// The player looks one ply ahead: it evaluates the position after each legal move and chooses the best, of equally
/// good ones the first in the order of squares; checkmate beats everything. A hit is the expert's move. With --depth
/// or --nodes it searches each position as in a game.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete corpus score experts.corpus --kinds
  gamete corpus score experts.corpus --player mine.toml --plies 3 --json
  gamete corpus score experts.corpus --player mine.toml --depth 6
  gamete corpus score experts.corpus --player cmd=stockfish --nodes 10000")]
pub struct Args {
    /// The corpus
    corpus: PathBuf,

    /// A player file, or a model for its defaults; with --depth or --nodes also a UCI engine as after -engine in a
    /// match: cmd=PROGRAM, followed by args=, dir= and option.NAME= in the same argument
    #[arg(long, default_value = "chess/classic")]
    player: String,

    /// Evaluate each move after the captures that then pay, by textbook values
    #[arg(long)]
    quiet: bool,

    /// Evaluate each move where a search of this many more plies leads, by textbook values
    #[arg(long, conflicts_with = "quiet", value_parser = clap::value_parser!(u32).range(1..=5))]
    plies: Option<u32>,

    /// Search each position to this many plies
    #[arg(long, value_name = "N", conflicts_with_all = ["quiet", "plies"], value_parser = clap::value_parser!(u32).range(1..=i64::from(Searcher::<Position>::MAX_DEPTH)))]
    depth: Option<u32>,

    /// Search this many nodes in each position
    #[arg(long, value_name = "N", conflicts_with_all = ["quiet", "plies"], value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Show on which kinds of moves the player differs, and what it plays instead; always in JSON
    #[arg(long)]
    kinds: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Positions at once [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
}

/// How a player compares with the experts of a part.
#[derive(Serialize)]
struct Row {
    part: &'static str,
    positions: u32,
    hits: u32,
    /// Positions in which several moves were equally good; a search does not say.
    ties: Option<u32>,
    /// The place of the expert's move, on average; a search does not say.
    mean_rank: Option<f64>,
    share: f64,
    /// Wilson's interval of 95 %.
    interval: [f64; 2],
    /// On which kinds of moves it differs, where that was asked for.
    differences: Option<Differences>,
}

/// Deviations of an interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

impl Row {
    fn new(part: &'static str, positions: u32, hits: u32) -> Self {
        let interval = wilson(hits.into(), positions.into(), Z);
        let share = f64::from(hits) / f64::from(positions);
        let interval = [interval.low, interval.high];
        Self { part, positions, hits, ties: None, mean_rank: None, share, interval, differences: None }
    }
}

/// The parts of a corpus, and their names.
const PARTS: [(Part, &str); 2] = [(Part::Train, "train"), (Part::Test, "test")];

pub fn run(args: &Args) -> Result<ExitCode> {
    let corpus = Corpus::open(&args.corpus)?;
    let stop = stop_on_interrupt(None)?;
    let rows = match args.depth.is_some() || args.nodes.is_some() {
        true => compare_searching(args, &corpus, &stop)?,
        false => compare(args, &corpus, &stop)?,
    };
    match rows {
        None => Ok(ExitCode::from(130)),
        Some(rows) => print(args, &rows),
    }
}

/// How a player compares that looks one ply ahead; nothing if it was broken off.
fn compare(args: &Args, corpus: &Corpus, stop: &AtomicBool) -> Result<Option<Vec<Row>>> {
    let name = &args.player;
    if name.starts_with("cmd=") {
        bail!(
            "--player {name}: another program shows its moves and not what it thinks of each; say --depth or --nodes"
        );
    }
    let player = Player::load(name).with_context(|| format!("--player {name}"))?;
    let model = player.model();
    check_game(name, model.game, corpus)?;
    let threads = args
        .concurrency
        .map_or_else(|| available_parallelism().map_or(1, usize::from), |count| count as usize);
    let leaf = match args.plies {
        Some(plies) => Leaf::Search(plies),
        None if args.quiet => Leaf::Quiet,
        None => Leaf::Static,
    };
    let table =
        dispatch!(model.game, G => ExpertTable::extract(corpus.samples::<G>()?, model, leaf, threads, stop));
    let table = match table {
        Err(ExtractError::Interrupted) => return Ok(None),
        table => table?,
    };
    let weights = whole_weights(player.weights(), model.scale);
    let mut rows = Vec::new();
    for (part, name) in PARTS.into_iter().filter(|(part, _)| table.positions(*part) > 0) {
        let Agreement { positions, hits, ties, mean_rank } = table.agreement(part, &weights);
        let differences = (args.kinds || args.json)
            .then(|| dispatch!(model.game, G => differences(&table, corpus.samples::<G>()?, part, &weights)));
        let (ties, mean_rank, differences) = (Some(ties), Some(mean_rank), differences.transpose()?);
        rows.push(Row { ties, mean_rank, differences, ..Row::new(name, positions, hits) });
    }
    Ok(Some(rows))
}

/// How a player compares that searches every position; nothing if it was broken off.
fn compare_searching(args: &Args, corpus: &Corpus, stop: &Arc<AtomicBool>) -> Result<Option<Vec<Row>>> {
    let mut engines = EngineCatalog::default();
    let limits =
        [args.depth.map(|depth| format!("depth={depth}")), args.nodes.map(|nodes| format!("nodes={nodes}"))];
    let words: Vec<String> = [Some(args.player.clone())].into_iter().chain(limits).flatten().collect();
    let player = who(&words, "--player", &mut engines, stop)?.context("--player: nobody is named")?;
    check_game(&args.player, player.game(), corpus)?;
    let executor = executor(args.concurrency, engines, stop)?;
    dispatch!(player.game(), G => {
        let samples = corpus.samples::<G>()?;
        let mut rows = Vec::new();
        for (part, name) in PARTS {
            let mut of_part = samples.iter().collect::<Result<Vec<_>, _>>()?;
            of_part.retain(|sample| sample.part == part);
            if of_part.is_empty() {
                continue;
            }
            let bar = bar(of_part.len() as u64, "positions");
            let moves = searched_moves(&of_part, &player, HASH_MB, &executor, stop, || bar.inc(1));
            bar.finish_and_clear();
            let moves = match moves {
                Err(MentorError::Interrupted) => return Ok(None),
                moves => moves?,
            };
            let found = differences_of_moves(moves, samples, part)?;
            let row = Row::new(name, found.positions, found.hits);
            rows.push(Row { differences: (args.kinds || args.json).then_some(found), ..row });
        }
        Ok(Some(rows))
    })
}

fn check_game(player: &str, plays: GameName, corpus: &Corpus) -> Result<()> {
    let game = corpus.manifest().game;
    if plays != game {
        bail!(
            "--player {player}: it plays {plays}, and {} is of {game}; name a player of that game",
            corpus.name()
        );
    }
    Ok(())
}

fn print(args: &Args, rows: &[Row]) -> Result<ExitCode> {
    if args.json {
        print_json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    outln!(
        "{:<6} {:>9} {:>7} {:>7} {:>17} {:>10} {:>7}",
        "part",
        "positions",
        "hits",
        "share",
        "95 %",
        "mean rank",
        "ties"
    )?;
    for Row { part, positions, hits, ties, mean_rank, share, interval: [low, high], .. } in rows {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let interval = format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high);
        let mean_rank = mean_rank.map_or_else(|| "–".to_owned(), |rank| format!("{rank:.2}"));
        let ties =
            ties.map_or_else(|| "–".to_owned(), |ties| percent(f64::from(ties) / f64::from(*positions)));
        outln!(
            "{part:<6} {positions:>9} {hits:>7} {:>7} {interval:>17} {mean_rank:>10} {ties:>7}",
            percent(*share)
        )?;
    }
    for row in rows {
        if let Some(found) = &row.differences {
            print_kinds(row.part, found)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
