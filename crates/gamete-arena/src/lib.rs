//! Players, and what puts them to work.
//!
//! A [`Player`] is a model with its weights and a search with its settings, read from a file; an [`Engine`] is a
//! player at the board. A game starts from an [`Opening`] of a [`Book`], and an [`Adjudicator`] says when it is over,
//! with a [`Termination`]. A [`GameTask`] says what is to be played, an [`Executor`] has it played, and the
//! [`GameOutcome`] goes to the [`MatchJournal`] of a [`MatchRunner`]. This crate is the only place that asks which game it is.

#[macro_use]
pub mod games;

mod adjudication;
mod bench;
mod date;
mod engine;
mod executor;
pub mod files;
mod game_clock;
mod grouped;
mod limits;
mod matches;
mod models;
mod nearest;
mod notation;
mod openings;
mod player;
mod session;
mod signature;
mod suite;
mod task;
mod termination;
mod time_control;
pub mod uci;

pub use adjudication::{
    Adjudication, Adjudicator, AtMaxMoves, DrawRule, MoveCap, ResignRule, RuleError, Tablebase,
    TablebaseDecides, TablebaseError, TablebaseRule, TablebaseValue, Verdict, VerdictReason,
};
pub use bench::{BenchReport, BenchRow, bench, speed};
pub(crate) use date::today;
pub use date::{date, now};
pub use engine::{Engine, Evaluation, Extras, NotatedText, Playable, ProgramSeat, TablebaseProbe, WrongGame};
pub use executor::{
    Executor, Fake, InOrder, Listener, Local, LocalOptions, OutcomeReceipt, STACK_BYTES, submit_all,
    submit_all_placed,
};
pub use game_clock::{GameClock, Overrun};
pub use games::{GameName, OpeningListName, UnknownGame};
pub use gamete_optim::Rng;
pub use grouped::grouped;
pub use limits::{Limits, LimitsError};
pub use matches::{
    CountedEncounter, CountedGame, Encounter, EncounterGames, Faults, GameFile, GameFileContent,
    GameFileError, GameFiles, GameLabels, GameRecords, Identity, IdentityError, JournalError, JournalGame,
    MatchControl, MatchEnd, MatchError, MatchEvent, MatchFailure, MatchHead, MatchJournal, MatchObserver,
    MatchPlan, MatchProgress, MatchRules, MatchRunner, MatchTally, MatchTerms, MemoryJournal, OpeningPolicy,
    Program, ProgramWatch, QuickTournament, Ranking, RecordStyle, Schedule, SprtTerms, Standings, Tournament,
    Written, claim, conditions, expected_games, final_fen, is_stream, quick_tournament, styled_transcript,
    transcript,
};
pub use models::{ModelInfo, UnknownModel};
pub use nearest::{nearest, suggest};
pub use notation::Notation;
pub use openings::{
    Book, BookError, BookErrorKind, BookPlace, MAX_RANDOM_PLIES, Opening, OpeningOrder, OpeningSource,
    OpeningText, OpeningWarning, Openings, PositionReader, RANDOM_PLIES, RandomOpenings, StartPositions,
};
pub use player::{Noise, Player, PlayerError};
pub use session::{
    Adviser, ComputerError, ComputerMove, DrawAnswer, GameEnd, GameSession, Hint, LegalMoves, MoveRefusal,
    SessionOptions, SessionSeat, TakenBack, WrongSeat, line_text,
};
pub use signature::{first_signature, first_tanh_signature, is_first_signature, signature};
pub use suite::{OnPosition, Suite, SuiteError, SuitePosition, SuiteReader};
pub use task::{
    Competitor, Contestant, ExpertMove, ExpertOutcome, ExpertTask, GameOutcome, GameTask, MoveDetail,
    NamedEngine, PlayerSeat, Puzzle, Reply, ScoreOutcome, ScoreTask, ScoredPosition, Seat, SeatFault,
    Solution, SolveOutcome, SolveTask, Task, TaskError, TaskKey, TaskOutcome, Timing, Workspace,
    WorkspaceOptions, play,
};
pub use termination::Termination;
pub use time_control::{ParseTimeControlError, TimeControl};
