//! Matches of many games: their order, the runner, their journal, and the records of their games.

mod control;
mod error;
mod event;
mod game_file;
mod game_files;
mod identity;
mod journal;
mod listener;
mod old_journal;
mod plan;
mod quick_tournament;
mod record;
mod record_style;
mod runner;
#[cfg(test)]
mod runner_tests;
mod schedule;
mod standings;

pub use control::MatchControl;
pub use error::{MatchError, MatchFailure};
pub use event::{CountedEncounter, CountedGame, MatchEvent, MatchObserver, MatchProgress};
pub use game_file::{GameFile, GameFileContent, GameFileError, is_stream};
pub use game_files::{GameFiles, GameRecords};
pub use identity::{Identity, IdentityError, Program, ProgramWatch};
pub use journal::{JournalError, JournalGame, MatchHead, MatchJournal, MemoryJournal, Written, claim};
pub use old_journal::Journal;
pub use plan::{MatchPlan, OpeningPolicy};
pub use quick_tournament::{QuickTournament, Ranking, expected_games, quick_tournament};
pub use record::{GameLabels, final_fen, styled_transcript, transcript};
pub use record_style::RecordStyle;
pub use runner::{MatchEnd, MatchRunner};
pub use schedule::{Encounter, Schedule, Tournament};
pub use standings::{Faults, Standings};
