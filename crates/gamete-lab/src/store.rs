//! One SQLite file with everything a lab knows.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gamete_arena::{GameName, Termination};
use gamete_optim::Genome;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::generation::Generation;

/// Says that a file is ours: "GaLb".
const APPLICATION_ID: i32 = 0x4761_4c62;

/// The shape of the tables. A lab with a larger number was made by a newer program.
const VERSION: i32 = 1;

const FILE_NAME: &str = "lab.sqlite";

const TABLES: &str = "
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
";

/// Where a lab keeps what it knows.
pub struct Store {
    directory: PathBuf,
    connection: Connection,
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory cannot be made or written to.
    #[error("{path}: {source}; name another directory with --lab")]
    Directory {
        /// Which one.
        path: String,
        /// Why not.
        source: std::io::Error,
    },
    /// There is no lab.
    #[error("{path}: there is no lab here; `gamete evolve --lab {path}` makes one")]
    NoLab {
        /// The directory.
        path: String,
    },
    /// The file is something else.
    #[error("{path}: this is not a lab of Gamete; name another directory with --lab")]
    NotOurs {
        /// The file.
        path: String,
    },
    /// A newer program made it.
    #[error("{path}: this lab was made by a newer Gamete (version {found} of its tables, we know {VERSION})")]
    Newer {
        /// The file.
        path: String,
        /// Its version.
        found: i32,
    },
    /// The disk is full.
    #[error(
        "{path}: the disk is full; what was stored is safe, and the same command goes on when there is room"
    )]
    Full {
        /// The file.
        path: String,
    },
    /// It cannot be written.
    #[error("{path}: cannot be written; name another directory with --lab")]
    ReadOnly {
        /// The file.
        path: String,
    },
    /// Another process runs this experiment.
    #[error("{id} is being run by another process; wait for it, or give this run another name or --seed")]
    Busy {
        /// The experiment.
        id: String,
    },
    /// There is no such experiment.
    #[error("no experiment {id:?} in this lab{hint}")]
    Unknown {
        /// What was asked for.
        id: String,
        /// What was probably meant.
        hint: String,
    },
    /// What is stored makes no sense.
    #[error("{path}: {what}: {source}")]
    Content {
        /// The file.
        path: String,
        /// What is damaged.
        what: String,
        /// How.
        source: serde_json::Error,
    },
    /// Something else is wrong with the file.
    #[error("{path}: {source}")]
    Sqlite {
        /// The file.
        path: String,
        /// What.
        source: rusqlite::Error,
    },
}

/// An experiment as the store has it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentRow {
    /// Its name in the lab.
    pub id: String,
    /// The file with every default in it.
    pub file: String,
    /// How it is done.
    pub method: String,
    /// What it is for.
    pub about: String,
    /// Its seed.
    pub seed: u64,
    /// What the engine was that played.
    pub signature: String,
    /// When it was begun, in seconds since 1970.
    pub created: u64,
    /// How long it has run, all sessions together.
    pub seconds: f64,
    /// What came out, if it is finished, as JSON.
    pub result: Option<String>,
}

/// One run of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its number in the store.
    pub number: i64,
    /// Where it belongs: `s=0.5/2` is the second replicate of an arm; the experiment itself has the empty path.
    pub path: String,
}

/// A generation with its population.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerationRow {
    /// What happened.
    pub summary: Generation,
    /// The genomes after it.
    pub population: Vec<Genome>,
}

/// A game that was kept to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// In which generation it was played, from 1; 0 for games of a play-off.
    pub generation: u32,
    /// Which game.
    pub game: GameName,
    /// Who had White.
    pub white: String,
    /// Who had Black.
    pub black: String,
    /// The position it started from.
    pub start: String,
    /// All moves, those of the opening too.
    pub moves: Vec<String>,
    /// How it ended.
    pub termination: Termination,
}

/// What is held while an experiment runs, so that nobody else runs it.
pub struct Claim {
    _file: File,
}

