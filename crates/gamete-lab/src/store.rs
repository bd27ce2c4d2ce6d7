//! One SQLite file with everything a lab knows.

mod reading;
mod schema;
#[cfg(test)]
mod tests;
mod verification;

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use gamete_arena::{GameName, Termination};
use gamete_optim::Genome;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::generation::Generation;
use schema::{Found, PATIENCE, VERSION};

const FILE_NAME: &str = "lab.sqlite";

/// In the place of the hash of a task: a method asked for the time.
pub(crate) const CLOCK: i64 = 1;

/// Where a lab keeps what it knows.
pub struct Store {
    directory: PathBuf,
    connection: Connection,
    /// What is read where the lab itself cannot be opened.
    _copy: Option<tempfile::TempDir>,
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
    /// It cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        source: std::io::Error,
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
    /// What is stored cannot be.
    #[error("{path}: damaged: {what}; `gamete delete` the experiment, or name another directory with --lab")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
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
    Outcome {
        run: i64,
        number: u64,
        task: i64,
        answer: String,
        game: Option<Box<GameRecord>>,
    },
    Generation {
        run: i64,
        summary: Box<Generation>,
        population: Vec<Genome>,
    },
    /// How long an experiment has run.
    Seconds {
        experiment: String,
        seconds: f64,
    },
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
        let connection = connect(&directory.join(FILE_NAME))?;
        let store = Self { directory: directory.to_owned(), connection, _copy: None };
        match store.check(schema::set_up(&store.connection))? {
            Found::NotOurs => Err(StoreError::NotOurs { path: store.path() }),
            Found::Lab(found) if found > VERSION => Err(StoreError::Newer { path: store.path(), found }),
            Found::Lab(_) => Ok(store),
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
        match Self::create(directory) {
            Err(StoreError::ReadOnly { .. }) => Self::open_read_only(directory),
            opened => opened,
        }
    }

    fn open_read_only(directory: &Path) -> Result<Self, StoreError> {
        let reading::Reading { connection, copy } = reading::open(directory)?;
        Ok(Self { directory: directory.to_owned(), connection, _copy: copy })
    }

