use std::collections::BTreeMap;

use gamete_optim::{Genome, Match, Mutation, Round, Space};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{Answer, Finding, Method, MethodInfo, Spending, initial_population};
use crate::breed::{Breed, Breeder};
use crate::experiment::{Budget, ExperimentError, read, write};
use crate::generation::{MatchCounts, mean};
use crate::runtime::{GameResult, Lab, LabError, Ticket};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "kendall-whitwell",
    about: "Kendall and Whitwell 2001: population dynamics",
    read: |table| Ok(Box::new(read::<KendallWhitwell>(table)?)),
};

/// Kendall and Whitwell, "An Evolutionary Approach for the Tuning of a Chess Evaluation Function Using Population
/// Dynamics" (2001): see [`Round`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KendallWhitwell {
    /// Who plays.
    #[serde(flatten)]
    pub breed: Breed,
    /// How many players there are.
    pub population: usize,
    /// What all factors of the mutation are multiplied by.
    pub scale: f64,
    /// The factors of the mutation.
    pub mutation: Mutation,
}

impl Default for KendallWhitwell {
    fn default() -> Self {
        Self { breed: Breed::default(), population: 50, scale: 1.0, mutation: Mutation::default() }
    }
}

impl KendallWhitwell {
    /// Its name in experiment files.
    pub const NAME: &'static str = INFO.name;
}

impl Method for KendallWhitwell {
    fn table(&self) -> Table {
        write(self)
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        check_population(self.population)?;
        check_mutation(self.scale, &self.mutation)?;
        self.breed.complete()
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.breed.space()
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.breed)
    }

    fn answer(&self) -> Answer {
        Answer::MEAN
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let r = &self.mutation;
        let scale = if self.scale == 1.0 { String::new() } else { format!(" times {}", self.scale) };
        let factors = format!(
            "{}/{}, {}/{}, {}{scale}",
            r.win_winner, r.win_loser, r.edge_winner, r.edge_loser, r.draw
        );
        let mut facts = self.breed.facts();
        facts.push(("population", self.population.to_string()));
        facts.push(("factors R", factors));
        facts
    }

    fn planned_games(&self, budget: &Budget) -> u64 {
        let generation = 2 * (self.population as u64 - 1);
        let games = generation * u64::from(budget.generations);
        match (budget.generations, budget.games) {
            (_, 0) => games,
            (0, most) => most,
            (_, most) => games.min(most),
        }
    }

    /// Evolves a population. The answer is its mean.
    fn run(&self, budget: &Budget, from: &str, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        let breeder = Breeder::new(&self.breed);
        let mutation = self.mutation.scaled(self.scale);
        let bounds = breeder.space().bounds();
        let mut rng = lab.rng("dynamics");
        let mut population = initial_population(breeder.space(), self.population, from, lab)?;
        let mut spending = Spending::new(*budget, &population);
        lab.record(&population, &population, MatchCounts::default())?;
        for generation in spending.generations() {
            lab.begin_generation(generation);
            let mut matches = MatchCounts::default();
            let mut round = Round::new(&mut population, mutation, &mut rng).within(&bounds);
            let mut playing = BTreeMap::new();
            loop {
                // All matches that share no player with one before them can be played at once.
                while let Some(next) = round.ask() {
                    playing.insert(next.number, self.begin_match(&breeder, &next, lab)?);
                }
                // The earliest is the one that others wait for, whichever is over first.
                let Some((number, [white, black])) = playing.pop_first() else { break };
                let score = GameResult::pair([&lab.wait(white)?, &lab.wait(black)?]).score();
                matches.add(score);
                round.tell(number, score);
            }
            population.reverse();
            let games = lab.record(&population, &population, matches)?;
            if spending.is_spent(lab, games, &population)? {
                break;
            }
        }
        Ok(Finding { champion: mean(&population), population })
    }
}

impl KendallWhitwell {
    /// Asks for the two games of a match.
    fn begin_match(
        &self,
        breeder: &Breeder,
        next: &Match,
        lab: &mut Lab<'_>,
    ) -> Result<[Ticket; 2], LabError> {
        let names = [next.number, next.opponent].map(|slot| format!("slot {}", slot + 1));
        let [first, second] = [0, 1].map(|side| breeder.contestant(&names[side], &next.players[side]));
        let [white, black] = breeder.pair(&breeder.start(), [&first, &second], 0);
        // The best are at the end of the vector.
        let keep = next.number + 2 == self.population;
        Ok([lab.ask(white, keep)?, lab.ask(black, keep)?])
    }
}

pub(crate) fn check_population(population: usize) -> Result<(), ExperimentError> {
    if population < 2 {
        let reason = format!("{population}: give at least 2, or nobody has anybody to meet");
        return Err(ExperimentError::value("population", reason));
    }
    if population > 100_000 {
        return Err(ExperimentError::value("population", format!("{population}: the most is 100000")));
    }
    Ok(())
}

/// What factors of the mutation may be.
pub(crate) const MUTATION_RANGE: [f64; 2] = [-1000.0, 1000.0];

pub(crate) fn check_mutation(scale: f64, mutation: &Mutation) -> Result<(), ExperimentError> {
    let Mutation { win_winner, win_loser, edge_winner, edge_loser, draw } = *mutation;
    for (key, value) in [
        ("scale", scale),
        ("mutation.win_winner", win_winner),
        ("mutation.win_loser", win_loser),
        ("mutation.edge_winner", edge_winner),
        ("mutation.edge_loser", edge_loser),
        ("mutation.draw", draw),
    ] {
        let [least, most] = MUTATION_RANGE;
        if !(least..=most).contains(&value) {
            return Err(ExperimentError::value(
                key,
                format!("{value}: give a number from {least} to {most}"),
            ));
        }
    }
    Ok(())
}

/// A genome as text, to tell genomes apart.
pub(crate) fn bits(genome: &Genome) -> Vec<u64> {
    genome.iter().map(|value| value.to_bits()).collect()
}
