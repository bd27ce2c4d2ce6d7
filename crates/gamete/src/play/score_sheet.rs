use std::path::Path;

use anyhow::Result;
use gamete_arena::Playable;
use gamete_game::{Ending, Line, Outcome, Ply, Transcript};

use super::Resumed;
use super::record::Record;

/// A game as it is written down, and saved whenever it changes.
pub struct ScoreSheet<G: Playable> {
    line: Line<G>,
    transcript: Transcript<G>,
    resumed: Option<Resumed<G>>,
    record: Option<Record>,
    unsaved: bool,
}

impl<G: Playable> ScoreSheet<G> {
    /// A game without moves.
    pub fn new(start: G) -> Self {
        let line = Line::new(start.clone());
        Self { line, transcript: Transcript::new(start), resumed: None, record: None, unsaved: false }
    }

    /// A game that goes on where a file leaves it.
    pub fn resume(resumed: Resumed<G>) -> Self {
        let mut line = Line::new(resumed.game.start.clone());
        for ply in &resumed.game.plies {
            line.play(ply.mv);
        }
        let transcript = resumed.game.clone();
        Self { line, transcript, resumed: Some(resumed), record: None, unsaved: false }
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

    /// Puts a sheet for another game from the same start on top, saved behind this one.
    pub fn start_next(&mut self) {
        let mut record = self.record.take();
        if let Some(record) = &mut record {
            record.start_next();
        }
        *self = Self { record, ..Self::new(self.line.start().clone()) };
    }

    /// Says who plays and how long they think, leaving alone what a file says already.
    pub fn set_tags(&mut self, white: &str, black: &str, time_control: String) {
        let always = [("Event", "Gamete game"), ("White", white), ("Black", black)];
        let now = [("Date", gamete_arena::today()), ("Round", "-".to_owned()), ("TimeControl", time_control)];
        let now = now.into_iter().filter(|_| self.resumed.is_none());
        for (name, value) in always.map(|(name, value)| (name, value.to_owned())).into_iter().chain(now) {
            if self.transcript.tags.get(name).is_none_or(|old| old == "?") {
                self.transcript.tags.set(name, value);
            }
        }
    }

    /// The position and how it came about.
    pub fn line(&self) -> &Line<G> {
        &self.line
    }

    /// How many moves both sides have made since the game was started or resumed.
    pub fn new_plies(&self) -> usize {
        let old = self.resumed.as_ref().map_or(0, |resumed| resumed.game.plies.len());
        self.transcript.plies.len().saturating_sub(old)
    }

    /// The result that the file gives to a game that can go on; it is forgotten.
    pub fn take_result(&mut self) -> Option<Outcome> {
        self.transcript.outcome.take().filter(|_| self.line.ending().is_none())
    }

    /// Writes a move down, and the result if that ends the game.
    pub fn play(&mut self, ply: Ply<G>) {
        self.line.play(ply.mv);
        self.transcript.plies.push(ply);
        self.unsaved = true;
        self.look_for_end();
    }

    /// Strikes the last moves and any result out.
    pub fn undo(&mut self, plies: usize) {
        for _ in 0..plies {
            self.line.undo();
            self.transcript.plies.pop();
        }
        self.transcript.outcome = None;
        self.unsaved = true;
    }

    /// How the game has ended by its rules; writes the result down.
    pub fn look_for_end(&mut self) -> Option<Ending> {
        let ending = self.line.ending();
        if let Some(ending) = ending {
            self.transcript.outcome = Some(ending.outcome);
        }
        ending
    }

    /// Writes a result down.
    pub fn end(&mut self, outcome: Outcome) {
        self.transcript.outcome = Some(outcome);
        self.unsaved = true;
    }

    /// Saves the game if it has changed and has a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save(&mut self) -> Result<()> {
        if self.unsaved { self.save_now() } else { Ok(()) }
    }

    /// Saves the game if it has a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save_now(&mut self) -> Result<()> {
        if let Some(record) = &mut self.record {
            let ended = if self.transcript.outcome.is_some() { "normal" } else { "unterminated" };
            self.transcript.tags.set("Termination", ended);
            record.write(&self.transcript)?;
            self.unsaved = false;
        }
        Ok(())
    }

    /// The file that the game has been saved to.
    pub fn saved_to(&self) -> Option<&Path> {
        self.record.as_ref().filter(|record| record.is_written()).map(Record::path)
    }
}