    /// Another handle on the same lab.
    pub(crate) fn again(&self) -> Result<Self, StoreError> {
        Self::create(&self.directory)
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
        let file = gamete_arena::files::open_lock_file(&path)
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
            .map_or_else(|| "; ".to_owned(), |nearest| format!("; did you mean {nearest:?}? "));
        let hint = format!("{hint}`gamete list` shows all");
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

    /// How long an experiment has run: never less than what any of its generations and answers says.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn seconds(&self, id: &str) -> Result<f64, StoreError> {
        let sql = "SELECT max(
                coalesce((SELECT seconds FROM experiment WHERE id = ?1), 0.0),
                coalesce((SELECT max(CASE WHEN json_valid(summary) THEN json_extract(summary, '$.seconds') END)
                    FROM generation JOIN run ON run.number = generation.run WHERE experiment = ?1), 0.0),
                coalesce((SELECT max(CAST(answer AS REAL))
                    FROM outcome JOIN run ON run.number = outcome.run WHERE experiment = ?1 AND task = ?2), 0.0))";
        self.check(self.connection.query_row(sql, params![id, CLOCK], |row| row.get(0)))
    }

    /// Writes down how long an experiment has run, which never becomes less.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn set_seconds(&self, id: &str, seconds: f64) -> Result<(), StoreError> {
        let update = "UPDATE experiment SET seconds = max(seconds, ?2) WHERE id = ?1";
        self.check(self.check(self.connection.prepare_cached(update))?.execute(params![id, seconds]))?;
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

    /// What a run has been answered, by the number of the question: the hash of each task, and the answer.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or a row makes no sense.
    pub fn outcomes(&self, run: i64) -> Result<HashMap<u64, (i64, String)>, StoreError> {
        let sql = "SELECT number, task, answer FROM outcome WHERE run = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let mut outcomes = HashMap::new();
        let mut rows = self.check(select.query([run]))?;
        while let Some(row) = self.check(rows.next())? {
            let number: i64 = self.check(row.get(0))?;
            let number = u64::try_from(number)
                .map_err(|_| self.damaged(format!("an outcome of run {run} has the number {number}")))?;
            outcomes.insert(number, (self.check(row.get(1))?, self.check(row.get(2))?));
        }
        Ok(outcomes)
    }

    /// The generations of a run, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn generations(&self, run: i64) -> Result<Vec<GenerationRow>, StoreError> {
        let sql = "SELECT number, summary, population FROM generation WHERE run = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let rows = self.check(select.query_map([run], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        }))?;
        let mut generations = Vec::new();
        for row in rows {
            let (number, summary, population) = self.check(row)?;
            let summary = self.summary(run, number, &summary)?;
            let population: Vec<Genome> = self.content("a population", serde_json::from_str(&population))?;
            if population.iter().any(|genome| genome.len() != summary.spread.len()) {
                return Err(
                    self.damaged(format!("generation {number} of run {run} has genomes of another length"))
                );
            }
            generations.push(GenerationRow { summary, population });
        }
        Ok(generations)
    }

    /// What happened in the generations of a run, in order, without the populations.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn summaries(&self, run: i64) -> Result<Vec<Generation>, StoreError> {
        let sql = "SELECT number, summary FROM generation WHERE run = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let rows =
            self.check(select.query_map([run], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))))?;
        let mut summaries = Vec::new();
        for row in rows {
            let (number, summary) = self.check(row)?;
            summaries.push(self.summary(run, number, &summary)?);
        }
        Ok(summaries)
    }

    /// What happened in a generation, which knows its own number.
    fn summary(&self, run: i64, number: i64, text: &str) -> Result<Generation, StoreError> {
        let summary: Generation = self.content("a generation", serde_json::from_str(text))?;
        if i64::from(summary.number) != number {
            return Err(self.damaged(format!("a generation of run {run} has the number {number}")));
        }
        Ok(summary)
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
                let insert =
                    "INSERT OR IGNORE INTO outcome (run, number, task, answer) VALUES (?1, ?2, ?3, ?4)";
                let mut insert = self.check(self.connection.prepare_cached(insert))?;
                self.check(insert.execute(params![run, *number as i64, task, answer]))?;
                if let Some(game) = game {
                    let insert = "INSERT OR IGNORE INTO game (run, number, record) VALUES (?1, ?2, ?3)";
                    let mut insert = self.check(self.connection.prepare_cached(insert))?;
                    self.check(insert.execute(params![run, *number as i64, json(game)]))?;
                }
            }
            Entry::Seconds { experiment, seconds } => self.set_seconds(experiment, *seconds)?,
            Entry::Generation { run, summary, population } => {
                let insert = "INSERT OR IGNORE INTO generation (run, number, summary, population) VALUES (?1, ?2, ?3, ?4)";
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

    fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.path(), what }
    }

    fn content<T>(&self, what: &str, result: Result<T, serde_json::Error>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::Content { path: self.path(), what: what.to_owned(), source })
    }
}

const SELECT_EXPERIMENT: &str =
    "SELECT id, file, method, about, seed, signature, created, seconds, result FROM experiment";

/// The end of the year 9999, after which dates are damage.
const LATEST: i64 = 253_402_300_799;

fn experiment_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<ExperimentRow> {
    Ok(ExperimentRow {
        id: row.get(0)?,
        file: row.get(1)?,
        method: row.get(2)?,
        about: row.get(3)?,
        seed: row.get::<_, i64>(4)? as u64,
        signature: row.get(5)?,
        created: row.get::<_, i64>(6)?.clamp(0, LATEST) as u64,
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
    connection.busy_timeout(PATIENCE).map_err(failed)?;
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
