use std::collections::BTreeMap;

use gamete_optim::{Genome, Key, Match, Mutation, Round, Settings, Space};
use toml::Table;

use super::{Answer, Finding, Method, MethodInfo, Spending, initial_population, table_of, with_parents};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::{Budget, ExperimentError, read, read_settings};
use crate::generation::{MatchCounts, mean};
use crate::phenotype::Phenotype;
use crate::runtime::{GameResult, Lab, LabError, Ticket};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "kendall-whitwell",
    about: "Kendall and Whitwell 2001: population dynamics",
    keys: KEYS,
    read: |table| Ok(Box::new(KendallWhitwell::read(table)?)),
    #[cfg(test)]
    small: "population = 6\ngenerations = 4\n",
};

const KEYS: &[Key] = &[
    Key::integer("population", POPULATION_RANGE, 50, "players"),
    Key::real("scale", MUTATION_RANGE, 1.0, "multiplier of all mutation factors"),
    Key::real("mutation.win_winner", MUTATION_RANGE, 0.0, "factor R of the winner of both games"),
    Key::real("mutation.win_loser", MUTATION_RANGE, 2.0, "factor R of its clone in the loser's slot"),
    Key::real(
        "mutation.edge_winner",
        MUTATION_RANGE,
        0.2,
        "factor R of the winner of one game, the other being drawn",
    ),
    Key::real("mutation.edge_loser", MUTATION_RANGE, 1.0, "factor R of its clone in the loser's slot"),
    Key::real("mutation.draw", MUTATION_RANGE, 0.5, "factor R of both players of a match without a winner"),
];

/// How many players there may be.
pub(super) const POPULATION_RANGE: [i64; 2] = [2, 100_000];

/// What factors of the mutation may be.
pub(super) const MUTATION_RANGE: [f64; 2] = [-1000.0, 1000.0];

/// The factors of the mutation.
pub(super) fn mutation(settings: &Settings) -> Mutation {
    let factor = |name: &str| settings.number(&format!("mutation.{name}"));
    Mutation {
        win_winner: factor("win_winner"),
        win_loser: factor("win_loser"),
        edge_winner: factor("edge_winner"),
        edge_loser: factor("edge_loser"),
        draw: factor("draw"),
    }
}

/// Kendall and Whitwell, "An Evolutionary Approach for the Tuning of a Chess Evaluation Function Using Population
/// Dynamics" (2001): see [`Round`].
#[derive(Debug)]
pub(crate) struct KendallWhitwell {
    /// Who plays.
    breed: Breed,
    /// How many players there are.
    population: usize,
    /// What all factors of the mutation are multiplied by.
    scale: f64,
    /// The factors of the mutation.
    mutation: Mutation,
    settings: Settings,
}

impl KendallWhitwell {
    /// Its name in experiment files.
    pub const NAME: &'static str = INFO.name;

    fn read(table: &Table) -> Result<Self, ExperimentError> {
        let settings = read_settings(table, KEYS)?;
        Ok(Self {
            breed: read(table)?,
            population: settings.count("population"),
            scale: settings.number("scale"),
            mutation: mutation(&settings),
            settings,
        })
    }
}

impl Method for KendallWhitwell {
    fn table(&self) -> Table {
        table_of(&self.breed, &self.settings)
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
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
    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        let phenotype = Phenotype::new(&self.breed);
        let mutation = self.mutation.scaled(self.scale);
        let bounds = phenotype.space().bounds();
        let mut rng = lab.rng("dynamics");
        let mut population = initial_population(phenotype.space(), self.population, start, lab)?;
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
                    playing.insert(next.number, self.begin_match(&phenotype, &next, lab)?);
                }
                // The earliest is the one that others wait for, whichever is over first.
                let Some((number, [white, black])) = playing.pop_first() else { break };
                let score = GameResult::pair([&lab.wait(white)?, &lab.wait(black)?]).score();
                matches.add(score);
                round.tell(number, score);
            }
            let mut parents = round.into_parents();
            population.reverse();
            parents.reverse();
            let individuals = with_parents(&population, &parents);
            let games = lab.record_individuals(individuals, population.len(), matches)?;
            if spending.is_spent(lab, games, &population)? {
                break;
            }
        }
        Ok(Finding::new(mean(&population), population))
    }
}

impl KendallWhitwell {
    /// Asks for the two games of a match.
    fn begin_match(
        &self,
        phenotype: &Phenotype,
        next: &Match,
        lab: &mut Lab<'_>,
    ) -> Result<[Ticket; 2], LabError> {
        let names = [next.number, next.opponent].map(|slot| format!("slot {}", slot + 1));
        let [first, second] = [0, 1].map(|side| phenotype.contestant(&names[side], &next.players[side]));
        let [white, black] = phenotype.pair(&phenotype.start(), [&first, &second], 0);
        // The best are at the end of the vector.
        let keep = next.number + 2 == self.population;
        Ok([lab.ask(white, keep)?, lab.ask(black, keep)?])
    }
}

/// A genome as text, to tell genomes apart.
pub(crate) fn bits(genome: &Genome) -> Vec<u64> {
    genome.iter().map(|value| value.to_bits()).collect()
}
