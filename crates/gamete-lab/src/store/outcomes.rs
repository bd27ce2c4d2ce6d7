use std::collections::HashMap;

use super::{Store, StoreError};

/// In the place of the hash of a task: a method asked for the time.
pub(crate) const CLOCK: i64 = 1;

impl Store {
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
}
