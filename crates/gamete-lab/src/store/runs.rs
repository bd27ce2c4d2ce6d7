use rusqlite::OptionalExtension;

use super::{Store, StoreError};

/// One run of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its number in the store.
    pub number: i64,
    /// Where it belongs: `s=0.5/2` is the second replicate of an arm; the experiment itself has the empty path.
    pub path: String,
}

impl Store {
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
        let rows = select
            .query_map([experiment], |row| Ok(RunRow { number: row.get("number")?, path: row.get("path")? }));
        self.check(self.check(rows)?.collect())
    }
}
