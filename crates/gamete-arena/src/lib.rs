//! Players, and what puts them to work.
//!
//! A [`Player`] is a model with its weights and a search with its settings, read from a file; an [`Engine`] is a
//! player at the board. A game starts from an [`Opening`] of a [`Book`], and an [`Adjudicator`] says when it is over,
//! with a [`Termination`]. This crate is the only place that asks which game it is.

mod adjudication;
mod bench;
mod catalog;
mod engine;
pub mod files;
mod game_clock;
mod game_name;
mod limits;
mod material;
mod nearest;
mod openings;
mod player;
mod rng;
mod termination;
mod time_control;
pub mod uci;

pub use adjudication::{Adjudication, Adjudicator, AtMaxMoves, DrawRule, ResignRule, Verdict, VerdictReason};
pub use bench::{BenchReport, BenchRow, bench};
pub use catalog::{ModelInfo, UnknownModel};
pub use engine::{Engine, Evaluation, Playable, WrongGame};
pub use game_clock::{GameClock, Overrun};
pub use game_name::{GameName, UnknownGame};
pub use limits::{Limits, LimitsError};
pub use material::StandardMaterial;
pub use nearest::nearest;
pub use openings::{
    Book, BookError, BookErrorKind, BookPlace, HasBooks, Opening, OpeningOrder, OpeningWarning, Openings,
};
pub use player::{Noise, Player, PlayerError};
pub use rng::Rng;
pub use termination::Termination;
pub use time_control::{ParseTimeControlError, TimeControl};
