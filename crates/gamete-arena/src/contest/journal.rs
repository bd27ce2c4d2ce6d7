use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use super::GameOutcome;

/// The encounters of a match that are complete, in a file that survives anything.
///
/// An encounter is written whole, in one transaction, before anybody hears of it. Game files and statistics are made
/// from what is in here.
pub struct Journal {
    path: PathBuf,
    connection: Connection,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It is a journal of another match.
    #[error(
        "{path}: this is the journal of another match: {difference}; name another -journal, or start over with -fresh"
    )]
    AnotherMatch {
        /// The file.
        path: String,
        /// What differs first.
        difference: String,
    },
    /// It is no journal.
    #[error("{path}: this is not a journal of `gamete match`")]
    NoJournal {
        /// The file.
        path: String,
    },
    /// Another program writes to it.
    #[error("{path}: another run has this journal open; wait for it, or name another -journal")]
    Busy {
        /// The file.
        path: String,
    },
    /// It cannot be read or written.
    #[error("{path}: {source}")]
    Sqlite {
        /// The file.
        path: String,
        /// Why.
        source: rusqlite::Error,
    },
    /// What is in it makes no sense.
    #[error("{path}: encounter {number}: {source}")]
    Content {
        /// The file.
        path: String,
        /// Which encounter, from 0.
        number: u64,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// Says that a file is ours: "GaMt".
const APPLICATION_ID: i32 = 0x4761_4d74;

impl Journal {
    /// Opens a journal, or makes a new one.
    ///
    /// # Errors
    ///
    /// When the file is no journal, or another program has it open.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let connection = Connection::open(path).map_err(|source| sqlite(path, source))?;
        let journal = Self { path: path.to_owned(), connection };
        journal.set_up()?;
        Ok(journal)
    }

    fn set_up(&self) -> Result<(), JournalError> {
        let pragma = |name, value| self.connection.pragma_update(None, name, value);
        let id: i32 = self.error(self.connection.query_row("PRAGMA application_id", [], |row| row.get(0)))?;
        let tables: i64 =
            self.error(
                self.connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)),
            )?;
        if id != APPLICATION_ID && tables > 0 {
            return Err(JournalError::NoJournal { path: self.name() });
        }
        // The lock is held as long as the program runs, so that two runs never share a journal.
        self.error(pragma("locking_mode", "EXCLUSIVE"))?;
        self.error(pragma("journal_mode", "WAL"))?;
        self.error(pragma("synchronous", "NORMAL"))?;
        self.error(self.connection.pragma_update(None, "application_id", APPLICATION_ID))?;
        self.error(self.connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
             CREATE TABLE IF NOT EXISTS encounter (number INTEGER PRIMARY KEY, games TEXT NOT NULL) STRICT;",
        ))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that this is the journal of the match with this configuration, which is remembered by a new one.
    ///
    /// # Errors
    ///
    /// When it is another match's.
    pub fn claim(&self, configuration: &serde_json::Value) -> Result<(), JournalError> {
        let text = configuration.to_string();
        match self.setting("configuration")? {
            None => self.set("configuration", &text),
            Some(known) if known == text => Ok(()),
            Some(known) => {
                let known = serde_json::from_str(&known).unwrap_or_default();
                Err(JournalError::AnotherMatch {
                    path: self.name(),
                    difference: difference(&known, configuration),
                })
            }
        }
    }

    /// A setting by its name.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn setting(&self, name: &str) -> Result<Option<String>, JournalError> {
        let found = self
            .connection
            .query_row("SELECT value FROM setting WHERE name = ?1", [name], |row| row.get(0))
            .optional();
        self.error(found)
    }

    /// Remembers a setting.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn set(&self, name: &str, value: &str) -> Result<(), JournalError> {
        self.error(self.connection.execute("INSERT OR REPLACE INTO setting VALUES (?1, ?2)", [name, value]))?;
        Ok(())
    }

    /// Writes an encounter down. One that is there already stays as it is.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn record(&self, number: u64, games: &[GameOutcome]) -> Result<(), JournalError> {
        let text = serde_json::to_string(games).map_err(|source| JournalError::Content {
            path: self.name(),
            number,
            source,
        })?;
        let mut insert =
            self.error(self.connection.prepare_cached("INSERT OR IGNORE INTO encounter VALUES (?1, ?2)"))?;
        self.error(insert.execute(params![number as i64, text]))?;
        Ok(())
    }

    /// Calls `read` with every encounter, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn read(&self, mut read: impl FnMut(u64, Vec<GameOutcome>)) -> Result<(), JournalError> {
        let mut select =
            self.error(self.connection.prepare("SELECT number, games FROM encounter ORDER BY number"))?;
        let rows = select.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)));
        for row in self.error(rows)? {
            let (number, text) = self.error(row)?;
            let number = number as u64;
            let games = serde_json::from_str(&text).map_err(|source| JournalError::Content {
                path: self.name(),
                number,
                source,
            })?;
            read(number, games);
        }
        Ok(())
    }

    /// Forgets all encounters and the configuration.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn clear(&self) -> Result<(), JournalError> {
        let clear = "DELETE FROM encounter; DELETE FROM setting WHERE name IN ('configuration', 'seed');";
        self.error(self.connection.execute_batch(clear))
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn error<T>(&self, result: Result<T, rusqlite::Error>) -> Result<T, JournalError> {
        result.map_err(|source| sqlite(&self.path, source))
    }
}

