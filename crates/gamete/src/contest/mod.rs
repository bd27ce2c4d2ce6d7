//! Matches and tournaments: what was typed, what it means, and what is told of them.

mod adjudication;
mod engines;
mod eta;
mod game_file;
mod identity;
mod options;
mod run;
mod signals;
mod standings;
mod starts;

pub use options::Options;
pub use run::run;
