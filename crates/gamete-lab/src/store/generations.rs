use gamete_optim::Genome;
use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};
use crate::generation::Generation;

/// A generation with its population.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerationRow {
    /// What happened.
    pub summary: Generation,
    /// The genomes after it.
    pub population: Vec<Genome>,
}

impl Store {
    /// The generations of a run, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn generations(&self, run: i64) -> Result<Vec<GenerationRow>, StoreError> {
        let sql = "SELECT number, summary, population FROM generation WHERE run = ?1 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let rows = self.check(select.query_map([run], |row| {
            Ok((
                row.get::<_, i64>("number")?,
                row.get::<_, String>("summary")?,
                row.get::<_, String>("population")?,
            ))
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
}
