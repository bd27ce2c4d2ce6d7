//! The methods, one file each: published procedures that read like their papers, and the registry of all.

mod coevolution;
mod corpus_method;
mod evolution_strategy;
mod generational;
mod gradient;
mod kendall_whitwell;
mod meta_evolution;
mod method;
mod move_ranking;
mod optimize;
mod quick_tournament;
mod texel;

use gamete_optim::{Genome, Settings, Space};
use gamete_stats::Spread;
use toml::Table;

pub(crate) use kendall_whitwell::KendallWhitwell;
pub(crate) use meta_evolution::play_pairs;
pub(crate) use method::no_start_values;
pub use method::{Answer, Finding, Method, MethodInfo};

use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::{Budget, write, write_settings};
use crate::generation::convergence;
use crate::individual::Individual;
use crate::runtime::{Lab, LabError};

/// Every method.
pub const METHODS: &[MethodInfo] = &[
    kendall_whitwell::INFO,
    quick_tournament::INFO,
    evolution_strategy::INFO,
    meta_evolution::INFO,
    optimize::INFO,
    coevolution::INFO,
    move_ranking::INFO,
    texel::INFO,
];

/// Games of a generation that fit in memory.
const MAX_GAMES: usize = 1_000_000;

/// The keys of a method of players, with every default.
fn table_of(breed: &Breed, settings: &Settings) -> Table {
    let mut table = write(breed);
    table.extend(write_settings(settings));
    table
}

/// Where a run begins: at random, or with the best that it takes over from another experiment and random others.
fn initial_population(
    space: &Space,
    size: usize,
    start: Start<'_>,
    lab: &mut Lab<'_>,
) -> Result<Vec<Genome>, LabError> {
    let mut rng = lab.rng("population");
    let mut population = recall_start(space, start, lab)?;
    population.truncate(size);
    while population.len() < size {
        population.push(space.random(&mut rng));
    }
    Ok(population)
}

/// The genomes that a run begins with: the last population or the champion of another experiment, if it takes them over.
fn recall_start(space: &Space, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Vec<Genome>, LabError> {
    let genomes = lab.recall(start)?;
    let wanted = space.names().len();
    match genomes.iter().find(|genome| genome.len() != wanted) {
        None => Ok(genomes),
        Some(other) => {
            let (from, path, found) = (start.from.to_owned(), lab.path().to_owned(), other.len());
            Err(LabError::AnotherSpace { from, path, found, wanted })
        }
    }
}

/// Individuals of which each has one parent, by its place in the generation before.
fn with_parents(population: &[Genome], parents: &[usize]) -> Vec<Individual> {
    let individual = |(genome, &parent): (&Genome, &usize)| Individual {
        parents: vec![parent as u32],
        ..Individual::from(genome.clone())
    };
    population.iter().zip(parents).map(individual).collect()
}

/// Keeps an eye on a budget.
struct Spending {
    budget: Budget,
    start: Vec<Spread>,
    games: u64,
}

impl Spending {
    fn new(budget: Budget, population: &[Genome]) -> Self {
        Self { budget, start: Spread::of_columns(population), games: 0 }
    }

    /// The numbers of the generations there may be.
    fn generations(&self) -> std::ops::RangeInclusive<u32> {
        1..=if self.budget.generations == 0 { u32::MAX } else { self.budget.generations }
    }

    /// The last of them, if there is one.
    fn last(&self) -> Option<u32> {
        (self.budget.generations > 0).then_some(self.budget.generations)
    }

    /// How many trials of so many games there may still be, if games are what ends it.
    fn trials_left(&self, games: u64) -> Option<u64> {
        let trials = self.budget.games.saturating_sub(self.games).checked_div(games);
        trials.filter(|_| self.budget.games > 0)
    }

    /// Whether nothing is left after a generation of so many games.
    fn is_spent(&mut self, lab: &mut Lab<'_>, games: u64, population: &[Genome]) -> Result<bool, LabError> {
        self.games += games;
        let Budget { games, seconds, convergence: threshold, .. } = self.budget;
        Ok(games > 0 && self.games >= games
            || threshold > 0.0 && convergence(&self.start, &Spread::of_columns(population)) <= threshold
            || seconds > 0.0 && lab.seconds()? >= seconds)
    }
}
