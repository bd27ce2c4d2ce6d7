use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::checksum::of_outcome;
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
        let sql = "SELECT number, task, answer, checksum FROM outcome WHERE run = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let mut outcomes = HashMap::new();
        let mut rows = self.check(select.query([run]))?;
        while let Some(row) = self.check(rows.next())? {
            let number: i64 = self.check(row.get(0))?;
            let number = u64::try_from(number)
                .map_err(|_| self.damaged(format!("an outcome of run {run} has the number {number}")))?;
            let (task, answer): (i64, String) = (self.check(row.get(1))?, self.check(row.get(2))?);
            // Those of earlier versions have none.
            let checksum: Option<[u8; 32]> = self.check(row.get(3))?;
            if checksum.is_some_and(|checksum| checksum != of_outcome(number, task, &answer)) {
                return Err(
                    self.damaged(format!("the checksum of outcome {number} of run {run} does not fit"))
                );
            }
            outcomes.insert(number, (task, answer));
        }
        Ok(outcomes)
    }

    /// Forgets what a run was answered after its first so many games.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written.
    pub(crate) fn forget_after(
        &self,
        run: i64,
        games: u64,
        is_game: impl Fn(&str) -> bool,
    ) -> Result<(), StoreError> {
        let mut answers: Vec<(u64, String)> =
            self.outcomes(run)?.into_iter().map(|(number, (_, answer))| (number, answer)).collect();
        answers.sort_by_key(|(number, _)| *number);
        let played = answers.into_iter().filter(|(_, answer)| is_game(answer));
        let last = played.take(games as usize).last().map_or(-1, |(number, _)| number as i64);
        let delete = "DELETE FROM outcome WHERE run = ?1 AND number > ?2";
        self.check(self.connection.execute(delete, params![run, last]))?;
        Ok(())
    }
}

/// Writes an outcome down. Gives its checksum if it is new; one that is there stays as it is.
pub(super) fn insert_outcome(
    connection: &Connection,
    run: i64,
    number: u64,
    task: i64,
    answer: &str,
) -> rusqlite::Result<Option<[u8; 32]>> {
    let insert =
        "INSERT OR IGNORE INTO outcome (run, number, task, answer, checksum) VALUES (?1, ?2, ?3, ?4, ?5)";
    let checksum = of_outcome(number, task, answer);
    let new =
        connection.prepare_cached(insert)?.execute(params![run, number as i64, task, answer, checksum])? > 0;
    Ok(new.then_some(checksum))
}
