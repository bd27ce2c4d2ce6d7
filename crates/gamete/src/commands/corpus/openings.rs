use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::EngineCatalog;
use gamete_arena::{GameName, Playable, dispatch};
use gamete_chess::Epd;
use gamete_corpus::{DrawError, OpeningOptions, draw_openings};

use super::make::{executor, who};
use crate::files::{Format, Output, game_parser};
use crate::interrupt::stop_on_interrupt;
use crate::terminal::{self, errln, grouped};

/// Make an opening book for matches from games.
///
/// Writes the position after a number of plies of each game, one per line, for `gamete match -openings file=…`. The
/// same files, options and seed make the same book.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete corpus openings games.pgn.zst --ply 19 --unique --balanced -o openings.epd
  gamete corpus openings games.pgn --min-rating 2600 --unique --balanced 0.3 --count 1000 -o thousand.epd
  gamete corpus openings games.pgn --balanced --player cmd=stockfish nodes=100000 -o even.epd")]
pub struct Args {
    /// Game files, compressed or not
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// File to write
    #[arg(short, long, value_name = "OPENINGS.epd")]
    output: PathBuf,

    /// The game, if the file names do not tell
    #[arg(long, value_parser = game_parser())]
    game: Option<GameName>,

    /// Plies of a game before the position
    #[arg(long, value_name = "N", default_value_t = 19, value_parser = clap::value_parser!(u64).range(..=1_000))]
    ply: u64,

    /// Write each position only once
    #[arg(long)]
    unique: bool,

    /// Only positions in which neither side is ahead by more than this many pawns
    #[arg(long, value_name = "PAWNS", num_args = 0..=1, default_missing_value = "0.5", value_parser = pawns)]
    balanced: Option<u32>,

    /// Who judges that, and how long it thinks about each: a player file, a model or cmd=PROGRAM, and nodes=, depth=
    /// or st= [default: the game's own model, nodes=20000]
    #[arg(long, num_args = 1.., value_name = "WHO", requires = "balanced")]
    player: Vec<String>,

    /// Minimum rating of both players
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u32>,

    /// Number of positions [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    count: Option<u64>,

    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Positions at once [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
}

/// Pawns as thousandths.
fn pawns(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(pawns) if (0.0..=1000.0).contains(&pawns) => Ok((pawns * 1000.0).round() as u32),
        _ => Err("give a number of pawns from 0 to 1000".to_owned()),
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let of_name = |path: &PathBuf| match Format::of_path(path) {
        Some(Format::Games(game)) => Some(game),
        _ => None,
    };
    let game = args.game.or_else(|| args.files.iter().find_map(of_name)).unwrap_or_default();
    dispatch!(game, G => draw::<G>(args))
}

fn draw<G: Playable>(args: &Args) -> Result<ExitCode> {
    let mut output = Output::create(&args.output)?;
    let stop = stop_on_interrupt(None)?;
    let default = [G::DEFAULT_MODEL.name, "nodes=20000"].map(str::to_owned);
    let words = if args.player.is_empty() { &default[..] } else { &args.player };
    let mut engines = EngineCatalog::default();
    let judge = args.balanced.map(|_| who(words, "--player", &mut engines, &stop)).transpose()?.flatten();
    if let Some(judge) = judge.as_ref().filter(|judge| judge.game() != G::GAME_NAME) {
        let (name, plays, game) = (&judge.name, judge.game(), G::GAME_NAME);
        bail!("--player {name}: it plays {plays}, and the games are of {game}; name one that plays {game}");
    }
    let options = OpeningOptions {
        ply: args.ply as usize,
        unique: args.unique,
        min_rating: args.min_rating,
        count: args.count.map(|count| count as usize),
        seed: args.seed,
        balance: judge.zip(args.balanced),
    };
    let total = args.files.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    let (bytes, mut searched) = (terminal::byte_progress(total), None);
    let search = || {
        bytes.finish_and_clear();
        terminal::spinner("looking for even positions")
    };
    let executor = executor(args.concurrency, engines, &stop)?;
    let (on_bytes, on_position) = (|more| bytes.inc(more), || searched.get_or_insert_with(search).inc(1));
    let drawn = draw_openings::<G>(&args.files, &options, &executor, &stop, on_bytes, on_position);
    bytes.finish_and_clear();
    if let Some(searched) = searched {
        searched.finish_and_clear();
    }
    let drawn = match drawn {
        Err(DrawError::Interrupted) => return Ok(ExitCode::from(130)),
        drawn => drawn?,
    };
    let name = || args.output.display().to_string();
    for position in &drawn.positions {
        writeln!(output, "{}", line(position)).with_context(name)?;
    }
    output.finish().with_context(name)?;
    for (count, what) in [
        (drawn.unreadable, "games cannot be read"),
        (drawn.below_rating, "games have a player below the rating, or without one"),
        (drawn.short, "games were over by then"),
        (drawn.repeated, "games have a position that another one has"),
        (drawn.unbalanced, "positions are not even"),
    ] {
        if count > 0 {
            errln!("{} {what}", grouped(count));
        }
    }
    errln!("{}: {} openings", args.output.display(), grouped(drawn.positions.len() as u64));
    Ok(ExitCode::SUCCESS)
}

/// A position as a line of the file: EPD in chess, a FEN in other games.
fn line<G: Playable>(position: &G) -> String {
    let fen = position.to_string();
    match fen.parse::<gamete_chess::Position>() {
        Ok(position) if G::GAME_NAME == GameName::Chess => Epd::new(position).to_string(),
        _ => fen,
    }
}
