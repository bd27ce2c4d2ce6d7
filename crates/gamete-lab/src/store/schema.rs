//! The tables of a lab: made whole or not at all, and brought up to date where an older program made them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::match_0_1;
use super::migrations::{MIGRATIONS, VERSION};
use super::reading;

/// Says that a file is ours: "GaLb".
const APPLICATION_ID: i32 = 0x4761_4c62;

/// How long to wait for other processes that use the lab.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What a database file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// A lab with tables of this version; 0 if there are none yet.
    Lab(i32),
    /// The journal of a match of version 0.1.
    Match,
    /// Somebody else's.
    NotOurs,
}

impl Found {
    /// Reads what a file is, within one transaction, so that a lab that is being made is seen whole or not at all.
    pub fn read(connection: &Connection, patience: Duration) -> rusqlite::Result<Self> {
        patiently(patience, || {
            let transaction = connection.unchecked_transaction()?;
            let found = Self::read_within(&transaction)?;
            transaction.commit()?;
            Ok(found)
        })
    }

    fn read_within(transaction: &Transaction<'_>) -> rusqlite::Result<Self> {
        let number = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, i32>(0));
        // The first look at the file fixes what the others see.
        let empty = number("SELECT count(*) FROM sqlite_schema")? == 0;
        let (id, version) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
        Ok(match id {
            APPLICATION_ID => Self::Lab(version),
            match_0_1::APPLICATION_ID => Self::Match,
            0 if empty => Self::Lab(0),
            _ => Self::NotOurs,
        })
    }
}

/// Sets a connection up, and makes or completes the tables, waiting so long for others. Gives what the file was, and leaves one
/// that is not ours or newer than we are as it is.
pub(crate) fn set_up(connection: &Connection, patience: Duration) -> rusqlite::Result<Found> {
    let found = Found::read(connection, patience)?;
    let is_old = match found {
        Found::NotOurs => return Ok(found),
        Found::Lab(version) if version > VERSION => return Ok(found),
        Found::Lab(version) => version < VERSION,
        Found::Match => true,
    };
    patiently(patience, || connection.pragma_update(None, "journal_mode", "WAL"))?;
    // What was committed survives the end of the process; a power cut may take the last moments, never the rest.
    // Tests do not cut the power.
    connection.pragma_update(None, "synchronous", if cfg!(test) { "OFF" } else { "NORMAL" })?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if is_old {
        patiently(patience, || migrate(connection))?;
    }
    Ok(found)
}

/// Does what is left to do, if another process was not quicker.
fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let is_old = match Found::read_within(&transaction)? {
        Found::Lab(version) if version < VERSION => {
            make_tables(&transaction, version)?;
            true
        }
        Found::Match => {
            match_0_1::migrate(&transaction, |connection| make_tables(connection, 0))?;
            true
        }
        _ => false,
    };
    if is_old {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// Makes the tables of this version from those of an earlier one; 0 if there are none.
fn make_tables(connection: &Connection, version: i32) -> rusqlite::Result<()> {
    let from = usize::try_from(version).unwrap_or(0);
    MIGRATIONS.iter().skip(from).try_for_each(|migration| migration(connection))
}

/// The texts that made the tables of a file, by their names.
pub(crate) fn tables(connection: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut select = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Those of a file that is in order.
pub(crate) fn expected_tables() -> rusqlite::Result<BTreeMap<String, String>> {
    let connection = Connection::open_in_memory()?;
    make_tables(&connection, 0)?;
    tables(&connection)
}

/// What the first bytes of a file say that it is, whether or not SQLite can read it.
pub(crate) fn found_in_header(path: &Path) -> Found {
    // Whoever closes a file gives up all locks that the process has on it, and others would delete the log that connections use.
    // SQLite knows better; what it cannot read nobody has locked.
    let told = reading::immutable(path).and_then(|connection| {
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i32>(0));
        Ok((number("PRAGMA application_id")?, number("PRAGMA user_version")?))
    });
    match told.ok().or_else(|| header(path)) {
        Some((APPLICATION_ID, version)) => Found::Lab(version),
        Some((match_0_1::APPLICATION_ID, _)) => Found::Match,
        _ => Found::NotOurs,
    }
}

/// The number of the application and the version in the first bytes of a file, if SQLite wrote it.
fn header(path: &Path) -> Option<(i32, i32)> {
    let mut header = [0; 72];
    File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    let number = |place: usize| i32::from_be_bytes(std::array::from_fn(|byte| header[place + byte]));
    header.starts_with(b"SQLite format 3\0").then(|| (number(68), number(60)))
}

/// Tries again while another process is in the way. SQLite itself does not wait where it fears a deadlock, as when two
/// processes give a new file its write-ahead log.
fn patiently<T>(patience: Duration, mut act: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let start = Instant::now();
    loop {
        match act() {
            Err(error) if is_busy(&error) && start.elapsed() < patience => {
                thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
