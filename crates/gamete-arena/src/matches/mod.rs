//! Matches of many games: their order, the runner, their journal, and the records of their games.

mod control;
mod encounter_games;
mod error;
mod event;
mod game_file;
mod game_files;
mod identity;
mod journal;
mod listener;
mod plan;
mod quick_tournament;
mod record;
mod record_style;
mod rules;
mod runner;
#[cfg(test)]
mod runner_tests;
mod schedule;
mod standings;
mod tally;
mod terms;

pub use control::MatchControl;
pub use encounter_games::EncounterGames;
pub use error::{MatchError, MatchFailure};
pub use event::{CountedEncounter, CountedGame, MatchEvent, MatchObserver, MatchProgress};
pub use game_file::{GameFile, GameFileContent, GameFileError, is_stream};
pub use game_files::{GameFiles, GameRecords};
pub use identity::{Identity, IdentityError, Program, ProgramWatch};
pub use journal::{JournalError, JournalGame, MatchHead, MatchJournal, MemoryJournal, Written, claim};
pub use plan::{MatchPlan, OpeningPolicy};
pub use quick_tournament::{QuickTournament, Ranking, expected_games, quick_tournament};
pub use record::{GameLabels, final_fen, styled_transcript, transcript};
pub use record_style::RecordStyle;
pub use rules::MatchRules;
pub use runner::{MatchEnd, MatchRunner};
pub use schedule::{Encounter, Schedule, Tournament};
pub use standings::{Faults, Standings};
pub use tally::MatchTally;
pub use terms::{MatchTerms, SprtTerms};
