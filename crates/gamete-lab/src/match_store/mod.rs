//! The journal of a match: a store with one experiment, whose outcomes are its games.
//!
//! Everything that decides the match has a checksum, and so has the number of games, so that a journal that was damaged is
//! refused instead of making another match.

mod open;
mod reading;
mod removal;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gamete_arena::{GameOutcome, GameTask, JournalError, JournalGame, MatchHead, MatchJournal, Written};
use rusqlite::{Connection, params};

use crate::store::Total;
use crate::store::matches::{self, LOST_PLACES, MATCH};

pub use reading::StoredMatch;

/// How often the running time is stored.
const CLOCK_TICK: Duration = Duration::from_secs(1);

/// The journal of a match in a file that survives anything, for as long as the match is played.
pub struct MatchStore {
    path: PathBuf,
    connection: Connection,
    run: i64,
    settings: RefCell<BTreeMap<String, String>>,
    total: Cell<Total>,
    clock: Clock,
    /// Keeps other processes from playing the same match. It goes after the connection, as closing a file takes the locks of
    /// SQLite from it.
    _claim: File,
}

/// How long a match has run.
struct Clock {
    started: Instant,
    /// Seconds of earlier runs of the program.
    before: f64,
    stored: Cell<Instant>,
    /// Whether games were recorded. A match that is only looked at, or refused, does not run.
    has_played: Cell<bool>,
}

impl MatchStore {
    fn error<T>(&self, result: rusqlite::Result<T>) -> Result<T, JournalError> {
        result.map_err(|source| error(&self.path, source))
    }

    fn in_transaction<T>(&self, work: impl FnOnce() -> rusqlite::Result<T>) -> Result<T, JournalError> {
        self.error(self.connection.unchecked_transaction().and_then(|transaction| {
            let done = work()?;
            transaction.commit()?;
            Ok(done)
        }))
    }

    /// Writes down how long the match has run, now and then.
    fn keep_time(&self) -> rusqlite::Result<()> {
        if self.clock.stored.get().elapsed() < CLOCK_TICK {
            return Ok(());
        }
        self.clock.stored.set(Instant::now());
        self.set_seconds()
    }

    fn set_seconds(&self) -> rusqlite::Result<()> {
        let seconds = self.clock.before + self.clock.started.elapsed().as_secs_f64();
        let update = "UPDATE experiment SET seconds = max(seconds, ?2) WHERE id = ?1";
        self.connection.prepare_cached(update)?.execute(params![MATCH, seconds]).map(drop)
    }
}

impl Drop for MatchStore {
    fn drop(&mut self) {
        if self.clock.has_played.get() {
            // Nobody can be told any more, and it is only time.
            let _ = self.set_seconds();
        }
    }
}

impl MatchJournal for MatchStore {
    fn path(&self) -> &Path {
        &self.path
    }

    fn head(&self) -> Result<Option<MatchHead>, JournalError> {
        let row = self.error(matches::match_row(&self.connection))?;
        let head = MatchHead { configuration: row.file, identity: row.signature, seed: row.seed };
        Ok(Some(head).filter(|head| !head.configuration.is_empty()))
    }

    fn set_head(&self, head: &MatchHead) -> Result<(), JournalError> {
        let mut row = self.error(matches::match_row(&self.connection))?;
        row.file.clone_from(&head.configuration);
        row.signature.clone_from(&head.identity);
        row.seed = head.seed;
        self.error(matches::update_match(&self.connection, &row))
    }

    fn is_empty(&self) -> bool {
        self.total.get().count == 0
    }

    fn games(&self, read: &mut dyn FnMut(JournalGame)) -> Result<(), JournalError> {
        self.error(matches::read_games(&self.connection, self.run, self.total.get(), read))
    }

    fn record(&self, games: &[(u64, &GameTask, &GameOutcome)]) -> Result<(), JournalError> {
        let total = self.in_transaction(|| {
            let games = games.iter().map(|&(number, task, outcome)| (number, Some(task), outcome));
            let total = matches::insert_games(&self.connection, self.run, self.total.get(), games)?;
            self.keep_time()?;
            Ok(total)
        })?;
        self.total.set(total);
        self.clock.has_played.set(true);
        Ok(())
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.settings.borrow().get(name).cloned()
    }

    fn set(&self, name: &str, value: &str) -> Result<(), JournalError> {
        self.error(matches::insert_setting(&self.connection, name, value))?;
        self.settings.borrow_mut().insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn written(&self, file: &str) -> Result<BTreeMap<u64, Written>, JournalError> {
        // All of them are read: a row of this file may have been damaged to look like one of another.
        let all = self.error(matches::read_written(&self.connection, "written"))?;
        let own = all.into_iter().filter(|((its_file, _), _)| its_file == file);
        Ok(own.map(|((_, number), written)| (number, written)).collect())
    }

    fn set_written(&self, file: &str, records: &[(u64, Written)]) -> Result<(), JournalError> {
        self.in_transaction(|| matches::insert_written(&self.connection, file, records))
    }

    fn has_lost_places(&self) -> bool {
        // The last two are of journals before places were remembered.
        [LOST_PLACES, "pgn", "epd"].iter().any(|name| self.settings.borrow().contains_key(*name))
    }
}

/// What an error of SQLite means for a journal.
fn error(path: &Path, source: rusqlite::Error) -> JournalError {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DatabaseLocked, NotADatabase, Unknown};
    let path = path.display().to_string();
    match source.sqlite_error_code() {
        Some(DatabaseBusy | DatabaseLocked) => JournalError::Busy { path },
        Some(NotADatabase) => JournalError::NoJournal { path },
        // Without a code it is a row that does not have the types of its columns; and our statements have no mistakes.
        Some(DatabaseCorrupt | Unknown) | None => JournalError::Damaged { path, place: source.to_string() },
        Some(_) => JournalError::Store { path, source: source.into() },
    }
}
