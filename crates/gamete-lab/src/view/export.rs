use gamete_optim::Genome;
use serde::Serialize;

use super::result::{ChampionResult, ClassicalResult, PlayoffResult, StudyResult};
use super::{ExperimentView, LabView, Ranking, ViewError};
use crate::generation::Generation;
use crate::store::GameRecord;

/// Everything that a lab has of an experiment, as `export --json` writes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Export {
    /// Its name in the lab.
    pub id: String,
    /// Its file, with every default in it.
    pub file: String,
    /// Its seed.
    pub seed: u64,
    /// What the engine was that played.
    pub signature: String,
    /// How long it has run, all sessions together.
    pub seconds: f64,
    /// The names of the genes.
    pub genes: Vec<String>,
    /// What came out, if it is finished.
    pub result: Option<ExportedResult>,
    /// All runs that have generations or games, those of play-offs too.
    pub runs: Vec<ExportedRun>,
}

/// What came out of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportedResult {
    /// The answer, gene by gene.
    pub champion: Vec<(String, f64)>,
    /// A hash of the last populations, to the last bit.
    pub digest: String,
    /// Games of the whole experiment.
    pub games: u64,
    /// The champion of each run of a study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub champions: Vec<ChampionResult>,
    /// How the champions of arms fared against each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub playoffs: Vec<PlayoffResult>,
    /// How they fared against the classical weights.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classical: Vec<ClassicalResult>,
    /// Optimisers by what came of them, if these are the arms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
}

/// A run with all that was kept of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportedRun {
    /// Where it belongs; empty for the experiment itself.
    pub path: String,
    /// Its generations, from the population at the start.
    pub generations: Vec<ExportedGeneration>,
    /// The games that were kept.
    pub games: Vec<GameRecord>,
}

/// A generation with its individuals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportedGeneration {
    /// What happened.
    pub summary: Generation,
    /// The genomes.
    pub population: Vec<Genome>,
    /// What each was ranked by, where the method says.
    pub fitness: Vec<Option<f64>>,
    /// The places of each one's parents in the generation before, where the method says.
    pub parents: Vec<Vec<u32>>,
}

impl LabView<'_> {
    /// Everything there is of an experiment.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, or the lab cannot be read.
    pub fn export(&self, view: &ExperimentView) -> Result<Export, ViewError> {
        let mut runs = Vec::new();
        for run in self.store.runs(&view.id)? {
            let generations = self.store.generations(run.number)?.into_iter().map(|row| {
                let fitness = row.population.iter().map(|one| one.fitness).collect();
                let parents = row.population.iter().map(|one| one.parents.clone()).collect();
                let population = row.population.into_iter().map(|one| one.genome).collect();
                ExportedGeneration { summary: row.summary, population, fitness, parents }
            });
            let generations: Vec<_> = generations.collect();
            let games = self.store.games(run.number)?;
            if !generations.is_empty() || !games.is_empty() {
                runs.push(ExportedRun { path: run.path, generations, games });
            }
        }
        let result = view.conclusion.as_ref().map(|found| {
            let StudyResult { champions, playoffs, classical, ranking } = view.study_result(found);
            let (champion, digest, games) = (found.champion.clone(), found.digest.clone(), found.games);
            ExportedResult { champion, digest, games, champions, playoffs, classical, ranking }
        });
        Ok(Export {
            id: view.id.clone(),
            file: view.file.clone(),
            seed: view.seed,
            signature: view.signature.clone(),
            seconds: view.seconds,
            genes: view.genes.clone(),
            result,
            runs,
        })
    }
}
