use gamete_optim::Genome;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Store, StoreError, json};
use crate::individual::Individual;

impl Store {
    /// The individuals of a generation of a run, in the order of the population; nobody where there is no such generation.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or some are missing.
    pub fn individuals(&self, run: i64, generation: u32) -> Result<Vec<Individual>, StoreError> {
        let sql = "SELECT size FROM generation WHERE run = ?1 AND number = ?2";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let size = select.query_row(params![run, generation], |row| row.get::<_, i64>("size")).optional();
        let size = self.check(size)?;
        let Some(size) = size else { return Ok(Vec::new()) };
        let sql = "SELECT genome, fitness, parents FROM individual WHERE run = ?1 AND generation = ?2 ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let rows = self.check(select.query_map(params![run, generation], individual))?;
        let found: Option<Vec<Individual>> = self.check(rows.collect())?;
        found.filter(|found| found.len() as i64 == size).ok_or_else(|| {
            self.damaged(format!("the population of generation {generation} of run {run} is not all there"))
        })
    }
}

/// Writes the individuals of a new generation.
pub(super) fn insert_individuals<'a>(
    connection: &Connection,
    run: i64,
    generation: i64,
    individuals: impl IntoIterator<Item = &'a Individual>,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO individual (run, generation, number, genome, fitness, parents) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut insert = connection.prepare_cached(sql)?;
    for (number, Individual { genome, fitness, parents }) in individuals.into_iter().enumerate() {
        let parents = (!parents.is_empty()).then(|| json(parents));
        insert.execute(params![run, generation, number as i64, bytes(genome), fitness, parents])?;
    }
    Ok(())
}

/// An individual, unless its row makes no sense.
fn individual(row: &Row<'_>) -> rusqlite::Result<Option<Individual>> {
    let (genes, []) = row.get_ref("genome")?.as_blob()?.as_chunks::<8>() else { return Ok(None) };
    let genome = genes.iter().map(|&gene| f64::from_le_bytes(gene)).collect();
    let parents = row.get::<_, Option<String>>("parents")?;
    let parents = parents.map_or(Ok(Vec::new()), |parents| serde_json::from_str(&parents));
    let fitness = row.get("fitness")?;
    Ok(parents.ok().map(|parents| Individual { genome, fitness, parents }))
}

/// A genome as the store has it: less than half as long as text.
fn bytes(genome: &Genome) -> Vec<u8> {
    genome.iter().flat_map(|gene| gene.to_le_bytes()).collect()
}
