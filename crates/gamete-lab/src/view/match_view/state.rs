use std::fmt;

use serde::{Serialize, Serializer};

/// How far a match is. As JSON it is the text that people read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchState {
    /// Whether nothing is left to be played.
    pub finished: bool,
    /// Games that count.
    pub games: u64,
    /// Games of the whole match, if they are known.
    pub planned: Option<u64>,
}

impl fmt::Display for MatchState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.finished, self.planned) {
            (true, _) => f.write_str("done"),
            (false, Some(planned)) => write!(f, "game {}/{planned}", self.games),
            (false, None) => write!(f, "game {}", self.games),
        }
    }
}

impl Serialize for MatchState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
