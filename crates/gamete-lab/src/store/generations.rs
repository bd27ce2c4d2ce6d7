use rusqlite::{OptionalExtension, Row, params};

use super::{Store, StoreError};
use crate::generation::Generation;
use crate::individual::Individual;

/// A generation with its population.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerationRow {
    /// What happened.
    pub summary: Generation,
    /// The individuals after it.
    pub population: Vec<Individual>,
}

impl Store {
    /// The generations of a run, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn generations(&self, run: i64) -> Result<Vec<GenerationRow>, StoreError> {
        let mut generations = Vec::new();
        for summary in self.summaries(run)? {
            let number = summary.number;
            let population = self.individuals(run, number)?;
            if population.iter().any(|one| one.genome.len() != summary.spread.len()) {
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
        let rows = self
            .check(select.query_map([run], |row| {
                Ok((row.get::<_, i64>("number")?, row.get::<_, String>("summary")?))
            }))?;
        let mut summaries = Vec::new();
        for row in rows {
            let (number, summary) = self.check(row)?;
            summaries.push(self.summary(run, number, &summary)?);
        }
        Ok(summaries)
    }

    /// What happened in a generation of a run, if it is stored.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn generation(&self, run: i64, number: u32) -> Result<Option<Generation>, StoreError> {
        let text = self.summary_text(run, number)?;
        text.map(|text| self.summary(run, number.into(), &text)).transpose()
    }

    /// The same as it is stored.
    pub(super) fn summary_text(&self, run: i64, number: u32) -> Result<Option<String>, StoreError> {
        let sql = "SELECT summary FROM generation WHERE run = ?1 AND number = ?2";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        self.check(select.query_row(params![run, number], |row| row.get("summary")).optional())
    }

    /// What happened in the last generation of a run, if it has one.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn last_generation(&self, run: i64) -> Result<Option<Generation>, StoreError> {
        let sql = "SELECT number, summary FROM generation WHERE run = ?1 ORDER BY number DESC LIMIT 1";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let last = |row: &Row<'_>| Ok((row.get::<_, i64>("number")?, row.get::<_, String>("summary")?));
        let found = self.check(select.query_row([run], last).optional())?;
        found.map(|(number, text)| self.summary(run, number, &text)).transpose()
    }

    /// What happened in a generation, which knows its own number.
    pub(super) fn summary(&self, run: i64, number: i64, text: &str) -> Result<Generation, StoreError> {
        let summary: Generation = self.content("a generation", serde_json::from_str(text))?;
        if i64::from(summary.number) != number {
            return Err(self.damaged(format!("a generation of run {run} has the number {number}")));
        }
        Ok(summary)
    }

    /// The population after the last generation of a run, if it has one.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn last_population(&self, run: i64) -> Result<Option<Vec<Individual>>, StoreError> {
        let last = self.summaries(run)?.pop();
        last.map(|last| self.individuals(run, last.number)).transpose()
    }
}
