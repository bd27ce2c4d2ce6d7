use serde::Serialize;

/// How far an experiment in progress is, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Progress {
    /// Games played since the program was started.
    pub played: u64,
    /// Games taken from the journal.
    pub replayed: u64,
    /// Games of the whole experiment, as far as that can be said.
    pub planned: u64,
    /// Seconds since the program was started.
    pub seconds: f64,
    /// The share of its time that a playing thread has played.
    pub busy: f64,
    /// The share of a core that the store has taken.
    pub writing: f64,
}
