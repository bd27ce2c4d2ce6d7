use std::fmt;
use std::str::FromStr;

use gamete_game::Game;
use serde::{Deserialize, Serialize};

/// The games that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameName {
    /// Chess and Chess960.
    Chess,
    /// English checkers.
    Checkers,
}

impl GameName {
    /// All games.
    pub const ALL: [Self; 2] = [Self::Chess, Self::Checkers];

    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chess => gamete_chess::Position::NAME,
            Self::Checkers => gamete_checkers::Position::NAME,
        }
    }

    /// The game whose positions are written like `fen`; chess if nothing tells.
    pub fn of_fen(fen: Option<&str>) -> Self {
        match fen {
            Some(fen) if fen.contains(':') && !fen.contains('/') => Self::Checkers,
            _ => Self::Chess,
        }
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// There is no such game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown game {0:?}; there are chess and checkers")]
pub struct UnknownGame(pub String);

impl FromStr for GameName {
    type Err = UnknownGame;

    fn from_str(name: &str) -> Result<Self, UnknownGame> {
        Self::ALL.into_iter().find(|game| game.as_str() == name).ok_or_else(|| UnknownGame(name.to_owned()))
    }
}
