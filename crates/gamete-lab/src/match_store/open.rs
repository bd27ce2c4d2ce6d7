use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

use gamete_arena::{JournalError, MatchJournal, files, now};
use rusqlite::Connection;

use super::removal::{check_is_match, remove};
use super::{Clock, MatchStore, error};
use crate::store::matches::{self, LOST_PLACES, MATCH};
use crate::store::schema::{self, Found};
use crate::store::{FILE_NAME, Total, VERSION};

/// A journal that is in order, with what is known of it while it is open.
struct Opened {
    connection: Connection,
    run: i64,
    seconds: f64,
    settings: BTreeMap<String, String>,
    total: Total,
}

impl MatchStore {
    /// Opens a journal, or makes a new one. That of an earlier version is brought up to date.
    ///
    /// # Errors
    ///
    /// When the file is no journal, is damaged, or another program plays the match.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let claim = claim(path)?;
        Ok(Self::new(path, Opened::open(path)?, claim))
    }

    /// Opens a journal and forgets all that it has. One that is damaged is made anew.
    ///
    /// # Errors
    ///
    /// When the file is no journal, another program plays the match, or it is so damaged that it may be a lab.
    pub fn open_fresh(path: &Path) -> Result<Self, JournalError> {
        let held = claim(path)?;
        match Opened::open(path) {
            Ok(opened) => {
                let mut journal = Self::new(path, opened, held);
                journal.clear()?;
                return Ok(journal);
            }
            Err(JournalError::Damaged { .. }) => check_is_match(path)?,
            Err(error) => return Err(error),
        }
        remove(path)?;
        drop(held);
        let journal = Self::open(path)?;
        // Nobody knows any more which games stand in which files.
        journal.set(LOST_PLACES, "yes")?;
        Ok(journal)
    }

    fn new(path: &Path, opened: Opened, claim: File) -> Self {
        let Opened { connection, run, seconds, settings, total } = opened;
        Self {
            path: path.to_owned(),
            connection,
            run,
            settings: settings.into(),
            total: total.into(),
            clock: Clock {
                started: Instant::now(),
                before: seconds,
                stored: Cell::new(Instant::now()),
                has_played: Cell::new(false),
            },
            _claim: claim,
        }
    }

    /// Forgets all games and settings, but not that game files may have some of the games.
    fn clear(&mut self) -> Result<(), JournalError> {
        let has_written = "SELECT count(*) > 0 FROM written";
        let has_written = self.connection.query_row(has_written, [], |row| row.get(0));
        let lost = self.has_lost_places() || self.error(has_written)?;
        self.in_transaction(|| {
            self.connection.execute("DELETE FROM experiment WHERE id = ?1", [MATCH])?;
            matches::insert_match(&self.connection, now())?;
            if lost { matches::insert_setting(&self.connection, LOST_PLACES, "yes") } else { Ok(()) }
        })?;
        self.run = self.error(matches::match_run(&self.connection))?;
        let (settings, total) = self.error(matches::settings(&self.connection))?;
        self.settings = settings.into();
        self.total.set(total);
        self.clock.before = 0.0;
        Ok(())
    }
}

impl Opened {
    fn open(path: &Path) -> Result<Self, JournalError> {
        let failed = |source| error(path, source);
        let connection = Connection::open(path).map_err(failed)?;
        set_up(path, &connection)?;
        check(path, &connection)?;
        Self::load(connection).map_err(failed)
    }

    /// Reads what is there, after the rows of a match that has not begun are made where there is none.
    fn load(connection: Connection) -> rusqlite::Result<Self> {
        if is_without_match(&connection)? {
            let transaction = connection.unchecked_transaction()?;
            matches::insert_match(&transaction, now())?;
            transaction.commit()?;
            // So that the header of the file says whose it is from now on.
            checkpoint(&connection)?;
        }
        let seconds = matches::match_row(&connection)?.seconds;
        let run = matches::match_run(&connection)?;
        let (settings, total) = matches::settings(&connection)?;
        Ok(Self { connection, run, seconds, settings, total })
    }
}

/// Makes sure that the file is a store of this version, or makes it one if it is empty.
fn set_up(path: &Path, connection: &Connection) -> Result<(), JournalError> {
    let failed = |source| error(path, source);
    connection.pragma_update(None, "cell_size_check", true).map_err(failed)?;
    let path = path.display().to_string();
    match schema::set_up(connection, schema::PATIENCE).map_err(failed)? {
        Found::NotOurs => Err(JournalError::NoJournal { path }),
        Found::Lab(found) if found > VERSION => Err(JournalError::Newer { path }),
        Found::Lab(_) | Found::Match => Ok(()),
    }
}

/// Makes sure that a store is that of a match, and in one piece.
pub(super) fn check(path: &Path, connection: &Connection) -> Result<(), JournalError> {
    let failed = |source| error(path, source);
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(failed);
    // A lab that is damaged is no damaged journal, which could be started over.
    let others = number("SELECT count(*) FROM experiment WHERE method <> 'match'");
    if others.as_ref().is_ok_and(|&count| count > 0) {
        return Err(JournalError::NoJournal { path: path.display().to_string() });
    }
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
    others.map(drop)
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

/// Locks the file itself, made if it is not there, so that two processes never play one match. The file of a lab is refused
/// by its name, wherever it is.
pub(super) fn claim(path: &Path) -> Result<File, JournalError> {
    let name = path.display().to_string();
    if path.ends_with(FILE_NAME) {
        return Err(JournalError::NoJournal { path: name });
    }
    match files::try_open_locked(path) {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(JournalError::Busy { path: name }),
        Err(source) => Err(JournalError::Store { path: name, source: source.into() }),
    }
}
