use std::path::Path;

use anyhow::Result;
use gamete_arena::{GameSession, Playable};

use super::Resumed;
use super::record::Record;

/// Where a game is saved whenever it changes.
pub struct SavedGame<G: Playable> {
    /// The game of a file that it began with.
    resumed: Option<Resumed<G>>,
    record: Option<Record>,
    /// The changes of the session that are saved.
    saved: u64,
}

impl<G: Playable> SavedGame<G> {
    /// A game without a file; one that was resumed from a file takes its own place if it is saved there.
    pub fn new(resumed: Option<Resumed<G>>) -> Self {
        Self { resumed, record: None, saved: 0 }
    }

    /// Saves the game to a file from now on.
    ///
    /// # Errors
    ///
    /// When the file is not for this game, or cannot be read or written.
    pub fn record_to(&mut self, path: &Path) -> Result<()> {
        if self.record.as_ref().is_none_or(|record| !record.is_at(path)) {
            self.record = Some(Record::open(path, self.resumed.as_ref())?);
        }
        Ok(())
    }

    /// Makes room for another game behind this one.
    pub fn start_next(&mut self, session: &GameSession<G>) {
        self.resumed = None;
        if let Some(record) = &mut self.record {
            record.start_next();
        }
        self.saved = session.changes();
    }

    /// Saves the game if it has changed and has a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save(&mut self, session: &GameSession<G>) -> Result<()> {
        if self.saved == session.changes() { Ok(()) } else { self.save_now(session) }
    }

    /// Saves the game if it has a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save_now(&mut self, session: &GameSession<G>) -> Result<()> {
        if let Some(record) = &mut self.record {
            let mut game = session.transcript().clone();
            let ended = if game.outcome.is_some() { "normal" } else { "unterminated" };
            game.tags.set("Termination", ended);
            record.write(&game)?;
            self.saved = session.changes();
        }
        Ok(())
    }

    /// The file that the game has been saved to.
    pub fn saved_to(&self) -> Option<&Path> {
        self.record.as_ref().filter(|record| record.is_written()).map(Record::path)
    }
}
