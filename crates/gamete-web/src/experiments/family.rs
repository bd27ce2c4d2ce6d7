//! Where an individual comes from, and what came of it.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use axum::Json as Answer;
use axum::extract::State;
use gamete_lab::Individual;
use serde::{Deserialize, Serialize};

use super::find_run;
use super::generations::{generation_of, genes_of};
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Names, Params};

/// More ancestors than this are left out, and more descendants.
const MOST_NODES: usize = 1000;

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
    /// Generations to go on.
    #[serde(default)]
    ahead: u32,
}

const fn first() -> u32 {
    1
}

/// An individual, its ancestors and its descendants.
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
        let population = store.individuals(run.number, generation)?;
        let size = population.len();
        if wanted.individual == 0 || wanted.individual as usize > size {
            let message = format!(
                "generation {generation} has the individuals 1 to {size}, and no {}",
                wanted.individual
            );
            return Err(ApiError::not_found(message));
        }
        let last = generation_of(store, &id, run.number, None)?;
        let end = generation.saturating_add(wanted.ahead).min(last);
        // Those of the first generation have no parents, whatever the method.
        let bred = generation.max(1).min(last);
        let is_known =
            bred == 0 || store.individuals(run.number, bred)?.iter().any(|one| !one.parents.is_empty());
        let read = |number: u32| store.individuals(run.number, number).map_err(ApiError::from);
        let place = wanted.individual - 1;
        let children = descendants(read, &population, generation..=end, place)?;
        let mut nodes = ancestors(read, population, generation - depth..=generation, place)?;
        nodes.extend(children);
        Ok(Answer(Family { genes: genes_of(store, &id, &run.path)?, run: run.path, nodes, is_known }))
    })
    .await
}

/// An individual of the last of some generations and all it comes from, generation by generation back. Two populations are in memory at a
/// time, however many generations there are.
fn ancestors(
    mut read: impl FnMut(u32) -> Result<Vec<Individual>, ApiError>,
    mut population: Vec<Individual>,
    generations: RangeInclusive<u32>,
    place: u32,
) -> Result<Vec<Node>, ApiError> {
    let mut nodes = Vec::new();
    let mut places = BTreeSet::from([place]);
    let first = *generations.start();
    for number in generations.rev() {
        let before = if number > first { read(number - 1)? } else { Vec::new() };
        let mut places_before = BTreeSet::new();
        for &place in &places {
            let Some(one) = population.get(place as usize) else { continue };
            if nodes.len() >= MOST_NODES {
                return Ok(nodes);
            }
            places_before.extend(&one.parents);
            nodes.push(Node::new(number, place, one, &before));
        }
        if places_before.is_empty() {
            break;
        }
        (places, population) = (places_before, before);
    }
    Ok(nodes)
}

/// All that came of an individual of the first of some generations, generation by generation on. Two populations are in memory at a time.
fn descendants(
    mut read: impl FnMut(u32) -> Result<Vec<Individual>, ApiError>,
    population: &[Individual],
    generations: RangeInclusive<u32>,
    place: u32,
) -> Result<Vec<Node>, ApiError> {
    let mut nodes = Vec::new();
    let mut places = BTreeSet::from([place]);
    let mut before = population.to_vec();
    for number in generations.skip(1) {
        let population = read(number)?;
        let found = (0..).zip(&population);
        let found = found.filter(|(_, one)| one.parents.iter().any(|parent| places.contains(parent)));
        let found: Vec<_> = found.take(MOST_NODES - nodes.len()).collect();
        if found.is_empty() {
            break;
        }
        nodes.extend(found.iter().map(|(place, one)| Node::new(number, *place, one, &before)));
        places = found.into_iter().map(|(place, _)| place).collect();
        before = population;
    }
    Ok(nodes)
}

impl Node {
    /// An individual by its place, with the generation before it.
    fn new(generation: u32, place: u32, one: &Individual, before: &[Individual]) -> Self {
        let parent = one.parents.first().and_then(|&place| before.get(place as usize));
        Self {
            generation,
            number: place + 1,
            fitness: one.fitness,
            genome: one.genome.to_vec(),
            parents: one.parents.iter().map(|parent| parent + 1).collect(),
            survived: one.parents.len() == 1 && parent.is_some_and(|parent| parent.genome == one.genome),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: f64, parents: &[u32]) -> Individual {
        Individual { genome: vec![value].into_iter().collect(), fitness: None, parents: parents.to_vec() }
    }

    #[test]
    fn ancestors_are_followed_back_to_the_start() {
        let read = |number: u32| {
            Ok(match number {
                0 => vec![one(1.0, &[]), one(2.0, &[]), one(3.0, &[])],
                1 => vec![one(2.0, &[1]), one(2.5, &[1, 2])],
                _ => unreachable!("nothing else is read"),
            })
        };
        let nodes = ancestors(read, vec![one(2.2, &[0, 1])], 0..=2, 0).expect("a family");
        let places: Vec<_> = nodes.iter().map(|node| (node.generation, node.number, node.survived)).collect();
        assert_eq!(places, [(2, 1, false), (1, 1, true), (1, 2, false), (0, 2, false), (0, 3, false)]);
        assert_eq!(nodes[2].parents, [2, 3], "numbers are from 1");
        let nodes = ancestors(read, vec![one(2.2, &[0, 1])], 1..=2, 0).expect("a family");
        assert_eq!(nodes.len(), 3, "as far back as is asked for");
    }

    #[test]
    fn no_more_generations_are_read_than_are_shown() {
        let mut count = 0;
        let read = |_| {
            count += 1;
            Ok(vec![one(1.0, &[0])])
        };
        let nodes = ancestors(read, vec![one(1.0, &[0])], 0..=u32::MAX - 1, 0).expect("a family");
        assert!(nodes.len() == MOST_NODES && count <= MOST_NODES + 1, "{} of {count}", nodes.len());
        let nodes =
            ancestors(|_| Ok(Vec::new()), vec![one(1.0, &[])], 0..=u32::MAX - 1, 0).expect("a family");
        assert_eq!(nodes.len(), 1, "who has no parents has no family");
    }
    #[test]
    fn descendants_are_followed_to_the_last_generation() {
        let first = [one(1.0, &[]), one(2.0, &[]), one(3.0, &[])];
        let read = |number: u32| {
            Ok(match number {
                1 => vec![one(2.0, &[1]), one(2.5, &[1, 2])],
                2 => vec![one(2.2, &[0, 1]), one(2.0, &[0])],
                _ => unreachable!("nothing else is read"),
            })
        };
        let places = |nodes: Vec<Node>| -> Vec<_> {
            nodes.iter().map(|node| (node.generation, node.number, node.survived)).collect()
        };
        let of = |end, place| descendants(read, &first, 0..=end, place).expect("a family");
        assert_eq!(places(of(2, 1)), [(1, 1, true), (1, 2, false), (2, 1, false), (2, 2, true)]);
        assert_eq!(places(of(2, 2)), [(1, 2, false), (2, 1, false)]);
        assert_eq!(of(2, 2)[0].parents, [2, 3], "also of others");
        assert_eq!(places(of(1, 2)), [(1, 2, false)], "as far as is asked for");
        assert_eq!(places(of(2, 0)), [], "who has no child has no descendants");
    }
}
