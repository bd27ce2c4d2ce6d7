//! Matches of many games: their order, their journal, and the records of their games.

mod journal;
mod quick_tournament;
mod record;
mod record_style;
mod schedule;

pub use journal::{Journal, JournalError, Written};
pub use quick_tournament::{QuickTournament, Ranking, expected_games, quick_tournament};
pub use record::{GameLabels, final_fen, styled_transcript, transcript};
pub use record_style::RecordStyle;
pub use schedule::{Encounter, Schedule, Tournament};
