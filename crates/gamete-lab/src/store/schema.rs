//! The tables of a lab: made whole or not at all, and brought up to date where an older program made them.

use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

/// Says that a file is ours: "GaLb".
const APPLICATION_ID: i32 = 0x4761_4c62;

/// What turns the tables of each version into those of the next. The first makes them from nothing. An entry that was
/// released is never changed: a new table or column is a new entry at the end.
const MIGRATIONS: [&str; 2] = [
    "
    CREATE TABLE experiment (
        id TEXT PRIMARY KEY, file TEXT NOT NULL, method TEXT NOT NULL, about TEXT NOT NULL, seed INTEGER NOT NULL,
        signature TEXT NOT NULL, created INTEGER NOT NULL, seconds REAL NOT NULL DEFAULT 0, result TEXT
    ) STRICT;
    CREATE TABLE run (
        number INTEGER PRIMARY KEY, experiment TEXT NOT NULL REFERENCES experiment ON DELETE CASCADE,
        path TEXT NOT NULL, UNIQUE (experiment, path)
    ) STRICT;
    CREATE TABLE outcome (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, number INTEGER NOT NULL, task INTEGER NOT NULL,
        answer TEXT NOT NULL, PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE generation (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, number INTEGER NOT NULL, summary TEXT NOT NULL,
        population TEXT NOT NULL, PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE game (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, number INTEGER NOT NULL, record TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    ",
    "
    CREATE TABLE verification (
        experiment TEXT NOT NULL REFERENCES experiment ON DELETE CASCADE, champion TEXT NOT NULL,
        baseline TEXT NOT NULL, opponent TEXT NOT NULL, position INTEGER NOT NULL, contest INTEGER NOT NULL,
        planned INTEGER NOT NULL, PRIMARY KEY (experiment, champion, baseline)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE verification_pair (
        experiment TEXT NOT NULL, champion TEXT NOT NULL, baseline TEXT NOT NULL, pair INTEGER NOT NULL,
        result TEXT NOT NULL, PRIMARY KEY (experiment, champion, baseline, pair),
        FOREIGN KEY (experiment, champion, baseline) REFERENCES verification ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    ",
];

/// The version of the tables. A lab with a larger number was made by a newer program.
pub(super) const VERSION: i32 = MIGRATIONS.len() as i32;

/// How long to wait for other processes that use the lab.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// What a database file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// A lab with tables of this version; 0 if there are none yet.
    Lab(i32),
    /// Somebody else's.
    NotOurs,
}

impl Found {
    /// Reads what a file is, within one transaction, so that a lab that is being made is seen whole or not at all.
    pub fn read(connection: &Connection) -> rusqlite::Result<Self> {
        patiently(|| {
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
            0 if empty => Self::Lab(0),
            _ => Self::NotOurs,
        })
    }
}

/// Sets a connection up, and makes or completes the tables. Gives what the file was, and leaves one that is not ours or
/// newer than we are as it is.
pub(super) fn set_up(connection: &Connection) -> rusqlite::Result<Found> {
    let found = Found::read(connection)?;
    let Found::Lab(version) = found else { return Ok(found) };
    if version > VERSION {
        return Ok(found);
    }
    patiently(|| connection.pragma_update(None, "journal_mode", "WAL"))?;
    // What was committed survives the end of the process; a power cut may take the last moments, never the rest.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if version < VERSION {
        patiently(|| migrate(connection))?;
    }
    Ok(found)
}

/// Does what is left to do, if another process was not quicker.
fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if let Found::Lab(version) = Found::read_within(&transaction)?
        && version < VERSION
    {
        for migration in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or(0)) {
            transaction.execute_batch(migration)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// Tries again while another process is in the way. SQLite itself does not wait where it fears a deadlock, as when two
/// processes give a new file its write-ahead log.
fn patiently<T>(mut act: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let start = Instant::now();
    loop {
        match act() {
            Err(error) if is_busy(&error) && start.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
