use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::{Context, Result, bail};
use gamete_arena::{Player, dispatch};
use gamete_corpus::{Agreement, Corpus, Differences, ExpertTable, ExtractError, Leaf, Part, differences};
use gamete_game::whole_weights;
use gamete_stats::wilson;
use serde::Serialize;

use super::kinds::print_kinds;
use crate::interrupt::stop_on_interrupt;
use crate::terminal::{outln, print_json};

/// Compare a player with the experts of a corpus.
///
/// The player looks one ply ahead: it evaluates the position after each legal move and chooses the best, of equally good
/// ones the first in the order of their squares; checkmate is better than anything. A hit is the expert's move.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete corpus score experts.corpus --kinds
  gamete corpus score experts.corpus --player mine.toml --plies 3 --json")]
pub struct Args {
    /// The corpus
    corpus: PathBuf,

    /// A player file, or a model for its defaults
    #[arg(long, default_value = "chess/classic")]
    player: String,

    /// Evaluate moves after the captures that then pay, by textbook values
    #[arg(long)]
    quiet: bool,

    /// Evaluate moves where a search of so many more plies leads, by textbook values
    #[arg(long, conflicts_with = "quiet", value_parser = clap::value_parser!(u32).range(1..=5))]
    plies: Option<u32>,

    /// Show on which kinds of moves the player differs, and what it plays instead; JSON has it always
    #[arg(long)]
    kinds: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How a player compares with the experts of a part.
#[derive(Serialize)]
struct Row {
    part: &'static str,
    #[serde(flatten)]
    agreement: Agreement,
    share: f64,
    /// Wilson's interval of 95 %.
    interval: [f64; 2],
    /// On which kinds of moves it differs, where that was asked for.
    differences: Option<Differences>,
}

/// Deviations of an interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

pub fn run(args: &Args) -> Result<ExitCode> {
    let corpus = Corpus::open(&args.corpus)?;
    let player = Player::load(&args.player).with_context(|| format!("--player {}", args.player))?;
    let model = player.model();
    if model.game != corpus.manifest().game {
        bail!(
            "--player {}: it plays {}, and {} is of {}; name a player of that game",
            args.player,
            model.game,
            corpus.name(),
            corpus.manifest().game
        );
    }
    let threads = available_parallelism().map_or(1, usize::from);
    let leaf = match args.plies {
        Some(plies) => Leaf::Search(plies),
        None if args.quiet => Leaf::Quiet,
        None => Leaf::Static,
    };
    let stop = stop_on_interrupt(None)?;
    let table =
        dispatch!(model.game, G => ExpertTable::extract(corpus.samples::<G>()?, model, leaf, threads, &stop));
    let table = match table {
        Err(ExtractError::Interrupted) => return Ok(ExitCode::from(130)),
        table => table?,
    };
    let weights = whole_weights(player.weights(), model.scale);
    let mut rows = Vec::new();
    for (part, name) in [(Part::Train, "train"), (Part::Test, "test")] {
        if table.positions(part) == 0 {
            continue;
        }
        let agreement = table.agreement(part, &weights);
        let (hits, positions) = (u64::from(agreement.hits), u64::from(agreement.positions));
        let interval = wilson(hits, positions, Z);
        let share = hits as f64 / positions as f64;
        let differences = (args.kinds || args.json)
            .then(|| dispatch!(model.game, G => differences(&table, corpus.samples::<G>()?, part, &weights)));
        let differences = differences.transpose()?;
        rows.push(Row { part: name, agreement, share, interval: [interval.low, interval.high], differences });
    }
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
    for Row { part, agreement, share, interval: [low, high], .. } in &rows {
        let Agreement { positions, hits, ties, mean_rank } = *agreement;
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let interval = format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high);
        let ties = percent(f64::from(ties) / f64::from(positions));
        outln!(
            "{part:<6} {positions:>9} {hits:>7} {:>7} {interval:>17} {mean_rank:>10.2} {ties:>7}",
            percent(*share)
        )?;
    }
    for row in &rows {
        if let Some(found) = &row.differences {
            print_kinds(row.part, found)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
