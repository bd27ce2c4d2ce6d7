use gamete_game::Color;
use gamete_optim::mutation::{AdaptiveIndividual, StepRule};
use gamete_optim::selection::best;
use gamete_optim::{Genome, Rng, Space};
use gamete_stats::GamePoints;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{Answer, Finding, Method, MethodInfo, Spending, initial_population};
use crate::breed::{Breed, Breeder};
use crate::experiment::{Budget, ExperimentError, read, write};
use crate::generation::MatchCounts;
use crate::individual::Individual;
use crate::runtime::{Lab, LabError};

/// Games of a generation that fit in memory.
const MAX_GAMES: usize = 1_000_000;

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "evolution-strategy",
    about: "Hughes 2003: an evolution strategy whose fitness is a few games in the population",
    read: |table| Ok(Box::new(read::<EvolutionStrategy>(table)?)),
};

/// Hughes, "Piece Difference: Simple to Evolve?" (2003): an evolution strategy whose fitness is a few games against
/// random others of the population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvolutionStrategy {
    /// Who plays.
    #[serde(flatten)]
    pub breed: Breed,
    /// How many survive a generation.
    pub survivors: usize,
    /// How many children they have.
    pub children: usize,
    /// Whether survivors are chosen among the old ones too, or among children only.
    pub selection: Selection,
    /// The chance of a child to have two parents, being their mean.
    pub crossover: f64,
    /// The step of every gene at the start.
    pub step: f64,
    /// What becomes of steps.
    pub steps: StepRule,
    /// Games that each plays for its fitness.
    pub opponents: usize,
    /// What a win is worth.
    pub win: f64,
    /// What a draw is worth.
    pub draw: f64,
    /// What a loss is worth.
    pub loss: f64,
    /// Whether a game counts for the opponent too.
    pub both_score: bool,
}

/// Among whom survivors are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// Parents and children: (μ + λ).
    #[default]
    Plus,
    /// Children only: (μ, λ).
    Comma,
}

impl Default for EvolutionStrategy {
    fn default() -> Self {
        Self {
            breed: Breed::default(),
            survivors: 50,
            children: 50,
            selection: Selection::Plus,
            crossover: 0.7,
            step: 2.0,
            steps: StepRule::SelfAdaptive,
            opponents: 5,
            win: 1.0,
            draw: 0.0,
            loss: -2.0,
            both_score: false,
        }
    }
}

impl Method for EvolutionStrategy {
    fn table(&self) -> Table {
        write(self)
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.breed.space()
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.breed)
    }

    fn answer(&self) -> Answer {
        Answer::first("the best of its last generation")
    }

    fn judged(&self) -> &'static str {
        ", of those that survive"
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = self.breed.facts();
        facts.push(("survivors, children", format!("{}, {}", self.survivors, self.children)));
        facts
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        let size = self.size();
        if self.survivors == 0 || self.children == 0 {
            return Err(ExperimentError::value("survivors, children", "0: give at least 1 of each"));
        }
        if self.selection == Selection::Comma && self.children < self.survivors {
            let reason = format!("{}: {} survivors are chosen among them", self.children, self.survivors);
            return Err(ExperimentError::value("children", reason));
        }
        if self.opponents == 0 || self.opponents >= size {
            let reason =
                format!("{}: give from 1 to {}, as there are {size} players", self.opponents, size - 1);
            return Err(ExperimentError::value("opponents", reason));
        }
        if size * self.opponents > MAX_GAMES {
            let reason = format!(
                "{}: {size} players have {} games in a generation, and {MAX_GAMES} are the most",
                self.opponents,
                size * self.opponents
            );
            return Err(ExperimentError::value("opponents", reason));
        }
        if !(0.0..=1.0).contains(&self.crossover) {
            return Err(ExperimentError::value(
                "crossover",
                format!("{}: give a number from 0 to 1", self.crossover),
            ));
        }
        if self.step < 0.0 {
            return Err(ExperimentError::value("step", format!("{}: give a number from 0 up", self.step)));
        }
        for (key, value) in [("step", self.step), ("win", self.win), ("draw", self.draw), ("loss", self.loss)]
        {
            if !value.is_finite() {
                return Err(ExperimentError::value(key, format!("{value}: give a finite number")));
            }
        }
        self.breed.complete()
    }

    fn planned_games(&self, budget: &Budget) -> u64 {
        (self.size() * self.opponents) as u64 * u64::from(budget.generations)
    }

    /// Evolves a population. The answer is the best of its last generation.
    fn run(&self, budget: &Budget, from: &str, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        let breeder = Breeder::new(&self.breed);
        let mut rng = lab.rng("strategy");
        let mut draws = lab.rng("opponents");
        let genomes = initial_population(breeder.space(), self.size(), from, lab)?;
        let mut spending = Spending::new(*budget, &genomes);
        lab.record(&genomes, &genomes, MatchCounts::default())?;
        let mut population: Vec<AdaptiveIndividual> =
            genomes.into_iter().map(|genes| AdaptiveIndividual::new(genes, self.step)).collect();
        let mut parents: Vec<Vec<u32>> = (0..population.len() as u32).map(|place| vec![place]).collect();
        for generation in spending.generations() {
            lab.begin_generation(generation);
            let fitness = self.fitness(&breeder, &population, &mut draws, lab)?;
            let order = best(&fitness, population.len());
            let individuals = order.iter().map(|&index| Individual {
                genome: population[index].genes.clone(),
                fitness: Some(fitness[index]),
                parents: std::mem::take(&mut parents[index]),
            });
            let individuals: Vec<Individual> = individuals.collect();
            population = order.into_iter().map(|index| population[index].clone()).collect();
            let genomes: Vec<Genome> = population.iter().map(|one| one.genes.clone()).collect();
            let judged = &genomes[..self.survivors.min(genomes.len())];
            let games = lab.record_individuals(individuals, judged.len(), MatchCounts::default())?;
            if spending.is_spent(lab, games, judged)? || Some(generation) == spending.last() {
                break;
            }
            (population, parents) =
                self.next_generation(breeder.space(), &population, &mut rng).into_iter().unzip();
        }
        let population: Vec<Genome> = population.into_iter().map(|one| one.genes).collect();
        Ok(Finding { champion: population[0].clone(), population })
    }
}

