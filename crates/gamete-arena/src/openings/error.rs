use std::fmt;
use std::io;

use gamete_game::{ReadErrorKind, Reason};

use crate::GameName;
use crate::files::{FileError, FileFormat};

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Neither the name of the file nor anybody else says what it is.
    #[error("{0}: cannot tell the format from the name; say pgn, epd or pdn")]
    UnknownFormat(String),
    /// Files of this format have openings of another game.
    #[error("{name}: {format} files have no openings of {game}")]
    WrongGame {
        /// The file.
        name: String,
        /// What it is.
        format: FileFormat,
        /// What is to be played.
        game: GameName,
    },
    /// There is nothing in it.
    #[error("{0}: no openings in it")]
    Empty(String),
    /// There is more in it than fits the memory it may take.
    #[error("{0}: more than 1 GiB of openings; take a part of it, or games cut after fewer plies")]
    TooLarge(String),
    /// One of the openings is bad.
    #[error("{name}: {place}: {kind}")]
    Entry {
        /// The file.
        name: String,
        /// Where in the file.
        place: BookPlace,
        /// What is wrong there.
        kind: BookErrorKind,
    },
}

/// A place in a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookPlace {
    /// A line of a file of positions, from 1.
    Line(u64),
    /// A game of a file of games.
    Game {
        /// Which game, from 1.
        game: u64,
        /// Which line of the file, from 1.
        line: u64,
    },
    /// One of a list, from 1.
    Opening(usize),
}

/// What is wrong with an opening.
#[derive(Debug, thiserror::Error)]
pub enum BookErrorKind {
    /// The text cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The line is longer than any position.
    #[error("a line of more than 1 MiB")]
    LongLine,
    /// It is not a position.
    #[error("{0}")]
    Position(Box<dyn std::error::Error + Send + Sync>),
    /// It is not a game.
    #[error("{0}")]
    Game(#[from] ReadErrorKind),
    /// Nobody can play on from here.
    #[error("the game is over before it begins: {0}")]
    Over(Reason),
}

impl fmt::Display for BookPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Game { game, line } => write!(f, "game {game}, line {line}"),
            Self::Opening(number) => write!(f, "opening {number}"),
        }
    }
}
