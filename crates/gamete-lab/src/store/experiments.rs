use rusqlite::{Connection, OptionalExtension, params};

use super::outcomes::CLOCK;
use super::{Store, StoreError};

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

impl Store {
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
    pub(crate) fn set_seconds(&self, id: &str, seconds: f64) -> Result<(), StoreError> {
        let update = "UPDATE experiment SET seconds = max(seconds, ?2) WHERE id = ?1";
        self.check(self.check(self.connection.prepare_cached(update))?.execute(params![id, seconds]))?;
        Ok(())
    }

    /// Writes down what came out.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub(crate) fn set_result(&self, id: &str, result: &str) -> Result<(), StoreError> {
        let update = "UPDATE experiment SET result = ?2 WHERE id = ?1";
        self.check(self.connection.execute(update, params![id, result]))?;
        Ok(())
    }

    /// Gives an experiment another file, which has not come to an end yet.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub(crate) fn change_file(&self, id: &str, file: &str, about: &str) -> Result<(), StoreError> {
        let update = "UPDATE experiment SET file = ?2, about = ?3, result = NULL WHERE id = ?1";
        self.check(self.connection.execute(update, params![id, file, about]))?;
        Ok(())
    }

    /// Forgets an experiment and all that belongs to it, or a pipeline with its stages.
    ///
    /// # Errors
    ///
    /// When there is none with this name, it is being run, or it is a stage.
    pub fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.experiment(id)?;
        let _claim = self.claim(id)?;
        if let Some(pipeline) = pipeline_of(id)
            && self.find(pipeline)?.is_some()
        {
            return Err(StoreError::Stage { id: id.to_owned(), pipeline: pipeline.to_owned() });
        }
        let delete = "DELETE FROM experiment WHERE id = ?1 OR substr(id, 1, length(?1) + 1) = ?1 || '/'";
        self.check(self.connection.execute(delete, [id]))?;
        let _ = std::fs::remove_file(self.directory().join(format!("{id}.lock")));
        Ok(())
    }
}

/// An experiment with its checksum, if it is there.
pub(super) fn with_checksum(
    connection: &Connection,
    id: &str,
) -> rusqlite::Result<Option<(ExperimentRow, Option<Vec<u8>>)>> {
    let sql = "SELECT id, file, method, about, seed, signature, created, seconds, result, checksum FROM experiment \
               WHERE id = ?1";
    connection.query_row(sql, [id], |row| Ok((experiment_row(row)?, row.get("checksum")?))).optional()
}

/// The pipeline that something with this name is a stage of, if it is one.
pub(crate) fn pipeline_of(id: &str) -> Option<&str> {
    id.split_once('/').map(|(pipeline, _)| pipeline)
}

const SELECT_EXPERIMENT: &str =
    "SELECT id, file, method, about, seed, signature, created, seconds, result FROM experiment";

/// The end of the year 9999, after which dates are damage.
const LATEST: i64 = 253_402_300_799;

fn experiment_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<ExperimentRow> {
    Ok(ExperimentRow {
        id: row.get("id")?,
        file: row.get("file")?,
        method: row.get("method")?,
        about: row.get("about")?,
        seed: row.get::<_, i64>("seed")? as u64,
        signature: row.get("signature")?,
        created: row.get::<_, i64>("created")?.clamp(0, LATEST) as u64,
        seconds: row.get("seconds")?,
        result: row.get("result")?,
    })
}