impl EvolutionStrategy {
    /// How many play in a generation.
    fn size(&self) -> usize {
        match self.selection {
            Selection::Plus => self.survivors + self.children,
            Selection::Comma => self.children,
        }
    }

    /// What each makes of its games against others, drawn without replacement, with colours as they fall.
    fn fitness(
        &self,
        breeder: &Breeder,
        population: &[AdaptiveIndividual],
        draws: &mut Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<f64>, LabError> {
        let start = breeder.start();
        let players = breeder.contestants(population.iter().map(|one| &one.genes));
        let mut games = Vec::with_capacity(players.len() * self.opponents);
        for player in 0..players.len() {
            let mut others: Vec<usize> = (0..players.len()).filter(|&other| other != player).collect();
            draws.shuffle(&mut others);
            for &other in &others[..self.opponents] {
                let color = if draws.below(2) == 0 { Color::White } else { Color::Black };
                games.push((player, other, color, draws.next_u64()));
            }
        }
        let results = lab.play_each(games.iter().map(|&(player, other, color, seed)| {
            let sides = match color {
                Color::White => [&players[player], &players[other]],
                Color::Black => [&players[other], &players[player]],
            };
            (breeder.game_of(&start, sides, seed), player == 0)
        }))?;
        let mut fitness = vec![0.0; players.len()];
        for ((player, other, color, _), result) in games.into_iter().zip(results) {
            let (own, theirs) = match result.points(color) {
                GamePoints::Win => (self.win, self.loss),
                GamePoints::Loss => (self.loss, self.win),
                GamePoints::Draw => (self.draw, self.draw),
            };
            fitness[player] += own;
            if self.both_score {
                fitness[other] += theirs;
            }
        }
        Ok(fitness)
    }

    /// Survivors of a ranked population where they survive, and children of theirs; each with the places of those it comes
    /// from.
    fn next_generation(
        &self,
        space: &Space,
        ranked: &[AdaptiveIndividual],
        rng: &mut Rng,
    ) -> Vec<(AdaptiveIndividual, Vec<u32>)> {
        let parents = &ranked[..self.survivors];
        let children = (0..self.children).map(|_| {
            let mut draw = || rng.below(parents.len() as u64) as usize;
            let (one, two) = (draw(), draw());
            let (mut child, places) = if rng.uniform() < self.crossover {
                (parents[one].between(&parents[two]), vec![one as u32, two as u32])
            } else {
                (parents[one].clone(), vec![one as u32])
            };
            child.mutate(self.steps, rng);
            space.confine(&mut child.genes);
            (child, places)
        });
        let children: Vec<_> = children.collect();
        let survivors = || parents.iter().cloned().zip((0..).map(|place| vec![place]));
        match self.selection {
            Selection::Plus => survivors().chain(children).collect(),
            Selection::Comma => children,
        }
    }
}
