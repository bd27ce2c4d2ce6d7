mod match_journal;
mod schema;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::journal::{JournalError, Written};
use crate::task::GameOutcome;

/// The encounters of a match that are complete, in a file that survives anything.
///
/// An encounter is written whole, in one transaction, before it is counted. Game files and statistics are made from
/// what is in here. Everything has a checksum, and how many encounters there are has one too, so that a journal that
/// was damaged is refused instead of making another match.
pub struct Journal {
    path: PathBuf,
    connection: Connection,
    settings: RefCell<BTreeMap<String, String>>,
}

/// The setting that says how many encounters there are, with the exclusive or of their checksums.
const TOTAL: &str = "encounters";

/// The setting of a journal that was cleared after games went to files.
const LOST_PLACES: &str = "lost_places";

impl Journal {
    /// Opens a journal, or makes a new one.
    ///
    /// # Errors
    ///
    /// When the file is no journal, is damaged, or another program has it open.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let connection = Connection::open(path).map_err(|source| sqlite(path, source))?;
        let mut journal = Self { path: path.to_owned(), connection, settings: RefCell::default() };
        journal.set_up()?;
        journal.load_settings()?;
        Ok(journal)
    }

    /// Opens a journal and forgets all that it has. One that is damaged is made anew.
    ///
    /// # Errors
    ///
    /// When the file is no journal, or another program has it open.
    pub fn open_fresh(path: &Path) -> Result<Self, JournalError> {
        match Self::open(path) {
            Ok(journal) => {
                journal.clear()?;
                return Ok(journal);
            }
            Err(JournalError::Damaged { .. }) if schema::has_our_header(path) => {}
            Err(error) => return Err(error),
        }
        for ending in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            match std::fs::remove_file(&name) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(JournalError::Remove { path: path.display().to_string(), source });
                }
                _ => {}
            }
        }
        Self::open(path)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A setting by its name.
    pub fn setting(&self, name: &str) -> Option<String> {
        self.settings.borrow().get(name).cloned()
    }

    /// Remembers a setting.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn set(&self, name: &str, value: &str) -> Result<(), JournalError> {
        let mut insert = self
            .error(self.connection.prepare_cached(
                "INSERT OR REPLACE INTO setting (name, value, checksum) VALUES (?1, ?2, ?3)",
            ))?;
        self.error(insert.execute(params![name, value, setting_checksum(name, value)]))?;
        self.settings.borrow_mut().insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// How many encounters there are.
    pub fn len(&self) -> u64 {
        self.total().count
    }

    /// Whether there is no encounter.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes an encounter down. One that is there already stays as it is.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn record(&self, number: u64, games: &[GameOutcome]) -> Result<(), JournalError> {
        let text = serde_json::to_string(games).map_err(|error| self.damaged(number, &error))?;
        let checksum = encounter_checksum(number, &text);
        self.in_transaction(|| {
            let mut insert = self.error(self.connection.prepare_cached(
                "INSERT OR IGNORE INTO encounter (number, games, checksum) VALUES (?1, ?2, ?3)",
            ))?;
            let new = self.error(insert.execute(params![number as i64, text, checksum]))? > 0;
            if new { self.set(TOTAL, &self.total().with(&checksum).to_string()) } else { Ok(()) }
        })
    }

    /// Calls `read` with every encounter, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is damaged.
    pub fn read(&self, mut read: impl FnMut(u64, Vec<GameOutcome>)) -> Result<(), JournalError> {
        let mut select = self.error(
            self.connection.prepare("SELECT number, games, checksum FROM encounter ORDER BY number"),
        )?;
        let mut rows = self.error(select.query([]))?;
        let mut total = Total::default();
        while let Some(row) = self.error(rows.next())? {
            let number = self.error(row.get::<_, i64>(0))? as u64;
            let wrong = |error: &dyn std::fmt::Display| self.damaged(number, error);
            let text: String = row.get(1).map_err(|error| wrong(&error))?;
            let checksum: [u8; 32] = row.get(2).map_err(|error| wrong(&error))?;
            if checksum != encounter_checksum(number, &text) {
                return Err(wrong(&"its checksum does not fit"));
            }
            total = total.with(&checksum);
            read(number, serde_json::from_str(&text).map_err(|error| wrong(&error))?);
        }
        if total != self.total() {
            let place = format!("it has {} encounters instead of {}", total.count, self.total().count);
            return Err(JournalError::Damaged { path: self.name(), place });
        }
        Ok(())
    }

    /// Which encounters stand where in a file.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read, or is damaged.
    pub fn written(&self, file: &str) -> Result<BTreeMap<u64, Written>, JournalError> {
        // All of them: a row of this file may have been damaged to look like one of another.
        let sql = "SELECT file, number, start, length, hash, checksum FROM written";
        let mut select = self.error(self.connection.prepare_cached(sql))?;
        let mut rows = self.error(select.query([]))?;
        let mut known = BTreeMap::new();
        while let Some(row) = self.error(rows.next())? {
            let number = self.error(row.get::<_, i64>(1))? as u64;
            let read = || {
                let (start, length) = (row.get::<_, i64>(2)? as u64, row.get::<_, i64>(3)? as u64);
                let written = Written { start, length, hash: row.get(4)? };
                Ok((row.get::<_, String>(0)?, written, row.get::<_, [u8; 32]>(5)?))
            };
            let (its_file, written, checksum) = self.error(read())?;
            if checksum != written_checksum(&its_file, number, &written) {
                return Err(self.damaged(number, &"where it stands in a game file has another checksum"));
            }
            if its_file == file {
                known.insert(number, written);
            }
        }
        Ok(known)
    }

    /// Remembers where encounters are about to stand in a file.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written.
    pub fn set_written(&self, file: &str, records: &[(u64, Written)]) -> Result<(), JournalError> {
        self.in_transaction(|| {
            let sql = "INSERT OR REPLACE INTO written (file, number, start, length, hash, checksum) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let mut insert = self.error(self.connection.prepare_cached(sql))?;
            for (number, written) in records {
                let Written { start, length, hash } = *written;
                let checksum = written_checksum(file, *number, written);
                let row = params![file, *number as i64, start as i64, length as i64, hash, checksum];
                self.error(insert.execute(row))?;
            }
            Ok(())
        })
    }

    /// Whether game files have games of this match that it does not know the place of: those of a match that was
    /// started over, or of an earlier version.
    pub fn has_lost_places(&self) -> bool {
        [LOST_PLACES, "pgn", "epd"].iter().any(|name| self.settings.borrow().contains_key(*name))
    }

    /// Forgets all encounters and all settings.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn clear(&self) -> Result<(), JournalError> {
        self.in_transaction(|| {
            let rows = self.error(self.connection.execute("DELETE FROM written", []))?;
            let lost = rows > 0 || self.has_lost_places();
            self.error(self.connection.execute_batch("DELETE FROM encounter; DELETE FROM setting;"))?;
            self.settings.borrow_mut().clear();
            if lost {
                self.set(LOST_PLACES, "yes")?;
            }
            self.set(TOTAL, &Total::default().to_string())
        })
    }

    fn load_settings(&mut self) -> Result<(), JournalError> {
        let mut settings = BTreeMap::new();
        {
            let mut select =
                self.error(self.connection.prepare("SELECT name, value, checksum FROM setting"))?;
            let mut rows = self.error(select.query([]))?;
            while let Some(row) = self.error(rows.next())? {
                let read = || Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get(2)?));
                let (name, value, checksum): (_, _, [u8; 32]) = self.error(read())?;
                if checksum != setting_checksum(&name, &value) {
                    return Err(self.damaged_setting(&name));
                }
                settings.insert(name, value);
            }
        }
        if settings.get(TOTAL).and_then(|text| Total::parse(text)).is_none() {
            return Err(self.damaged_setting(TOTAL));
        }
        self.settings = settings.into();
        Ok(())
    }

    fn total(&self) -> Total {
        self.settings.borrow().get(TOTAL).and_then(|text| Total::parse(text)).unwrap_or_default()
    }

    fn in_transaction<T>(&self, work: impl FnOnce() -> Result<T, JournalError>) -> Result<T, JournalError> {
        let transaction = self.error(self.connection.unchecked_transaction())?;
        let done = work()?;
        self.error(transaction.commit())?;
        Ok(done)
    }

    fn damaged(&self, number: u64, error: &dyn std::fmt::Display) -> JournalError {
        JournalError::Damaged {
            path: self.name(),
            place: format!("encounter {}: {error}", number.wrapping_add(1)),
        }
    }

    fn damaged_setting(&self, name: &str) -> JournalError {
        let place = format!("the checksum of its setting {name:?} does not fit");
        JournalError::Damaged { path: self.name(), place }
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn error<T>(&self, result: Result<T, rusqlite::Error>) -> Result<T, JournalError> {
        result.map_err(|source| sqlite(&self.path, source))
    }
}

