//! Where an individual comes from.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json as Answer;
use axum::extract::State;
use gamete_lab::Individual;
use serde::{Deserialize, Serialize};

use super::find_run;
use super::generations::{generation_of, genes_of};
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Names, Params};

/// More ancestors than this are left out.
const MOST_NODES: usize = 2000;

/// Generations to go back if nothing is said.
const USUAL_DEPTH: u32 = 8;

/// Whose family is wanted.
#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    run: String,
    generation: Option<u32>,
    #[serde(default = "first")]
    individual: u32,
    depth: Option<u32>,
}

const fn first() -> u32 {
    1
}

/// An individual and its ancestors.
#[derive(Serialize)]
pub struct Family {
    run: String,
    genes: Vec<String>,
    nodes: Vec<Node>,
    /// Whether the method says who comes from whom.
    is_known: bool,
}

#[derive(Serialize)]
struct Node {
    generation: u32,
    number: u32,
    fitness: Option<f64>,
    genome: Vec<f64>,
    /// By their numbers in the generation before, from 1.
    parents: Vec<u32>,
    /// Whether it is its own only parent.
    survived: bool,
}

/// `GET /api/experiments/{id}/family`.
pub async fn family(
    State(app): State<App>,
    Names(id): Names<String>,
    Params(wanted): Params<Wanted>,
) -> Result<Answer<Family>, ApiError> {
    app.read(move |_, store| {
        let run = find_run(store, &id, &wanted.run)?;
        let generation = generation_of(store, &id, run.number, wanted.generation)?;
        let depth = wanted.depth.unwrap_or(USUAL_DEPTH).min(generation);
        let mut populations: BTreeMap<u32, Vec<Individual>> = BTreeMap::new();
        for number in generation - depth..=generation {
            populations.insert(number, store.individuals(run.number, number)?);
        }
        let size = populations[&generation].len();
        if wanted.individual == 0 || wanted.individual as usize > size {
            let message = format!(
                "generation {generation} has the individuals 1 to {size}, and no {}",
                wanted.individual
            );
            return Err(ApiError::not_found(message));
        }
        let nodes = ancestors(&populations, generation, wanted.individual - 1);
        Ok(Answer(Family {
            genes: genes_of(store, &id, &run.path)?,
            run: run.path,
            is_known: generation == 0 || nodes.iter().any(|node| !node.parents.is_empty()),
            nodes,
        }))
    })
    .await
}

/// An individual and all it comes from, generation by generation back.
fn ancestors(populations: &BTreeMap<u32, Vec<Individual>>, generation: u32, place: u32) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut places = BTreeSet::from([place]);
    for (&number, population) in populations.range(..=generation).rev() {
        let mut before = BTreeSet::new();
        for &place in &places {
            let Some(one) = population.get(place as usize).filter(|_| nodes.len() < MOST_NODES) else {
                continue;
            };
            before.extend(&one.parents);
            let parent = populations.get(&number.wrapping_sub(1)).zip(one.parents.first());
            let parent = parent.and_then(|(population, &place)| population.get(place as usize));
            nodes.push(Node {
                generation: number,
                number: place + 1,
                fitness: one.fitness,
                genome: one.genome.to_vec(),
                parents: one.parents.iter().map(|parent| parent + 1).collect(),
                survived: one.parents.len() == 1 && parent.is_some_and(|parent| parent.genome == one.genome),
            });
        }
        places = before;
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: f64, parents: &[u32]) -> Individual {
        Individual { genome: vec![value].into_iter().collect(), fitness: None, parents: parents.to_vec() }
    }

    #[test]
    fn ancestors_are_followed_back_to_the_start() {
        let populations = BTreeMap::from([
            (0, vec![one(1.0, &[]), one(2.0, &[]), one(3.0, &[])]),
            (1, vec![one(2.0, &[1]), one(2.5, &[1, 2])]),
            (2, vec![one(2.2, &[0, 1])]),
        ]);
        let nodes = ancestors(&populations, 2, 0);
        let places: Vec<_> = nodes.iter().map(|node| (node.generation, node.number, node.survived)).collect();
        assert_eq!(places, [(2, 1, false), (1, 1, true), (1, 2, false), (0, 2, false), (0, 3, false)]);
        assert_eq!(nodes[2].parents, [2, 3], "numbers are from 1");
    }
}
