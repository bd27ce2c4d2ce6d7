use gamete_game::Color;
use gamete_optim::mutation::{AdaptiveIndividual, StepRule};
use gamete_optim::selection::best;
use gamete_optim::{Key, Rng, Settings, Space};
use gamete_stats::GamePoints;
use toml::Table;

use super::generational::{Descendant, Generational, Ranking, evolve};
use super::{Answer, Finding, MAX_GAMES, Method, MethodInfo, initial_population, table_of};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::{Budget, ExperimentError, read, read_settings};
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "evolution-strategy",
    about: "Hughes 2003: an evolution strategy on a few games within the population",
    keys: KEYS,
    read: |table| Ok(Box::new(EvolutionStrategy::read(table)?)),
    #[cfg(test)]
    small: "survivors = 4\nchildren = 4\ngenerations = 3\nmodel = 'checkers/material'\n",
};

const KEYS: &[Key] = &[
    Key::integer("survivors", [1, 100_000], 50, "how many survive a generation"),
    Key::integer("children", [1, 100_000], 50, "how many children they have"),
    Key::choice(
        "selection",
        &["plus", "comma"],
        "whether survivors are chosen from parents and children, or from children only",
    ),
    Key::real("crossover", [0.0, 1.0], 0.7, "chance that a child is the mean of two parents"),
    Key::real("step", [0.0, f64::MAX], 2.0, "initial step of every gene"),
    Key::choice("steps", &["self-adaptive", "fixed"], "whether steps evolve with the genes"),
    Key::integer("opponents", [1, 100_000], 5, "games each player plays for its fitness"),
    Key::real("win", [f64::MIN, f64::MAX], 1.0, "what a win is worth"),
    Key::real("draw", [f64::MIN, f64::MAX], 0.0, "what a draw is worth"),
    Key::real("loss", [f64::MIN, f64::MAX], -2.0, "what a loss is worth"),
    Key::flag("both_score", false, "whether a game counts for the opponent too"),
];

/// Hughes, "Piece Difference: Simple to Evolve?" (2003): an evolution strategy whose fitness is a few games against
/// random others of the population.
#[derive(Debug)]
struct EvolutionStrategy {
    /// Who plays.
    breed: Breed,
    /// How many survive a generation.
    survivors: usize,
    /// How many children they have.
    children: usize,
    /// Whether survivors are chosen among the old ones too, or among children only.
    selection: Selection,
    /// The chance of a child to have two parents, being their mean.
    crossover: f64,
    /// The step of every gene at the start.
    step: f64,
    /// What becomes of steps.
    steps: StepRule,
    /// Games that each plays for its fitness.
    opponents: usize,
    /// What a win is worth.
    win: f64,
    /// What a draw is worth.
    draw: f64,
    /// What a loss is worth.
    loss: f64,
    /// Whether a game counts for the opponent too.
    both_score: bool,
    settings: Settings,
}

impl EvolutionStrategy {
    fn read(table: &Table) -> Result<Self, ExperimentError> {
        let settings = read_settings(table, KEYS)?;
        Ok(Self {
            breed: read(table)?,
            survivors: settings.count("survivors"),
            children: settings.count("children"),
            selection: if settings.choice("selection") == "comma" {
                Selection::Comma
            } else {
                Selection::Plus
            },
            crossover: settings.number("crossover"),
            step: settings.number("step"),
            steps: if settings.choice("steps") == "fixed" { StepRule::Fixed } else { StepRule::SelfAdaptive },
            opponents: settings.count("opponents"),
            win: settings.number("win"),
            draw: settings.number("draw"),
            loss: settings.number("loss"),
            both_score: settings.flag("both_score"),
            settings,
        })
    }
}

/// Among whom survivors are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selection {
    /// Parents and children: (μ + λ).
    Plus,
    /// Children only: (μ, λ).
    Comma,
}

impl Method for EvolutionStrategy {
    fn table(&self) -> Table {
        table_of(&self.breed, &self.settings)
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
        if self.selection == Selection::Comma && self.children < self.survivors {
            let reason = format!("{}: {} survivors are chosen among them", self.children, self.survivors);
            return Err(ExperimentError::value("children", reason));
        }
        if self.opponents >= size {
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
        self.breed.complete()
    }

    fn planned_games(&self, budget: &Budget) -> u64 {
        (self.size() * self.opponents) as u64 * u64::from(budget.generations)
    }

    /// Evolves a population. The answer is the best of its last generation.
    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        let phenotype = Phenotype::new(&self.breed);
        let genomes = initial_population(phenotype.space(), self.size(), start, lab)?;
        let population = genomes.into_iter().map(|genes| AdaptiveIndividual::new(genes, self.step)).collect();
        let mut run = Run { method: self, phenotype, rng: lab.rng("strategy"), draws: lab.rng("opponents") };
        evolve(&mut run, population, self.survivors.min(self.size()), budget, lab)
    }
}

/// What a run of it works with.
struct Run<'a> {
    method: &'a EvolutionStrategy,
    phenotype: Phenotype,
    rng: Rng,
    draws: Rng,
}

impl Generational for Run<'_> {
    type Member = AdaptiveIndividual;

    fn rank(&mut self, population: &[AdaptiveIndividual], lab: &mut Lab<'_>) -> Result<Ranking, LabError> {
        let fitness = self.method.fitness(&self.phenotype, population, &mut self.draws, lab)?;
        Ok(Ranking { best_first: best(&fitness, fitness.len()), fitness })
    }

    fn next_generation(
        &mut self,
        ranked: &[AdaptiveIndividual],
        _fitness: &[f64],
    ) -> Vec<Descendant<AdaptiveIndividual>> {
        self.method.next_generation(self.phenotype.space(), ranked, &mut self.rng)
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
        phenotype: &Phenotype,
        population: &[AdaptiveIndividual],
        draws: &mut Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<f64>, LabError> {
        let start = phenotype.start();
        let players = phenotype.contestants(population.iter().map(|one| &one.genes));
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
            (phenotype.game_of(&start, sides, seed), player == 0)
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
    ) -> Vec<Descendant<AdaptiveIndividual>> {
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