/// How many encounters there are, and the exclusive or of their checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Total {
    count: u64,
    sum: [u8; 32],
}

impl Total {
    fn with(mut self, checksum: &[u8; 32]) -> Self {
        self.count += 1;
        self.sum.iter_mut().zip(checksum).for_each(|(sum, byte)| *sum ^= byte);
        self
    }

    fn parse(text: &str) -> Option<Self> {
        let (count, sum) = text.split_once(' ')?;
        Some(Self { count: count.parse().ok()?, sum: blake3::Hash::from_hex(sum).ok()?.into() })
    }
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.count, blake3::Hash::from_bytes(self.sum).to_hex())
    }
}

fn encounter_checksum(number: u64, games: &str) -> [u8; 32] {
    checksum("encounter", &[&number.to_le_bytes(), games.as_bytes()])
}

fn setting_checksum(name: &str, value: &str) -> [u8; 32] {
    checksum("setting", &[name.as_bytes(), value.as_bytes()])
}

fn written_checksum(file: &str, number: u64, written: &Written) -> [u8; 32] {
    let numbers = [number, written.start, written.length].map(u64::to_le_bytes);
    checksum("written", &[file.as_bytes(), &numbers.concat(), &written.hash])
}

fn checksum(kind: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.as_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

fn sqlite(path: &Path, source: rusqlite::Error) -> JournalError {
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

#[cfg(test)]
mod tests;
