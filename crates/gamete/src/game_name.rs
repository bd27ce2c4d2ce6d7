use clap::ValueEnum;

/// The games that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GameName {
    Chess,
    Checkers,
}

impl GameName {
    /// The game whose positions are written like `fen`; chess if nothing tells.
    pub fn of_fen(fen: Option<&str>) -> Self {
        match fen {
            Some(fen) if fen.contains(':') && !fen.contains('/') => Self::Checkers,
            _ => Self::Chess,
        }
    }
}
