//! What board games share.
//!
//! A game is a type of position that implements [`Game`]; everything that plays, searches or counts is generic
//! over it and monomorphised. Games written in files, whatever the game, are [`Transcript`]s: a
//! [`TranscriptReader`] streams them and a [`TranscriptWriter`] writes them, both told by a [`Format`]
//! how the game at hand spells its positions, moves and results.

mod color;
mod ending;
mod game;
mod line;
mod model;
mod parameter;
mod perft;
mod score;
mod tactics;
mod thought;
mod transcript;

pub use color::{ByColor, Color};
pub use ending::{Ending, Outcome, Reason};
pub use game::{Game, MoveError};
pub use line::Line;
pub use model::{Contribution, Evaluator, Features, Linear, Model, Terms};
pub use parameter::{Kind, Parameter};
pub use perft::{divide, perft, perft_while, tree_size};
pub use score::{Score, ScoreKind};
pub use tactics::{MoveCode, PieceValues, Tactics};
pub use thought::{ParseThoughtError, Thought};
pub use transcript::{
    Format, Ply, ReadError, ReadErrorKind, Tags, Transcript, TranscriptReader, TranscriptWriter,
};
