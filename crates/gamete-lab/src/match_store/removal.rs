//! Removing journals, and nothing else: the files of labs look like them.

use std::io;
use std::path::Path;

use gamete_arena::JournalError;
use rusqlite::{Connection, OpenFlags};

use super::open::claim;
use super::{MatchStore, error};
use crate::store::schema::{Found, found_in_header};

impl MatchStore {
    /// Deletes a journal, damaged or not.
    ///
    /// # Errors
    ///
    /// When the file is no journal, another program plays the match, or it is so damaged that it may be a lab.
    pub fn delete(path: &Path) -> Result<(), JournalError> {
        // What is no file of ours is not even locked.
        if found_in_header(path) == Found::NotOurs {
            return Err(JournalError::NoJournal { path: path.display().to_string() });
        }
        let _claim = claim(path)?;
        check_is_match(path)?;
        remove(path)
    }
}

/// Makes sure that what is in a file, damaged or not, is a match.
pub(super) fn check_is_match(path: &Path) -> Result<(), JournalError> {
    let name = path.display().to_string();
    match found_in_header(path) {
        Found::NotOurs => return Err(JournalError::NoJournal { path: name }),
        // Labs never had this header.
        Found::Match => return Ok(()),
        Found::Lab(_) => {}
    }
    let count = || -> rusqlite::Result<(i64, i64)> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let sql = "SELECT count(*) FILTER (WHERE method = 'match'), count(*) FROM experiment";
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
    };
    match count().map_err(|source| error(path, source)) {
        Ok((1, 1)) => Ok(()),
        Ok((_, 1..)) => Err(JournalError::NoJournal { path: name }),
        Ok(_) | Err(JournalError::Damaged { .. } | JournalError::NoJournal { .. }) => {
            Err(JournalError::Unproven { path: name })
        }
        Err(error) => Err(error),
    }
}

/// Removes a journal with all that SQLite keeps beside it.
pub(super) fn remove(path: &Path) -> Result<(), JournalError> {
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
