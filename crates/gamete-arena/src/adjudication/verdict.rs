use std::fmt;

use gamete_game::Outcome;
use serde::{Deserialize, Serialize};

/// The decision of a game that is not played to its end.
///
/// Displayed in the words of fastchess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Verdict {
    /// Who won.
    pub outcome: Outcome,
    /// What decided.
    pub reason: VerdictReason,
}

/// What decided a game that is not played to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictReason {
    /// The players' own scores.
    Scores,
    /// The game was too long.
    MaxMoves,
    /// The game was too long, and one side had more pieces, or none had.
    Material,
    /// An endgame tablebase.
    Tablebase,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome {
            Outcome::Win(winner) => write!(f, "{winner} wins by adjudication")?,
            Outcome::Draw => f.write_str("Draw by adjudication")?,
        }
        f.write_str(match self.reason {
            VerdictReason::Scores | VerdictReason::MaxMoves => "",
            VerdictReason::Material => ": material",
            VerdictReason::Tablebase => ": SyzygyTB",
        })
    }
}
