use axum::Json as Answer;
use axum::extract::State;
use gamete_lab::{Generation, Store};
use serde::{Deserialize, Serialize};

use super::{find_run, player_name};
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Names, Params};

/// Generations of a run that are wanted.
#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    run: String,
    points: Option<usize>,
    after: Option<i64>,
    from: Option<u32>,
    to: Option<u32>,
}

/// Generations of a run, evenly apart.
#[derive(Serialize)]
pub struct Generations {
    run: String,
    genes: Vec<String>,
    count: u32,
    step: u32,
    generations: Vec<Generation>,
}

/// So many points are enough for a chart.
const USUAL_POINTS: usize = 500;
const MOST_POINTS: usize = 2000;

/// Points times genes in an answer: with hundreds of genes there are fewer points.
const MOST_VALUES: usize = 500_000;

/// The genes of a run, which are those of its arm.
pub fn genes_of(store: &Store, id: &str, run: &str) -> Result<Vec<String>, ApiError> {
    let experiment = store.experiment(id)?.experiment().map_err(ApiError::unavailable)?;
    let head = &experiment.head;
    let arm = head
        .arms
        .iter()
        .position(|arm| run.strip_prefix(arm.name.as_str()).is_some_and(|rest| rest.starts_with('/')));
    Ok(match arm {
        Some(arm) => gamete_lab::arms(&experiment)[arm].genes(),
        None => experiment.genes(),
    })
}

/// `GET /api/experiments/{id}/generations`.
pub async fn generations(
    State(app): State<App>,
    Names(id): Names<String>,
    Params(wanted): Params<Wanted>,
) -> Result<Answer<Generations>, ApiError> {
    app.read(move |_, store| {
        let run = find_run(store, &id, &wanted.run)?;
        let genes = genes_of(store, &id, &run.path)?;
        let most = (MOST_VALUES / genes.len().max(1)).clamp(2, MOST_POINTS);
        let points = wanted.points.unwrap_or(USUAL_POINTS).clamp(2, most);
        let after =
            wanted.after.map_or(0, |after| u32::try_from(after.saturating_add(1).max(0)).unwrap_or(u32::MAX));
        let first = wanted.from.unwrap_or(0).max(after);
        let found = store.thinned(run.number, first, wanted.to.unwrap_or(u32::MAX), points)?;
        Ok(Answer(Generations {
            genes,
            run: run.path,
            count: found.last.map_or(0, |last| last + 1),
            step: found.step,
            generations: found.generations,
        }))
    })
    .await
}

#[derive(Deserialize)]
pub struct WantedPopulation {
    #[serde(default)]
    run: String,
    generation: Option<u32>,
}

/// The individuals of a generation.
#[derive(Serialize)]
pub struct Population {
    run: String,
    generation: u32,
    genes: Vec<String>,
    individuals: Vec<IndividualView>,
}

/// One of a population.
#[derive(Serialize)]
struct IndividualView {
    number: usize,
    genome: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fitness: Option<f64>,
    /// Those of the generation before that it comes from, by their numbers from 1.
    parents: Vec<u32>,
    player: String,
}

/// The last generation of a run, or one that it has.
pub fn generation_of(store: &Store, id: &str, run: i64, wanted: Option<u32>) -> Result<u32, ApiError> {
    let last =
        store.last_number(run)?.ok_or_else(|| ApiError::not_found(format!("{id} has no generations yet")))?;
    match wanted {
        Some(wanted) if wanted > last => {
            Err(ApiError::not_found(format!("{id} has no generation {wanted}; the last one is {last}")))
        }
        wanted => Ok(wanted.unwrap_or(last)),
    }
}

/// `GET /api/experiments/{id}/population`.
pub async fn population(
    State(app): State<App>,
    Names(id): Names<String>,
    Params(wanted): Params<WantedPopulation>,
) -> Result<Answer<Population>, ApiError> {
    app.read(move |_, store| {
        let run = find_run(store, &id, &wanted.run)?;
        let generation = generation_of(store, &id, run.number, wanted.generation)?;
        let name = player_name(&id, &run.path);
        let individuals = store.individuals(run.number, generation)?.into_iter().enumerate();
        let individuals = individuals.map(|(index, one)| IndividualView {
            number: index + 1,
            genome: one.genome.to_vec(),
            fitness: one.fitness,
            parents: one.parents.iter().map(|parent| parent + 1).collect(),
            player: format!("{name}@{generation}#{}", index + 1),
        });
        Ok(Answer(Population {
            individuals: individuals.collect(),
            genes: genes_of(store, &id, &run.path)?,
            run: run.path,
            generation,
        }))
    })
    .await
}
