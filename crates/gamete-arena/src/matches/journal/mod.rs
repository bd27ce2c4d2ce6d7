//! What a match needs of whoever keeps its games.

mod claim;
mod difference;
mod error;
mod memory;
mod written;

use std::collections::BTreeMap;
use std::path::Path;

use crate::OpeningText;
use crate::task::{GameOutcome, GameTask};

pub use claim::claim;
pub use error::JournalError;
pub use memory::MemoryJournal;
pub use written::Written;

/// The games of a match that are over, and what else it has to remember to be resumed.
///
/// Games are written before they are counted, all of an encounter at once. Game files and statistics are made from what is in
/// here.
pub trait MatchJournal {
    /// Where it is.
    fn path(&self) -> &Path;

    /// What the match is; nothing before it has begun.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is damaged.
    fn head(&self) -> Result<Option<MatchHead>, JournalError>;

    /// Remembers what the match is.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn set_head(&self, head: &MatchHead) -> Result<(), JournalError>;

    /// Whether there is no game.
    fn is_empty(&self) -> bool;

    /// Calls `read` with every game, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// When they cannot be read, or are damaged.
    fn games(&self, read: &mut dyn FnMut(JournalGame)) -> Result<(), JournalError>;

    /// Writes games down by their numbers, from 0, all or none. What is there already stays as it is.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    fn record(&self, games: &[(u64, &GameTask, &GameOutcome)]) -> Result<(), JournalError>;

    /// A setting by its name.
    fn setting(&self, name: &str) -> Option<String>;

    /// Remembers a setting.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn set(&self, name: &str, value: &str) -> Result<(), JournalError>;

    /// Which encounters stand where in a file.
    ///
    /// # Errors
    ///
    /// When they cannot be read, or are damaged.
    fn written(&self, file: &str) -> Result<BTreeMap<u64, Written>, JournalError>;

    /// Remembers where encounters are about to stand in a file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn set_written(&self, file: &str, records: &[(u64, Written)]) -> Result<(), JournalError>;

    /// Whether game files have games of this match that it does not know the place of: those of a match that was started
    /// over, or of an earlier version.
    fn has_lost_places(&self) -> bool;
}

/// What a match is to its journal. A journal never has games of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchHead {
    /// All that was asked for and decides which games are played, as JSON.
    pub configuration: String,
    /// The [`Identity`](super::Identity) of those who play, as JSON; empty in journals that do not know it.
    pub identity: String,
    /// What all that is random comes from.
    pub seed: u64,
}

/// A game as a journal has it.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalGame {
    /// Which game of the match, from 0.
    pub number: u64,
    /// The first bytes of the key of its task, if they are known.
    pub task: Option<i64>,
    /// Where it started, if that is known.
    pub opening: Option<OpeningText>,
    /// What came of it.
    pub outcome: GameOutcome,
}
