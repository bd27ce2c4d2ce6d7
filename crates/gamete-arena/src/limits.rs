use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use gamete_engine::{Clock, Limit};
use serde::{Deserialize, Serialize};

use crate::nearest::suggest;
use crate::time_control::{parse_seconds, seconds_text};
use crate::{GameClock, TimeControl};

/// How much a player may think in a match: all of these at once, as in `tc=10+0.1 depth=20`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Limits {
    /// Time for the game: `tc`.
    pub time_control: TimeControl,
    /// Time for each move: `st`, in seconds.
    pub move_time: Option<Duration>,
    /// Positions for each move: `nodes`.
    pub nodes: Option<u64>,
    /// Plies for each move: `depth`.
    pub depth: Option<u32>,
}

/// A limit that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    /// There is no such limit.
    #[error("unknown limit {name:?}{hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        hint: String,
    },
    /// A value that it cannot have.
    #[error("{key}={value}: must be {wanted}")]
    Value {
        /// Which limit.
        key: String,
        /// What it was given.
        value: String,
        /// What it may be.
        wanted: &'static str,
    },
}

impl Limits {
    /// The keys that [`set`](Self::set) knows by their usual names.
    pub const KEYS: [&'static str; 4] = ["tc", "st", "nodes", "depth"];

    /// A number of positions for each move.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Time for the game.
    pub fn time_control(time_control: TimeControl) -> Self {
        Self { time_control, ..Self::default() }
    }

    /// Whether there is nothing that would end a move.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a clock decides when a move is over.
    pub fn is_timed(&self) -> bool {
        self.time_control != TimeControl::Infinite || self.move_time.is_some()
    }

    /// So many times as much time; nodes and depth stay as they are.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let move_time = self.move_time.map(|time| time.mul_f64(factor));
        Self { time_control: self.time_control.scaled(factor), move_time, ..self }
    }

    /// Sets a limit by its key.
    ///
    /// # Errors
    ///
    /// When there is no such limit, or it cannot have this value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), LimitsError> {
        let bad = |wanted| LimitsError::Value { key: key.to_owned(), value: value.to_owned(), wanted };
        let time = |seconds: Option<Duration>, wanted| {
            seconds.filter(|time| !time.is_zero()).ok_or_else(|| bad(wanted)).map(Some)
        };
        match key {
            "tc" => {
                self.time_control =
                    value.parse().map_err(|_| bad("[moves/][minutes:]seconds[+increment] or inf"))?;
            }
            "st" => self.move_time = time(parse_seconds(value), "seconds a move")?,
            "movetime" | "MT" => {
                let seconds = parse_seconds(value).map(|time| time / 1000);
                self.move_time = time(seconds, "milliseconds a move")?;
            }
            "nodes" | "N" => self.nodes = Some(count(value).ok_or_else(|| bad("a number of nodes"))?),
            "depth" | "plies" | "D" => {
                let depth = count(value).and_then(|depth| u32::try_from(depth).ok());
                self.depth = Some(depth.ok_or_else(|| bad("a number of plies"))?);
            }
            _ => {
                return Err(LimitsError::Unknown { name: key.to_owned(), hint: suggest(key, Self::KEYS) });
            }
        }
        Ok(())
    }

    /// The limit of one move, for a player of our own, which has to be done by `overhead` earlier.
    pub(crate) fn of_move(&self, clock: Option<&GameClock>, overhead: Duration) -> Limit {
        let clock = clock.map(|clock| Clock {
            time: clock.left(),
            increment: clock.increment(),
            moves_to_go: clock.moves_to_go(),
            overhead,
        });
        // Of a very short time most is still for thinking.
        let time = self.move_time.map(|time| time - overhead.min(time / 4));
        Limit { depth: self.depth, nodes: self.nodes, time, clock, mate: None }
    }
}

fn count(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&count| count > 0)
}

/// Words like `nodes=1000`; a word without `=` is a time control.
impl FromStr for Limits {
    type Err = LimitsError;

    fn from_str(text: &str) -> Result<Self, LimitsError> {
        let mut limits = Self::default();
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or(("tc", word));
            limits.set(key, value)?;
        }
        Ok(limits)
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::with_capacity(4);
        if self.time_control != TimeControl::Infinite || self.is_unlimited() {
            words.push(format!("tc={}", self.time_control));
        }
        words.extend(self.move_time.map(|time| format!("st={}", seconds_text(time))));
        words.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        words.extend(self.depth.map(|depth| format!("depth={depth}")));
        f.write_str(&words.join(" "))
    }
}

impl TryFrom<String> for Limits {
    type Error = LimitsError;

    fn try_from(text: String) -> Result<Self, LimitsError> {
        text.parse()
    }
}

impl From<Limits> for String {
    fn from(limits: Limits) -> Self {
        limits.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_understood() {
        for (text, written) in [
            ("tc=10+0.1", "tc=10+0.1"),
            ("10.0+0.1", "tc=10+0.1"),
            ("st=0.5", "st=0.5"),
            ("MT=250", "st=0.25"),
            ("nodes=1000 tc=inf", "nodes=1000"),
            ("N=40000", "nodes=40000"),
            ("plies=8 tc=40/60", "tc=40/60 depth=8"),
            ("tc=1+0.01 st=1 nodes=5 depth=3", "tc=1+0.01 st=1 nodes=5 depth=3"),
            ("", "tc=inf"),
        ] {
            let limits: Limits = text.parse().unwrap();
            assert_eq!(limits.to_string(), written);
            assert_eq!(limits.to_string().parse(), Ok(limits));
        }
    }

    #[test]
    fn time_is_scaled_and_nothing_else() {
        for (text, factor, scaled) in [
            ("tc=40/10+0.1 nodes=500", 1.5, "tc=40/15+0.15 nodes=500"),
            ("st=1 depth=3", 0.25, "st=0.25 depth=3"),
            ("nodes=7", 3.0, "nodes=7"),
        ] {
            let limits: Limits = text.parse().unwrap();
            assert_eq!(limits.scaled(factor).to_string(), scaled);
        }
    }

    #[test]
    fn errors_name_the_key_and_the_way_out() {
        let error = |text: &str| text.parse::<Limits>().unwrap_err().to_string();
        assert_eq!(error("tc=banana"), "tc=banana: must be [moves/][minutes:]seconds[+increment] or inf");
        assert_eq!(error("st=0"), "st=0: must be seconds a move");
        assert_eq!(error("nodes=-1"), "nodes=-1: must be a number of nodes");
        assert_eq!(error("depth=5000000000"), "depth=5000000000: must be a number of plies");
        assert_eq!(error("node=1"), "unknown limit \"node\"; did you mean \"nodes\"?");
    }
}
