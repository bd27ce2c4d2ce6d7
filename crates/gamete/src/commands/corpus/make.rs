use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::ValueEnum;
use gamete_arena::{GameName, Playable, dispatch};
use gamete_corpus::{DrawOptions, Manifest, Take, check_output, draw_from_games, write_corpus};

use crate::files::{Format, game_parser};
use crate::terminal::{self, errln, grouped};

/// Draw positions from games.
///
/// Of each game that somebody won, one position is drawn in which the winner is to move, with the move that was played; or,
/// with --take results, quiet positions with the result of the game. The positions of half the games are for testing what
/// was learned from the others. The same files, options and seed make the same corpus to the byte.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete corpus make games.pgn.zst --min-rating 2600 -o experts.corpus
  gamete corpus make a.pgn b.pgn.zip --games 10000 --seed 2 -o ten-thousand.corpus
  gamete corpus make games.pgn --skip-plies 0 --forced -o literal.corpus
  gamete corpus make games.pgn --take results --per-game 8 -o results.corpus")]
pub struct Args {
    /// Files of games, compressed or not
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The corpus to write
    #[arg(short, long, value_name = "NAME.corpus")]
    output: PathBuf,

    /// Which game, if the names of the files do not tell
    #[arg(long, value_parser = game_parser())]
    game: Option<GameName>,

    /// What is to be learned
    #[arg(long, value_enum, default_value_t = Learn::Experts)]
    take: Learn,

    /// How many games [default: all that fit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    games: Option<u64>,

    /// Both players have at least this rating
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u32>,

    /// Positions of each game
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    per_game: u64,

    /// No position from the first plies of a game
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u64).range(..=1_000))]
    skip_plies: u64,

    /// Positions with a single legal move as well
    #[arg(long)]
    forced: bool,

    /// The share of games whose positions are for testing
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    test_share: f64,

    /// Where all that is random comes from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Learn {
    /// The moves of those who won
    Experts,
    /// The results of games, from quiet positions
    Results,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("give a number from 0 to 1".to_owned()),
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let of_name = |path: &PathBuf| match Format::of_path(path) {
        Some(Format::Games(game)) => Some(game),
        _ => None,
    };
    let game = args.game.or_else(|| args.files.iter().find_map(of_name)).unwrap_or_default();
    if args.output == Path::new("-") {
        bail!("-: a corpus is a file that is mapped into memory; give it a name");
    }
    check_output(&args.output)?;
    dispatch!(game, G => make::<G>(args))
}

fn make<G: Playable>(args: &Args) -> Result<ExitCode> {
    let options = DrawOptions {
        take: match args.take {
            Learn::Experts => Take::Experts,
            Learn::Results => Take::Results,
        },
        seed: args.seed,
        games: args.games.map(|games| games as usize),
        min_rating: args.min_rating,
        skip_plies: args.skip_plies as usize,
        forced: args.forced,
        per_game: args.per_game as usize,
        test_share: args.test_share,
    };
    let total = args.files.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    let progress = terminal::byte_progress(total);
    let drawn = draw_from_games::<G>(&args.files, &options, |bytes| progress.inc(bytes));
    progress.finish_and_clear();
    let drawn = drawn?;
    let setting = |name: &str, value: String| (name.to_owned(), value);
    let mut settings = vec![
        setting("take", if args.take == Learn::Experts { "experts" } else { "results" }.to_owned()),
        setting("per-game", args.per_game.to_string()),
        setting("skip-plies", args.skip_plies.to_string()),
        setting("forced", args.forced.to_string()),
        setting("test-share", args.test_share.to_string()),
    ];
    settings.extend(args.games.map(|games| setting("games", games.to_string())));
    settings.extend(args.min_rating.map(|rating| setting("min-rating", rating.to_string())));
    let manifest = Manifest {
        game: G::GAME_NAME,
        program: format!("gamete {}", env!("CARGO_PKG_VERSION")),
        files: drawn.files,
        seed: args.seed,
        settings,
        train: 0,
        test: 0,
    };
    write_corpus(&args.output, manifest, &drawn.samples)?;
    let passed = drawn.passed_over;
    for (count, why) in [
        (passed.unreadable, "cannot be read"),
        (passed.without_result, "have no winner"),
        (passed.below_rating, "have a player below the rating, or without one"),
        (passed.without_position, "have no position that fits"),
    ] {
        if count > 0 {
            errln!("{} games {why}", grouped(count));
        }
    }
    errln!("{}: {} positions", args.output.display(), grouped(drawn.samples.len() as u64));
    Ok(ExitCode::SUCCESS)
}