/// What a run writes.
pub(crate) enum Entry {
    Outcome { run: i64, number: u64, task: i64, answer: String, game: Option<Box<GameRecord>> },
    Generation { run: i64, summary: Box<Generation>, population: Vec<Genome> },
}

impl Store {
    /// Opens the lab in a directory, and makes it where there is none.
    ///
    /// # Errors
    ///
    /// When the directory cannot be written to, or what is there is no lab of ours.
    pub fn create(directory: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(directory)
            .map_err(|source| StoreError::Directory { path: directory.display().to_string(), source })?;
        let store =
            Self { directory: directory.to_owned(), connection: connect(&directory.join(FILE_NAME))? };
        store.set_up()?;
        Ok(store)
    }

    /// Opens the lab in a directory.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        if !directory.join(FILE_NAME).exists() {
            return Err(StoreError::NoLab { path: directory.display().to_string() });
        }
        Self::create(directory)
    }

    /// Another handle on the same lab.
    pub(crate) fn again(&self) -> Result<Self, StoreError> {
        Self::create(&self.directory)
    }

    fn set_up(&self) -> Result<(), StoreError> {
        let number = |sql: &str| self.check(self.connection.query_row(sql, [], |row| row.get::<_, i32>(0)));
        let (id, version) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
        let empty = number("SELECT count(*) FROM sqlite_master")? == 0;
        if id != APPLICATION_ID && !empty {
            return Err(StoreError::NotOurs { path: self.path() });
        }
        if version > VERSION {
            return Err(StoreError::Newer { path: self.path(), found: version });
        }
        let set =
            |name, value: &dyn rusqlite::ToSql| self.check(self.connection.pragma_update(None, name, value));
        set("journal_mode", &"WAL")?;
        // What was committed survives the end of the process; a power cut may take the last moments, never the rest.
        set("synchronous", &"NORMAL")?;
        set("foreign_keys", &true)?;
        if empty {
            let make = format!(
                "BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
            );
            if let Err(error) = self.connection.execute_batch(&make) {
                // Another process may have been quicker.
                let _ = self.connection.execute_batch("ROLLBACK");
                if number("PRAGMA application_id")? != APPLICATION_ID {
                    return self.check(Err(error));
                }
            }
        }
        Ok(())
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Keeps others from running an experiment, until the claim is dropped or the process is gone.
    ///
    /// # Errors
    ///
    /// When somebody else runs it.
    pub fn claim(&self, id: &str) -> Result<Claim, StoreError> {
        let path = self.directory.join(format!("{id}.lock"));
        let file = File::create(&path)
            .map_err(|source| StoreError::Directory { path: path.display().to_string(), source })?;
        match file.try_lock() {
            Ok(()) => Ok(Claim { _file: file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::Busy { id: id.to_owned() }),
            Err(std::fs::TryLockError::Error(source)) => {
                Err(StoreError::Directory { path: path.display().to_string(), source })
            }
        }
    }

    /// Every experiment, the oldest first.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn experiments(&self) -> Result<Vec<ExperimentRow>, StoreError> {
        let sql = format!("{SELECT_EXPERIMENT} ORDER BY created, id");
        let mut select = self.check(self.connection.prepare(&sql))?;
        let rows = self.check(select.query_map([], experiment_row))?;
        self.check(rows.collect())
    }

    /// One experiment, if it is there.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<ExperimentRow>, StoreError> {
        let sql = format!("{SELECT_EXPERIMENT} WHERE id = ?1");
        self.check(self.connection.query_row(&sql, [id], experiment_row).optional())
    }

    /// One experiment.
    ///
    /// # Errors
    ///
    /// When there is none with this name, with the nearest one.
    pub fn experiment(&self, id: &str) -> Result<ExperimentRow, StoreError> {
        if let Some(row) = self.find(id)? {
            return Ok(row);
        }
        let known = self.experiments()?;
        let hint = gamete_arena::nearest(id, known.iter().map(|row| row.id.as_str()))
            .map_or_else(String::new, |nearest| {
                format!("; did you mean {nearest:?}? `gamete list` shows all")
            });
        Err(StoreError::Unknown { id: id.to_owned(), hint })
    }

    /// Writes an experiment down before it begins.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn insert(&self, row: &ExperimentRow) -> Result<(), StoreError> {
        let insert = "INSERT INTO experiment (id, file, method, about, seed, signature, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let ExperimentRow { id, file, method, about, seed, signature, created, .. } = row;
        let values = params![id, file, method, about, *seed as i64, signature, *created as i64];
        self.check(self.connection.execute(insert, values))?;
        Ok(())
    }

    /// Writes down how long an experiment has run.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn set_seconds(&self, id: &str, seconds: f64) -> Result<(), StoreError> {
        let update = "UPDATE experiment SET seconds = ?2 WHERE id = ?1";
        self.check(self.connection.execute(update, params![id, seconds]))?;
        Ok(())
    }

    /// Writes down what came out.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn set_result(&self, id: &str, result: &str) -> Result<(), StoreError> {
        let update = "UPDATE experiment SET result = ?2 WHERE id = ?1";
        self.check(self.connection.execute(update, params![id, result]))?;
        Ok(())
    }

    /// Forgets an experiment and all that belongs to it.
    ///
    /// # Errors
    ///
    /// When there is none with this name, or it is being run.
    pub fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.experiment(id)?;
        let _claim = self.claim(id)?;
        self.check(self.connection.execute("DELETE FROM experiment WHERE id = ?1", [id]))?;
        let _ = std::fs::remove_file(self.directory.join(format!("{id}.lock")));
        Ok(())
    }

    /// The number of a run, which is made if it is new.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn run(&self, experiment: &str, path: &str) -> Result<i64, StoreError> {
        let find = "SELECT number FROM run WHERE experiment = ?1 AND path = ?2";
        let found = self.connection.query_row(find, [experiment, path], |row| row.get(0)).optional();
        if let Some(number) = self.check(found)? {
            return Ok(number);
        }
        let insert = "INSERT INTO run (experiment, path) VALUES (?1, ?2)";
        self.check(self.connection.execute(insert, [experiment, path]))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// The runs of an experiment, in the order in which they began.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn runs(&self, experiment: &str) -> Result<Vec<RunRow>, StoreError> {
        let sql = "SELECT number, path FROM run WHERE experiment = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare(sql))?;
        let rows =
            select.query_map([experiment], |row| Ok(RunRow { number: row.get(0)?, path: row.get(1)? }));
        self.check(self.check(rows)?.collect())
    }

    /// What a run has been answered: the hash of each task, and the answer.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn outcomes(&self, run: i64) -> Result<Vec<Option<(i64, String)>>, StoreError> {
        let sql = "SELECT number, task, answer FROM outcome WHERE run = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let mut outcomes = Vec::new();
        let mut rows = self.check(select.query([run]))?;
        while let Some(row) = self.check(rows.next())? {
            let number = self.check(row.get::<_, i64>(0))? as usize;
            outcomes.resize(number, None);
            outcomes.push(Some((self.check(row.get(1))?, self.check(row.get(2))?)));
        }
        Ok(outcomes)
    }

    /// The generations of a run, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn generations(&self, run: i64) -> Result<Vec<GenerationRow>, StoreError> {
        let sql = "SELECT summary, population FROM generation WHERE run = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let rows = self
            .check(select.query_map([run], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))))?;
        let mut generations = Vec::new();
        for row in rows {
            let (summary, population) = self.check(row)?;
            generations.push(GenerationRow {
                summary: self.content("a generation", serde_json::from_str(&summary))?,
                population: self.content("a population", serde_json::from_str(&population))?,
            });
        }
        Ok(generations)
    }

    /// What happened in the generations of a run, in order, without the populations.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn summaries(&self, run: i64) -> Result<Vec<Generation>, StoreError> {
        let sql = "SELECT summary FROM generation WHERE run = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let rows = self.check(select.query_map([run], |row| row.get::<_, String>(0)))?;
        let mut summaries = Vec::new();
        for row in rows {
            summaries.push(self.content("a generation", serde_json::from_str(&self.check(row)?))?);
        }
        Ok(summaries)
    }

    /// The population after a generation of a run; nobody where there is no such generation.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn population(&self, run: i64, generation: u32) -> Result<Vec<Genome>, StoreError> {
        let sql = "SELECT population FROM generation WHERE run = ?1 AND number = ?2";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let row = select.query_row(params![run, generation], |row| row.get::<_, String>(0)).optional();
        match self.check(row)? {
            Some(population) => self.content("a population", serde_json::from_str(&population)),
            None => Ok(Vec::new()),
        }
    }

    /// The games of a run that were kept, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn games(&self, run: i64) -> Result<Vec<GameRecord>, StoreError> {
        let mut select = self.check(
            self.connection.prepare_cached("SELECT record FROM game WHERE run = ?1 ORDER BY number"),
        )?;
        let rows = self.check(select.query_map([run], |row| row.get::<_, String>(0)))?;
        let mut games = Vec::new();
        for row in rows {
            games.push(self.content("a game", serde_json::from_str(&self.check(row)?))?);
        }
        Ok(games)
    }

    /// Writes entries down, all or none. What is there already stays as it is.
    pub(crate) fn write(&self, entries: &[Entry]) -> Result<(), StoreError> {
        self.check(self.connection.execute_batch("BEGIN IMMEDIATE"))?;
        let written = entries.iter().try_for_each(|entry| self.write_entry(entry));
        let end = if written.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.check(self.connection.execute_batch(end));
        written.and(ended)
    }

    fn write_entry(&self, entry: &Entry) -> Result<(), StoreError> {
        match entry {
            Entry::Outcome { run, number, task, answer, game } => {
                let insert = "INSERT OR IGNORE INTO outcome VALUES (?1, ?2, ?3, ?4)";
                let mut insert = self.check(self.connection.prepare_cached(insert))?;
                self.check(insert.execute(params![run, *number as i64, task, answer]))?;
                if let Some(game) = game {
                    let insert = "INSERT OR IGNORE INTO game VALUES (?1, ?2, ?3)";
                    let mut insert = self.check(self.connection.prepare_cached(insert))?;
                    self.check(insert.execute(params![run, *number as i64, json(game)]))?;
                }
            }
            Entry::Generation { run, summary, population } => {
                let insert = "INSERT OR IGNORE INTO generation VALUES (?1, ?2, ?3, ?4)";
                let mut insert = self.check(self.connection.prepare_cached(insert))?;
                self.check(insert.execute(params![run, summary.number, json(summary), json(population)]))?;
            }
        }
        Ok(())
    }

    fn path(&self) -> String {
        self.directory.join(FILE_NAME).display().to_string()
    }

    fn check<T>(&self, result: Result<T, rusqlite::Error>) -> Result<T, StoreError> {
        result.map_err(|source| error(self.path(), source))
    }

    fn content<T>(&self, what: &str, result: Result<T, serde_json::Error>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::Content { path: self.path(), what: what.to_owned(), source })
    }
}

const SELECT_EXPERIMENT: &str =
    "SELECT id, file, method, about, seed, signature, created, seconds, result FROM experiment";

fn experiment_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<ExperimentRow> {
    Ok(ExperimentRow {
        id: row.get(0)?,
        file: row.get(1)?,
        method: row.get(2)?,
        about: row.get(3)?,
        seed: row.get::<_, i64>(4)? as u64,
        signature: row.get(5)?,
        created: row.get::<_, i64>(6)? as u64,
        seconds: row.get(7)?,
        result: row.get(8)?,
    })
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("plain data")
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let failed = |source| error(path.display().to_string(), source);
    let connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(Duration::from_secs(30)).map_err(failed)?;
    Ok(connection)
}

fn error(path: String, source: rusqlite::Error) -> StoreError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path }
        }
        Some(ErrorCode::NotADatabase) => StoreError::NotOurs { path },
        _ => StoreError::Sqlite { path, source },
    }
}
