//! What board games share.
//!
//! A game is a type of position that implements [`Game`]; everything that plays, searches or counts is generic
//! over it and monomorphised. Games written in files, whatever the game, are [`Transcript`]s: a
//! [`TranscriptReader`] streams them and a [`TranscriptWriter`] writes them, both told by a [`Format`]
//! how the game at hand spells its positions, moves and results.

mod board_game;
mod color;
mod diagram;
mod ending;
mod game;
mod line;
mod model;
mod model_list;
mod move_kind;
mod noisy;
mod parameter;
mod perft;
mod score;
mod split_mix;
mod tactics;
mod thought;
mod transcript;

pub use board_game::{BenchPlayer, BoardGame, OpeningList, TechniqueBench};
pub use color::{ByColor, Color};
pub use diagram::{Diagram, DiagramPiece, DiagramSquare};
pub use ending::{Ending, Outcome, Reason};
pub use game::{Game, MoveError};
pub use line::Line;
pub use model::{Contribution, Evaluator, Features, Linear, Model, Terms, whole_weights};
pub use model_list::{ModelFacts, ModelList, ModelVisitor};
pub use move_kind::MoveKind;
pub use noisy::Noisy;
pub use parameter::{Kind, Parameter};
pub use perft::{divide, perft, perft_while, tree_size};
pub use score::{Score, ScoreKind};
pub use split_mix::split_mix;
pub use tactics::{MoveCode, PieceValues, Tactics};
pub use thought::{ParseThoughtError, Thought};
pub use transcript::{
    Format, Ply, ReadError, ReadErrorKind, TaggedText, Tags, Transcript, TranscriptReader, TranscriptWriter,
    result_text,
};
