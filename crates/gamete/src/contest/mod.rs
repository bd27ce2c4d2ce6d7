//! Matches and tournaments: what was typed, what it means, and what is told of them.

mod adjudication;
mod affinity;
mod blocks;
mod book_options;
mod engines;
mod eta;
mod game_file_options;
mod idle_keys;
mod log_options;
mod options;
mod resume;
mod run;
mod signals;
mod starts;

pub use adjudication::{max_moves, rule, tables};
pub use affinity::Affinity;
pub use blocks::{Blocks, kept_text};
pub use book_options::BookOptions;
pub use engines::{check_program, contestant, engine_pairs, named, named_with_limits};
pub use eta::duration_text;
pub use log_options::{Log, LogOptions};
pub use options::{Options, concurrency, milliseconds, timeouts};
pub use resume::stored_words;
pub use run::run;
pub use starts::{NamedStart, is_shuffled};
