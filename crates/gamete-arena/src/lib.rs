//! Players, and what puts them to work.
//!
//! A [`Player`] is a model with its weights and a search with its settings, read from a file; an [`Engine`] is a
//! player at the board. A game starts from an [`Opening`] of a [`Book`], and an [`Adjudicator`] says when it is over,
//! with a [`Termination`]. A [`GameTask`] says what is to be played, [`play`] plays it, and the [`GameOutcome`] goes to
//! the [`Journal`]; [`execute`] does so on all cores. This crate is the only place that asks which game it is.

mod adjudication;
mod bench;
mod catalog;
mod contest;
mod date;
mod engine;
pub mod files;
mod game_clock;
mod game_name;
mod grouped;
mod limits;
mod material;
mod nearest;
mod notation;
mod openings;
mod player;
mod termination;
mod time_control;
pub mod uci;

pub use adjudication::{
    Adjudication, Adjudicator, AtMaxMoves, DrawRule, HasTablebase, MoveCap, ResignRule, Tablebase,
    TablebaseDecides, TablebaseError, TablebaseRule, TablebaseValue, Verdict, VerdictReason,
};
pub use bench::{BenchReport, BenchRow, bench};
pub use catalog::{ModelInfo, UnknownModel};
pub use contest::{
    Competitor, Contestant, Encounter, ExpertMove, ExpertOutcome, ExpertTask, GameLabels, GameOutcome,
    GameTask, InOrder, Journal, JournalError, MoveDetail, News, PlayerSeat, Puzzle, QuickTournament, Ranking,
    RecordStyle, Reply, STACK_BYTES, Schedule, Seat, SeatFault, Solution, SolveOutcome, SolveTask, Task,
    TaskError, TaskOutcome, Timing, Tournament, Worker, Workspace, Written, execute, expected_games,
    final_fen, play, play_detailed, positions, quick_tournament, run, run_all, styled_transcript, transcript,
};
pub use date::{date, today};
pub use engine::{Engine, Evaluation, Playable, WrongGame};
pub use game_clock::{GameClock, Overrun};
pub use game_name::{GameName, UnknownGame};
pub use gamete_optim::Rng;
pub use grouped::grouped;
pub use limits::{Limits, LimitsError};
pub use material::StandardMaterial;
pub use nearest::{nearest, suggest};
pub use notation::Notation;
pub use openings::{
    Book, BookError, BookErrorKind, BookPlace, HasBooks, Opening, OpeningOrder, OpeningSource, OpeningText,
    OpeningWarning, Openings, RandomOpenings,
};
pub use player::{Noise, Player, PlayerError};
pub use termination::Termination;
pub use time_control::{ParseTimeControlError, TimeControl};
