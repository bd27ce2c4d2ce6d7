//! Files of games and positions, with a progress bar for those who wait.

use std::io::BufRead;
use std::path::Path;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::ProgressBar;

use gamete_arena::GameName;
pub use gamete_arena::files::{FileFormat as Format, Output};

/// What the standard input is called in messages; on the command line it is `-`.
pub const STANDARD_INPUT: &str = "standard input";

/// Reads a file, or the standard input for `-`, decompressed if need be; see [`gamete_arena::files::read`].
///
/// # Errors
///
/// When the file cannot be opened, or `read` fails.
pub fn read(
    path: &Path,
    progress: &ProgressBar,
    read: impl FnMut(&str, &mut dyn BufRead) -> Result<()>,
) -> Result<()> {
    let on_bytes = |bytes| progress.inc(bytes);
    if path == Path::new("-") {
        return gamete_arena::files::read_from(std::io::stdin(), STANDARD_INPUT.to_owned(), on_bytes, read);
    }
    gamete_arena::files::read(path, on_bytes, read)
}

/// Understands the formats on the command line.
pub fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::all().map(Format::as_str))
        .map(|name| name.parse().expect("one of the possible values"))
}

/// Understands the names of games on the command line.
pub fn game_parser() -> impl TypedValueParser<Value = GameName> {
    PossibleValuesParser::new(GameName::ALL.iter().map(|game| game.as_str()))
        .map(|name| name.parse().expect("one of the possible values"))
}
