use std::cell::{Cell, RefCell};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use gamete_arena::{JournalError, MatchJournal};
use rusqlite::Connection;

use super::{Clock, MatchStore, error};
use crate::store::matches::{self, LOST_PLACES, MATCH};
use crate::store::schema::{self, Found};
use crate::store::{FILE_NAME, VERSION};

impl MatchStore {
    /// Opens a journal, or makes a new one. That of an earlier version is brought up to date.
    ///
    /// # Errors
    ///
    /// When the file is no journal, is damaged, or another program plays the match.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        if path.is_file() && path.ends_with(FILE_NAME) {
            return Err(JournalError::NoJournal { path: path.display().to_string() });
        }
        let claim = claim(path)?;
        let connection = Connection::open(path).map_err(|source| error(path, source))?;
        let mut journal = Self {
            path: path.to_owned(),
            connection,
            run: 0,
            settings: RefCell::default(),
            total: Cell::default(),
            clock: Clock { started: Instant::now(), before: 0.0, stored: Cell::new(Instant::now()) },
            _claim: claim,
        };
        set_up(path, &journal.connection)?;
        check(path, &journal.connection)?;
        if journal.error(is_without_match(&journal.connection))? {
            journal.in_transaction(|| matches::insert_match(&journal.connection, now()))?;
            // So that the header of the file says whose it is from now on.
            journal.error(checkpoint(&journal.connection))?;
        }
        journal.load()?;
        Ok(journal)
    }

    /// Opens a journal and forgets all that it has. One that is damaged is made anew.
    ///
    /// # Errors
    ///
    /// When the file is no journal, or another program plays the match.
    pub fn open_fresh(path: &Path) -> Result<Self, JournalError> {
        match Self::open(path) {
            Ok(mut journal) => {
                journal.clear()?;
                return Ok(journal);
            }
            Err(JournalError::Damaged { .. }) if schema::has_our_header(path) => {}
            Err(error) => return Err(error),
        }
        remove(path)?;
        Self::open(path)
    }

    /// Deletes a journal, damaged or not.
    ///
    /// # Errors
    ///
    /// When the file is no journal, or another program plays the match.
    pub fn delete(path: &Path) -> Result<(), JournalError> {
        if !schema::has_our_header(path) {
            return Err(JournalError::NoJournal { path: path.display().to_string() });
        }
        let _claim = claim(path)?;
        remove(path)
    }

    fn load(&mut self) -> Result<(), JournalError> {
        let row = self.error(matches::match_row(&self.connection))?;
        self.clock.before = row.seconds;
        self.run = self.error(matches::match_run(&self.connection))?;
        let (settings, total) = self.error(matches::settings(&self.connection))?;
        self.settings = settings.into();
        self.total.set(total);
        Ok(())
    }

    /// Forgets all games and settings, but not that game files may have some of the games.
    fn clear(&mut self) -> Result<(), JournalError> {
        let lost = self.has_lost_places()
            || !self.error(matches::read_written(&self.connection, "written"))?.is_empty();
        self.in_transaction(|| {
            self.connection.execute("DELETE FROM experiment WHERE id = ?1", [MATCH])?;
            matches::insert_match(&self.connection, now())?;
            if lost { matches::insert_setting(&self.connection, LOST_PLACES, "yes") } else { Ok(()) }
        })?;
        self.clock.before = 0.0;
        self.load()
    }
}

/// Removes a journal with all that SQLite keeps beside it.
fn remove(path: &Path) -> Result<(), JournalError> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        match std::fs::remove_file(&name) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(JournalError::Remove { path: path.display().to_string(), source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Makes sure that the file is a store of this version, or makes it one if it is empty.
fn set_up(path: &Path, connection: &Connection) -> Result<(), JournalError> {
    let failed = |source| error(path, source);
    connection.pragma_update(None, "cell_size_check", true).map_err(failed)?;
    let path = path.display().to_string();
    match schema::set_up(connection).map_err(failed)? {
        Found::NotOurs => Err(JournalError::NoJournal { path }),
        Found::Lab(found) if found > VERSION => Err(JournalError::Newer { path }),
        Found::Lab(_) | Found::Match => Ok(()),
    }
}

/// Makes sure that a store is in one piece, and that of a match.
pub(super) fn check(path: &Path, connection: &Connection) -> Result<(), JournalError> {
    let failed = |source| error(path, source);
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(failed);
    if number("PRAGMA page_count")? > 1 {
        let verdict =
            connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(failed)?;
        let verdict: String = verdict;
        if verdict != "ok" {
            return Err(error(path, matches::damaged(verdict)));
        }
    }
    if schema::tables(connection).map_err(failed)? != schema::expected_tables().map_err(failed)? {
        return Err(error(path, matches::damaged("its tables are not as they were made")));
    }
    if number("SELECT count(*) FROM experiment WHERE method <> 'match'")? > 0 {
        return Err(JournalError::NoJournal { path: path.display().to_string() });
    }
    Ok(())
}

/// Whether the tables are as they are made.
fn is_without_match(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT (SELECT count(*) FROM experiment) + (SELECT count(*) FROM run) + (SELECT count(*) FROM outcome) \
               + (SELECT count(*) FROM setting) + (SELECT count(*) FROM written)";
    connection.query_row(sql, [], |row| Ok(row.get::<_, i64>(0)? == 0))
}

fn checkpoint(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Locks the file itself, so that two processes never play one match.
fn claim(path: &Path) -> Result<File, JournalError> {
    let failed = |source: io::Error| {
        let path = path.display().to_string();
        JournalError::Store { path, source: source.into() }
    };
    let file = File::options().read(true).append(true).create(true).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy { path: path.display().to_string() }),
        // There are file systems without locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
