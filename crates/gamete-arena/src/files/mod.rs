//! Files of games and positions: opened by what is in them, written by what they are called.

mod format;
mod lock;
mod output;
mod read;
mod unfinished;
mod zip_archive;

pub use format::{FileFormat, UnknownFormat};
pub use lock::{open_lock_file, open_locked, try_open_locked};
pub use output::{CreateError, Output};
pub use read::{FileError, read, read_from};

/// The endings of compressed files.
const COMPRESSED: [&str; 4] = [".zst", ".gz", ".bz2", ".zip"];