fn sqlite(path: &Path, source: rusqlite::Error) -> JournalError {
    let path = path.display().to_string();
    match source.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            JournalError::Busy { path }
        }
        Some(rusqlite::ErrorCode::NotADatabase) => JournalError::NoJournal { path },
        _ => JournalError::Sqlite { path, source },
    }
}

/// The first setting that is not the same.
fn difference(known: &serde_json::Value, wanted: &serde_json::Value) -> String {
    let empty = serde_json::Map::new();
    let (known, wanted) = (known.as_object().unwrap_or(&empty), wanted.as_object().unwrap_or(&empty));
    let differs = wanted.iter().find(|&(name, value)| known.get(name) != Some(value));
    match differs {
        Some((name, value)) => {
            let short = |value: &serde_json::Value| {
                let text = value.to_string();
                if text.chars().count() > 60 { "something else".to_owned() } else { text }
            };
            let known = known.get(name).map_or_else(|| "nothing".to_owned(), short);
            match short(value) {
                text if text == known => format!("it has another {name}"),
                text => format!("it has {name} {known}, not {text}"),
            }
        }
        None => "it has other settings".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Termination;

    fn game(word: &str) -> GameOutcome {
        GameOutcome {
            moves: vec![word.to_owned()],
            thoughts: vec![None],
            termination: Termination::Interrupted,
            fault: None,
            timing: None,
        }
    }

    #[test]
    fn what_was_written_is_there_when_it_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let journal = Journal::open(&path).unwrap();
        journal.claim(&json!({ "nodes": 5 })).unwrap();
        journal.record(3, &[game("x")]).unwrap();
        journal.record(1, &[game("a"), game("b")]).unwrap();
        journal.record(3, &[game("y")]).unwrap();
        drop(journal);
        let journal = Journal::open(&path).unwrap();
        let mut numbers = Vec::new();
        journal.read(|number, games| numbers.push((number, games.len(), games[0].moves[0].clone()))).unwrap();
        assert_eq!(numbers, [(1, 2, "a".to_owned()), (3, 1, "x".to_owned())], "a result counts once");
        journal.claim(&json!({ "nodes": 5 })).unwrap();
        let error = journal.claim(&json!({ "nodes": 6 })).unwrap_err().to_string();
        assert!(error.contains("the journal of another match: it has nodes 5, not 6"), "{error}");
        journal.clear().unwrap();
        journal.claim(&json!({ "nodes": 6 })).unwrap();
        journal.read(|number, _| panic!("{number} is still there")).unwrap();
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        std::fs::write(
            &path,
            "[Event \"x\"] and so on, for long enough to be looked at as a database file by anybody",
        )
        .unwrap();
        assert!(matches!(Journal::open(&path), Err(JournalError::NoJournal { .. })));
        let path = folder.path().join("b.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
        assert!(matches!(Journal::open(&path), Err(JournalError::NoJournal { .. })));
        let path = folder.path().join("c.db");
        let first = Journal::open(&path).unwrap();
        first.set("a", "b").unwrap();
        assert!(matches!(Journal::open(&path), Err(JournalError::Busy { .. })));
    }
}
