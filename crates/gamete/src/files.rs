//! Files of games and positions, with a progress bar for those who wait.

use std::io::BufRead;
use std::path::Path;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::ProgressBar;

pub use gamete_arena::files::{FileFormat as Format, Output};

/// Reads a file, decompressed if need be; see [`gamete_arena::files::read`].
///
/// # Errors
///
/// When the file cannot be opened, or `read` fails.
pub fn read(
    path: &Path,
    progress: &ProgressBar,
    read: impl FnMut(&str, &mut dyn BufRead) -> Result<()>,
) -> Result<()> {
    gamete_arena::files::read(path, |bytes| progress.inc(bytes), read)
}

/// Understands the formats on the command line.
pub fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::as_str))
        .map(|name| name.parse().expect("one of the possible values"))
}
