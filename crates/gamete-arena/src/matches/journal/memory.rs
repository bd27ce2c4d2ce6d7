use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use super::{JournalError, JournalGame, MatchHead, MatchJournal, Written};
use crate::OpeningText;
use crate::task::{GameOutcome, GameTask};

/// A journal that is gone with the process: for tests, and for matches that nobody resumes.
#[derive(Debug, Default)]
pub struct MemoryJournal {
    head: RefCell<Option<MatchHead>>,
    games: RefCell<BTreeMap<u64, JournalGame>>,
    settings: RefCell<BTreeMap<String, String>>,
    written: RefCell<BTreeMap<(String, u64), Written>>,
}

impl MemoryJournal {
    /// Says that a game is of another task.
    #[cfg(test)]
    pub(crate) fn set_task(&self, number: u64, task: i64) {
        self.games.borrow_mut().get_mut(&number).expect("a game").task = Some(task);
    }

    /// Forgets everything but that game files may have its games.
    pub fn clear(&self) {
        let lost = self.has_lost_places() || !self.written.borrow().is_empty();
        *self.head.borrow_mut() = None;
        self.games.borrow_mut().clear();
        self.written.borrow_mut().clear();
        self.settings.borrow_mut().clear();
        if lost {
            self.settings.borrow_mut().insert(LOST_PLACES.to_owned(), "yes".to_owned());
        }
    }
}

const LOST_PLACES: &str = "lost_places";

impl MatchJournal for MemoryJournal {
    fn path(&self) -> &Path {
        Path::new("memory")
    }

    fn head(&self) -> Result<Option<MatchHead>, JournalError> {
        Ok(self.head.borrow().clone())
    }

    fn set_head(&self, head: &MatchHead) -> Result<(), JournalError> {
        *self.head.borrow_mut() = Some(head.clone());
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.games.borrow().is_empty()
    }

    fn games(&self, read: &mut dyn FnMut(JournalGame)) -> Result<(), JournalError> {
        self.games.borrow().values().cloned().for_each(read);
        Ok(())
    }

    fn record(&self, games: &[(u64, &GameTask, &GameOutcome)]) -> Result<(), JournalError> {
        let mut known = self.games.borrow_mut();
        for &(number, task, outcome) in games {
            known.entry(number).or_insert_with(|| JournalGame {
                number,
                task: Some(task.journal_key()),
                opening: Some(OpeningText { start: task.start.clone(), book: task.book.clone() }),
                outcome: outcome.clone(),
            });
        }
        Ok(())
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.settings.borrow().get(name).cloned()
    }

    fn set(&self, name: &str, value: &str) -> Result<(), JournalError> {
        self.settings.borrow_mut().insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn written(&self, file: &str) -> Result<BTreeMap<u64, Written>, JournalError> {
        let all = self.written.borrow();
        let own = all.iter().filter(|((its_file, _), _)| its_file == file);
        Ok(own.map(|((_, number), written)| (*number, *written)).collect())
    }

    fn set_written(&self, file: &str, records: &[(u64, Written)]) -> Result<(), JournalError> {
        let records = records.iter().map(|&(number, written)| ((file.to_owned(), number), written));
        self.written.borrow_mut().extend(records);
        Ok(())
    }

    fn has_lost_places(&self) -> bool {
        self.settings.borrow().contains_key(LOST_PLACES)
    }
}
