//! Labs that can be read and not written: on a read-only disk, or of somebody else.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use super::migrations::VERSION;
use super::schema::{Found, PATIENCE, set_up};
use super::{StoreError, error};

/// A connection for reading, and the copy that it reads where the lab itself cannot be.
pub(super) struct Reading {
    pub connection: Connection,
    pub copy: Option<TempDir>,
}

/// Opens a lab without writing to its directory.
///
/// A write-ahead log needs files beside the database. Where they are missing and cannot be made, a log without content is
/// ignored; otherwise, and where the tables are those of an older program, a copy of the lab is read.
pub(super) fn open(path: &Path) -> Result<Reading, StoreError> {
    let attempts = [Some(Mode::Shared), has_no_log(path).then_some(Mode::Immutable)];
    for mode in attempts.into_iter().flatten() {
        if let Ok(connection) = mode.connect(path)
            && matches!(Found::read(&connection, PATIENCE), Ok(Found::Lab(VERSION)))
        {
            return Ok(Reading { connection, copy: None });
        }
    }
    copied(path)
}

/// How a lab is read in place.
#[derive(Debug, Clone, Copy)]
enum Mode {
    /// Others may be writing to it.
    Shared,
    /// Nobody can.
    Immutable,
}

impl Mode {
    fn connect(self, path: &Path) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match self {
            Self::Shared => Connection::open_with_flags(path, flags)?,
            Self::Immutable => {
                Connection::open_with_flags(immutable_uri(path), flags | OpenFlags::SQLITE_OPEN_URI)?
            }
        };
        connection.busy_timeout(PATIENCE)?;
        Ok(connection)
    }
}

/// Whether everything is in the database itself.
fn has_no_log(path: &Path) -> bool {
    std::fs::metadata(beside(path, "-wal")).map_or(true, |file| file.len() == 0)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A file as it is, without its log and without locks.
pub(super) fn immutable(path: &Path) -> rusqlite::Result<Connection> {
    Mode::Immutable.connect(path)
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for &byte in OsStr::as_bytes(path.as_os_str()) {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri + "?immutable=1"
}

/// A copy of a lab in a temporary directory, with what its log has.
pub(super) fn copied(path: &Path) -> Result<Reading, StoreError> {
    let name = || path.display().to_string();
    let unreadable = |source| StoreError::Unreadable { path: name(), source };
    let copy = tempfile::tempdir().map_err(unreadable)?;
    let target = copy.path().join("copy");
    std::fs::copy(path, &target).map_err(unreadable)?;
    if !has_no_log(path) {
        std::fs::copy(beside(path, "-wal"), beside(&target, "-wal")).map_err(unreadable)?;
    }
    let connection = Connection::open(&target).map_err(|source| error(name(), source))?;
    match set_up(&connection, PATIENCE).map_err(|source| error(name(), source))? {
        Found::NotOurs => Err(StoreError::NotOurs { path: name() }),
        Found::Lab(found) if found > VERSION => Err(StoreError::Newer { path: name(), found }),
        Found::Lab(_) | Found::Match => Ok(Reading { connection, copy: Some(copy) }),
    }
}
