//! Games between contestants: what is to be played as plain data, the playing of it, and the record of it.

mod contestant;
mod executor;
mod game_outcome;
mod game_task;
mod journal;
mod play;
mod quick_tournament;
mod record;
mod schedule;
mod seat;

pub use contestant::{Competitor, Contestant};
pub use executor::{InOrder, News, Worker, execute};
pub use game_outcome::{GameOutcome, Timing};
pub use game_task::{GameTask, TaskError};
pub use journal::{Journal, JournalError};
pub use play::{play, play_task};
pub use quick_tournament::{QuickTournament, Ranking, quick_tournament};
pub use record::{GameLabels, final_fen, transcript};
pub use schedule::{Encounter, Schedule, Tournament};
pub use seat::{PlayerSeat, Reply, Seat, SeatFault};
