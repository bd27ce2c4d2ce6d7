//! The methods, one file each: published procedures that read like their papers, and the registry of all.

mod evolution_strategy;
mod kendall_whitwell;
mod meta_evolution;
mod method;
mod quick_tournament;

use std::collections::BTreeMap;

use gamete_optim::{Genome, Pairing, Round, Space};
use gamete_stats::{PairScore, Spread};

pub(crate) use kendall_whitwell::KendallWhitwell;
pub(crate) use meta_evolution::play_pairs;
pub use method::{Answer, Finding, Method, MethodInfo};

use crate::experiment::Budget;
use crate::generation::{MatchCounts, convergence};
use crate::runtime::{Lab, LabError};

/// Every method.
pub const METHODS: &[MethodInfo] =
    &[kendall_whitwell::INFO, quick_tournament::INFO, evolution_strategy::INFO, meta_evolution::INFO];

/// Plays the matches of a round, as many at a time as can be.
fn play_round<P>(
    mut round: Round<'_>,
    mut start: impl FnMut(Pairing) -> Result<P, LabError>,
    mut finish: impl FnMut(P) -> Result<PairScore, LabError>,
) -> Result<MatchCounts, LabError> {
    let mut matches = MatchCounts::default();
    let mut playing = BTreeMap::new();
    loop {
        while let Some(pairing) = round.ask() {
            playing.insert(pairing.number, start(pairing)?);
        }
        // The first is the one that the rest waits for, and the order of what is asked for stays the same.
        let Some((number, open)) = playing.pop_first() else { return Ok(matches) };
        let score = finish(open)?;
        matches.add(score);
        round.tell(number, score);
    }
}

/// Where a run begins: at random, or with the best of another experiment's last population and random others.
fn initial_population(
    space: &Space,
    size: usize,
    from: &str,
    lab: &mut Lab<'_>,
) -> Result<Vec<Genome>, LabError> {
    let mut rng = lab.rng("population");
    let mut population = if from.is_empty() { Vec::new() } else { lab.recall(from)? };
    let wanted = space.names().len();
    if let Some(other) = population.iter().find(|genome| genome.len() != wanted) {
        let (from, path, found) = (from.to_owned(), lab.path().to_owned(), other.len());
        return Err(LabError::AnotherSpace { from, path, found, wanted });
    }
    population.truncate(size);
    while population.len() < size {
        population.push(space.random(&mut rng));
    }
    Ok(population)
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

    /// Whether nothing is left after a generation of so many games.
    fn is_spent(&mut self, lab: &mut Lab<'_>, games: u64, population: &[Genome]) -> Result<bool, LabError> {
        self.games += games;
        let Budget { games, seconds, convergence: threshold, .. } = self.budget;
        Ok(games > 0 && self.games >= games
            || threshold > 0.0 && convergence(&self.start, &Spread::of_columns(population)) <= threshold
            || seconds > 0.0 && lab.seconds()? >= seconds)
    }
}
