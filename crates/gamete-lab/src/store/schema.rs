//! The tables of a lab: made whole or not at all, and brought up to date where an older program made them.

use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::migrations::{MIGRATIONS, VERSION};

/// Says that a file is ours: "GaLb".
const APPLICATION_ID: i32 = 0x4761_4c62;

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
            migration(&transaction)?;
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
