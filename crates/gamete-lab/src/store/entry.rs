use rusqlite::params;

use super::individuals::insert_individuals;
use super::outcomes::insert_outcome;
use super::{GameRecord, Store, StoreError, json};
use crate::generation::Generation;
use crate::individual::Individual;

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
        population: Vec<Individual>,
    },
    /// The landscape that the model of an experiment has found so far, as text.
    Landscape {
        experiment: String,
        text: String,
    },
    /// How long an experiment has run.
    Seconds {
        experiment: String,
        seconds: f64,
    },
}

impl Store {
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
                self.check(insert_outcome(&self.connection, *run, *number, *task, answer))?;
                if let Some(game) = game {
                    let insert = "INSERT OR IGNORE INTO game (run, number, record) VALUES (?1, ?2, ?3)";
                    let mut insert = self.check(self.connection.prepare_cached(insert))?;
                    self.check(insert.execute(params![run, *number as i64, json(game)]))?;
                }
            }
            Entry::Landscape { experiment, text } => self.set_landscape(experiment, text)?,
            Entry::Seconds { experiment, seconds } => self.set_seconds(experiment, *seconds)?,
            Entry::Generation { run, summary, population } => {
                let insert =
                    "INSERT OR IGNORE INTO generation (run, number, summary, size) VALUES (?1, ?2, ?3, ?4)";
                let mut insert = self.check(self.connection.prepare_cached(insert))?;
                let size = population.len() as i64;
                let new = self.check(insert.execute(params![run, summary.number, json(summary), size]))? > 0;
                if new {
                    let number = i64::from(summary.number);
                    self.check(insert_individuals(&self.connection, *run, number, population))?;
                }
            }
        }
        Ok(())
    }
}
