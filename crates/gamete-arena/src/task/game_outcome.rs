use gamete_game::{Outcome, Thought};
use serde::{Deserialize, Serialize};

use super::MoveDetail;
use crate::Termination;

/// A game that was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameOutcome {
    /// The moves of the players, those of the book left out, in the notation of game scores.
    pub moves: Vec<String>,
    /// What the players said of them, where they said anything.
    #[serde(with = "as_text")]
    pub thoughts: Vec<Option<Thought>>,
    /// What else is known of them, if it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<MoveDetail>,
    /// Why the game is over.
    pub termination: Termination,
    /// What a player did that ended the game, in words, if it was no part of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// When it was played, in games that the clock has a part in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// When a game was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Its start, in seconds since 1970.
    pub started: u64,
    /// How long it took.
    pub milliseconds: u64,
    /// Thousandths of the time that was asked for, where clocks are scaled by the speed of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_scale: Option<u32>,
}

impl GameOutcome {
    /// Who won; nothing for a game that was broken off.
    pub fn outcome(&self) -> Option<Outcome> {
        self.termination.outcome()
    }
}

/// Thoughts as the comments of game files have them.
mod as_text {
    use gamete_game::Thought;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(thoughts: &[Option<Thought>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(thoughts.iter().map(|thought| thought.map(|thought| thought.to_string())))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Option<Thought>>, D::Error> {
        let texts = Vec::<Option<String>>::deserialize(deserializer)?;
        let parse = |text: String| text.parse().map_err(D::Error::custom);
        texts.into_iter().map(|text| text.map(parse).transpose()).collect()
    }
}
