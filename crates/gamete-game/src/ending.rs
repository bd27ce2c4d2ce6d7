use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Color;

/// Who won, if anybody did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// This side won.
    Win(Color),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// The outcome seen from the other side of the board.
    pub fn flipped(self) -> Self {
        match self {
            Self::Win(color) => Self::Win(!color),
            Self::Draw => Self::Draw,
        }
    }

    /// The side that won.
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::Win(color) => Some(color),
            Self::Draw => None,
        }
    }
}

/// Why a game is over by its own rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Chess: the king is attacked and nothing helps.
    Checkmate,
    /// Chess: no legal move, but no check either.
    Stalemate,
    /// Chess: neither side can mate, however badly the other plays.
    InsufficientMaterial,
    /// Chess: fifty moves by each side without a capture or a pawn move.
    FiftyMoves,
    /// Checkers: the side to move has no move, or no piece.
    NoMoves,
    /// Checkers: forty moves by each side without a capture or a man's move.
    FortyMoves,
    /// The same position for the third time.
    Repetition,
    /// The winner has connected what the game asks for, as four in a row.
    Connection,
    /// There is no room for another piece.
    FullBoard,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::FiftyMoves => "fifty-move rule",
            Self::NoMoves => "no moves left",
            Self::FortyMoves => "forty-move rule",
            Self::Repetition => "threefold repetition",
            Self::Connection => "connection",
            Self::FullBoard => "full board",
        })
    }
}

/// The end of a game: who won, and why it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ending {
    /// Who won.
    pub outcome: Outcome,
    /// Why it is over.
    pub reason: Reason,
}

impl Ending {
    /// A win for `color`.
    pub const fn win(color: Color, reason: Reason) -> Self {
        Self { outcome: Outcome::Win(color), reason }
    }

    /// A draw.
    pub const fn draw(reason: Reason) -> Self {
        Self { outcome: Outcome::Draw, reason }
    }
}
