//! One SQLite file with everything a lab knows.

mod checksum;
mod claim;
mod entry;
mod error;
mod experiments;
mod games;
mod generations;
mod individuals;
mod landscape;
mod match_0_1;
pub(crate) mod matches;
mod migrations;
mod outcomes;
mod pulse;
mod reading;
mod runs;
pub(crate) mod schema;
#[cfg(test)]
mod tests;
mod verification;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use serde::Serialize;

pub(crate) use checksum::Total;
#[cfg(test)]
pub(crate) use checksum::checksum as checksum_of;
pub use claim::Claim;
pub(crate) use entry::Entry;
pub use error::StoreError;
use error::error;
pub use experiments::ExperimentRow;
pub(crate) use experiments::pipeline_of;
pub use games::GameRecord;
pub use generations::GenerationRow;
pub(crate) use migrations::VERSION;
pub(crate) use outcomes::CLOCK;
use pulse::CountedGames;
pub use pulse::{Pulse, Thinned};
pub use runs::RunRow;
use schema::{Found, PATIENCE, found_in_header};

/// The file of a lab in its directory.
pub(crate) const FILE_NAME: &str = "lab.sqlite";

/// Where a lab keeps what it knows.
pub struct Store {
    file: PathBuf,
    connection: Connection,
    /// What is read where the lab itself cannot be opened.
    _copy: Option<tempfile::TempDir>,
    /// Games of runs as far as they were counted.
    counted: CountedGames,
}

impl Store {
    /// The file of a lab in its directory.
    pub const FILE_NAME: &str = FILE_NAME;

    /// Opens the lab in a directory, and makes it where there is none.
    ///
    /// # Errors
    ///
    /// When the directory cannot be written to, or what is there is no lab of ours.
    pub fn create(directory: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(directory)
            .map_err(|source| StoreError::Directory { path: directory.display().to_string(), source })?;
        Self::create_file(&directory.join(FILE_NAME), PATIENCE)
    }

    fn create_file(file: &Path, patience: Duration) -> Result<Self, StoreError> {
        let store = Self {
            file: file.to_owned(),
            connection: connect(file, patience)?,
            _copy: None,
            counted: CountedGames::default(),
        };
        match store.check(schema::set_up(&store.connection, patience))? {
            Found::NotOurs => Err(StoreError::NotOurs { path: store.path() }),
            Found::Lab(found) if found > VERSION => Err(StoreError::Newer { path: store.path(), found }),
            Found::Lab(_) | Found::Match => Ok(store),
        }
    }

    /// Opens the lab in a directory, for reading only where it cannot be written.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        if !directory.join(FILE_NAME).exists() {
            return Err(StoreError::NoLab { path: directory.display().to_string() });
        }
        Self::open_file(&directory.join(FILE_NAME))
    }

    /// Opens a file that is there, for reading only where it cannot be written. The journal of a match of version 0.1 becomes
    /// a store, unless that match is being played, whose end nobody waits for.
    pub(crate) fn open_file(file: &Path) -> Result<Self, StoreError> {
        let is_old_match = found_in_header(file) == Found::Match;
        let patience = if is_old_match { Duration::from_millis(100) } else { PATIENCE };
        match Self::create_file(file, patience) {
            Err(StoreError::ReadOnly { .. }) => Self::open_read_only(file),
            opened => opened,
        }
    }

    pub(crate) fn open_read_only(file: &Path) -> Result<Self, StoreError> {
        let reading::Reading { connection, copy } = reading::open(file)?;
        Ok(Self { file: file.to_owned(), connection, _copy: copy, counted: CountedGames::default() })
    }

    /// Another handle on the same lab.
    pub(crate) fn again(&self) -> Result<Self, StoreError> {
        Self::create_file(&self.file, PATIENCE)
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        self.file.parent().unwrap_or_else(|| Path::new("."))
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    fn path(&self) -> String {
        self.file.display().to_string()
    }

    fn check<T>(&self, result: Result<T, rusqlite::Error>) -> Result<T, StoreError> {
        result.map_err(|source| error(self.path(), source))
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.path(), what }
    }

    fn content<T>(&self, what: &str, result: Result<T, serde_json::Error>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::Content { path: self.path(), what: what.to_owned(), source })
    }
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("plain data")
}

fn connect(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    let failed = |source| error(path.display().to_string(), source);
    let connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(patience).map_err(failed)?;
    Ok(connection)
}
