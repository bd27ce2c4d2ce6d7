//! Tasks as plain data, games above all: what is to be done, the doing of it, and the record of it.

mod contestant;
mod executor;
mod expert_task;
mod game_outcome;
mod game_task;
mod journal;
mod move_detail;
mod play;
mod positions;
mod quick_tournament;
mod record;
mod record_style;
mod schedule;
mod seat;
mod solve_task;
mod study;
mod task;
mod workspace;

pub use contestant::{Competitor, Contestant};
pub use executor::{InOrder, News, STACK_BYTES, Worker, execute};
pub use expert_task::{ExpertMove, ExpertOutcome, ExpertTask};
pub use game_outcome::{GameOutcome, Timing};
pub use game_task::{GameTask, TaskError};
pub use journal::{Journal, JournalError, Written};
pub use move_detail::MoveDetail;
pub use play::{play, play_detailed};
pub use positions::positions;
pub use quick_tournament::{QuickTournament, Ranking, expected_games, quick_tournament};
pub use record::{GameLabels, final_fen, styled_transcript, transcript};
pub use record_style::RecordStyle;
pub use schedule::{Encounter, Schedule, Tournament};
pub use seat::{PlayerSeat, Reply, Seat, SeatFault};
pub use solve_task::{Puzzle, Solution, SolveOutcome, SolveTask};
pub use task::{Task, TaskOutcome, run, run_all};
pub use workspace::Workspace;
