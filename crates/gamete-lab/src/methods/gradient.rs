//! What the methods that learn weights by gradient have in common.

use gamete_corpus::{Alternatives, Iterate, LogisticRegression, LogisticScales};
use gamete_game::{Parameter, whole_weights};
use gamete_optim::{Gene, Genome, Key, Settings};
use serde::{Deserialize, Serialize};

use super::{Finding, Spending, initial_population};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::Budget;
use crate::generation::MatchCounts;
use crate::individual::Individual;
use crate::measure::Measure;
use crate::runtime::{Lab, LabError};

pub(super) const L2: Key = Key::real(
    "l2",
    [0.0, 100.0],
    0.0,
    "penalty on squared weights, in deviations of their features; 0 to choose it by cross-validation",
);

pub(super) const TOWARDS: Key = Key::choice(
    "towards",
    &["zero", "defaults"],
    "what the penalty pulls weights to; defaults, which then is also the start, is for models with hundreds of weights",
);

pub(super) const FOLDS: Key =
    Key::integer("folds", [2, 100], 4, "parts of the training positions, each held out once to choose l2");

pub(super) const STEPS: Key = Key::integer("steps", [1, 10_000], 5, "descent steps per generation");

/// Penalties that are tried where none is given, the largest first.
pub(super) const PENALTIES: [f64; 5] = [0.1, 0.01, 0.001, 1e-4, 1e-5];

/// The same for penalties on the distance from defaults, which may be larger, as nothing is lost where they hold.
const PENALTIES_ON_DISTANCE: [f64; 6] = [10.0, 3.0, 1.0, 0.3, 0.1, 0.03];

/// What weights are learned from.
pub(super) trait Lessons {
    /// What can come of the positions to learn from, and what did.
    fn alternatives(&self, lab: &Lab<'_>) -> Result<&Alternatives, LabError>;

    /// How good weights are.
    fn fitness(&self, learned: &Learned<'_>, lab: &Lab<'_>) -> Result<f64, LabError>;

    /// What else is to be seen of weights with this fitness.
    fn measures(&self, learned: &Learned<'_>, fitness: f64, lab: &Lab<'_>) -> Result<Vec<Measure>, LabError>;
}

/// Weights after some steps of a descent.
pub(super) struct Learned<'a> {
    /// The weights, as exact as they are multiplied.
    pub genome: &'a Genome,
    /// Where the descent is.
    pub iterate: &'a Iterate,
    /// The descent.
    pub descent: &'a Descent,
}

/// A descent: what it is measured in, and how much it is held back.
pub(super) struct Descent {
    pub scales: LogisticScales,
    pub ranges: Vec<[f64; 2]>,
    pub l2: f64,
}

/// Weights of players by gradient, under the keys [`L2`], [`TOWARDS`], [`FOLDS`] and [`STEPS`].
///
/// A generation is one genome: the weights after some more steps.
#[derive(Debug, Clone)]
pub(super) struct Gradient<'a> {
    pub players: &'a Breed,
    pub settings: &'a Settings,
    /// Values in use, which take the place of defaults, and from which it then descends.
    pub in_use: Option<Genome>,
    /// Generations after which lessons are made anew with the weights of then, if ever.
    pub renew: Option<u32>,
}

/// What is journalled of a generation.
#[derive(Debug, Serialize, Deserialize)]
struct Steps {
    /// The points that were reached in it.
    iterates: Vec<Iterate>,
    /// The fitness of the last.
    #[serde(rename = "hits")]
    fitness: f64,
}

impl Gradient<'_> {
    /// Descends from random weights, from values in use, from defaults, or from those that it begins with, until nothing becomes better or the budget is
    /// spent. Lessons are made from the weights of the moment.
    pub fn run<L: Lessons>(
        &self,
        budget: &Budget,
        start: Start<'_>,
        lab: &mut Lab<'_>,
        lessons_of: impl Fn(&Genome) -> L,
    ) -> Result<Finding, LabError> {
        let mut population = vec![self.first(start, lab)?];
        // One genome has no deviation that could become small.
        let mut spending = Spending::new(Budget { convergence: 0.0, ..*budget }, &population);
        lab.record(&population, &population, MatchCounts::default())?;
        let weights = self.weights(&population[0]);
        let mut lessons = lessons_of(&population[0]);
        let descent = self.descent(&weights, &lessons, lab)?;
        let (steps, l2) = (self.settings.count("steps"), descent.l2);
        let mut path =
            vec![lab.remember("start", |lab| {
                Ok(self.regression(&descent, &lessons, lab)?.start(&weights, l2))
            })?];
        // The generation whose steps were the first with these lessons, and the genome that they are of.
        let mut renewed = (1, population[0].clone());
        for generation in spending.generations() {
            lab.begin_generation(generation);
            let Steps { iterates, fitness } = lab.remember(&format!("steps of {generation}"), |lab| {
                let iterates = self.regression(&descent, &lessons, lab)?.descend(&path, steps, l2);
                let iterate = iterates.last().or(path.last()).expect("where it began");
                let genome = &self.genome(&descent.scales.weights(iterate));
                let learned = Learned { genome, iterate, descent: &descent };
                Ok(Steps { fitness: lessons.fitness(&learned, lab)?, iterates })
            })?;
            let mut is_over = iterates.len() < steps;
            path.extend(iterates);
            let last = path.last().expect("where it began");
            let genome = self.genome(&descent.scales.weights(last));
            population = vec![genome.clone()];
            lab.measure(|lab| {
                let learned = Learned { genome: &genome, iterate: last, descent: &descent };
                let mut measures = lessons.measures(&learned, fitness, lab)?;
                measures.push(Measure::of_best(Measure::L2, l2));
                Ok(measures)
            })?;
            let individual = Individual { genome: genome.clone(), fitness: Some(fitness), parents: vec![0] };
            let games = lab.record_individuals(vec![individual], 1, MatchCounts::default())?;
            if spending.is_spent(lab, games, &population)? {
                break;
            }
            if self.renew.is_some_and(|renew| is_over || generation + 1 - renewed.0 >= renew) {
                // With the same weights, the lessons would be the same.
                is_over = genome == renewed.1;
                if !is_over {
                    lessons = lessons_of(&genome);
                    let resumed = lab.remember(&format!("searched again after {generation}"), |lab| {
                        Ok(self.regression(&descent, &lessons, lab)?.resume(last, l2))
                    })?;
                    path = vec![resumed];
                    renewed = (generation + 1, genome);
                }
            }
            if is_over {
                break;
            }
        }
        Ok(Finding::new(population[0].clone(), population))
    }

    /// The weights of a genome, the kept ones too.
    pub fn weights(&self, genome: &Genome) -> Vec<f64> {
        self.players.player("", genome).weights().to_vec()
    }

    /// The genome of weights, as exact as they are multiplied.
    fn genome(&self, weights: &[f64]) -> Genome {
        let model = self.players.model();
        let whole = whole_weights(weights, model.scale);
        let gene = |(weight, whole): (&Parameter, i32)| match self.players.weights[weight.name] {
            Gene::Pinned(_) => None,
            Gene::Free([min, max]) => Some((f64::from(whole) / model.scale).clamp(min, max)),
        };
        model.weights.iter().zip(whole).filter_map(gene).collect()
    }

    /// The range of each weight of the model. Scores have a unit only by a weight that is kept and tells alternatives apart; where the
    /// file has none, the pawn keeps its default or its value in use, or in games without pawns the weight whose default tells most.
    fn ranges(&self, scales: &LogisticScales) -> Vec<[f64; 2]> {
        let weights = self.players.model().weights;
        let range = |weight: &Parameter| match self.players.weights[weight.name] {
            Gene::Pinned(value) => [value; 2],
            Gene::Free(range) => range,
        };
        let mut ranges: Vec<[f64; 2]> = weights.iter().map(range).collect();
        let tells = |place: usize, value: f64| value.abs() * scales.deviations()[place];
        let is_unit = |(place, [min, max]): (usize, &[f64; 2])| min == max && tells(place, *min) > 0.0;
        if !ranges.iter().enumerate().any(is_unit) {
            let pawn = weights.iter().position(|weight| Some(weight.name) == self.players.pawn_name());
            let by_default = |&place: &usize| tells(place, weights[place].default);
            let most =
                (0..weights.len()).rev().max_by(|one, two| by_default(one).total_cmp(&by_default(two)));
            let unit = pawn.or(most).expect("a model has weights");
            ranges[unit] = [self.defaults()[unit]; 2];
        }
        ranges
    }

    /// Whether the penalty draws weights to their defaults.
    fn is_towards_defaults(&self) -> bool {
        self.settings.choice("towards") == "defaults"
    }

    /// The values in use, or else the defaults of weights within their ranges; and what others are kept at.
    fn defaults(&self) -> Vec<f64> {
        if let Some(genome) = &self.in_use {
            return self.weights(genome);
        }
        let value = |weight: &Parameter| match self.players.weights[weight.name] {
            Gene::Pinned(value) => value,
            Gene::Free([min, max]) => weight.default.clamp(min, max),
        };
        self.players.model().weights.iter().map(value).collect()
    }

    /// The genome that a descent begins with.
    fn first(&self, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Genome, LabError> {
        if (self.is_towards_defaults() || self.in_use.is_some()) && start.from.is_empty() {
            return Ok(self.genome(&self.defaults()));
        }
        let space = self.players.space()?;
        Ok(initial_population(&space, 1, start, lab)?.swap_remove(0))
    }

    /// The descent that begins with these weights.
    fn descent(
        &self,
        weights: &[f64],
        lessons: &impl Lessons,
        lab: &mut Lab<'_>,
    ) -> Result<Descent, LabError> {
        let scales = lab.remember("scales", |lab| {
            let scales = LogisticScales::new(lessons.alternatives(lab)?, weights);
            Ok(if self.is_towards_defaults() { scales.evened() } else { scales })
        })?;
        let mut descent = Descent { ranges: self.ranges(&scales), scales, l2: self.settings.number("l2") };
        if descent.l2 == 0.0 {
            descent.l2 = self.penalty(&descent, weights, lessons, lab)?;
        }
        Ok(descent)
    }

    /// The best penalty by cross-validation among some.
    fn penalty(
        &self,
        descent: &Descent,
        weights: &[f64],
        lessons: &impl Lessons,
        lab: &mut Lab<'_>,
    ) -> Result<f64, LabError> {
        let folds = self.settings.count("folds");
        let penalties: &[f64] = if self.is_towards_defaults() { &PENALTIES_ON_DISTANCE } else { &PENALTIES };
        let mut totals = vec![0.0; penalties.len()];
        for fold in 0..folds {
            let losses: Vec<f64> = lab.remember(&format!("held out {fold}"), |lab| {
                Ok(self.regression(descent, lessons, lab)?.held_out(fold, folds, weights, penalties))
            })?;
            totals.iter_mut().zip(losses).for_each(|(total, loss)| *total += loss);
        }
        let tried = penalties.iter().zip(totals);
        let best = tried.min_by(|(_, one), (_, two)| one.total_cmp(two));
        Ok(*best.expect("several were tried").0)
    }

    /// What is sought.
    fn regression<'a>(
        &self,
        descent: &'a Descent,
        lessons: &'a impl Lessons,
        lab: &Lab<'_>,
    ) -> Result<LogisticRegression<'a>, LabError> {
        let alternatives = lessons.alternatives(lab)?;
        let regression =
            LogisticRegression::new(alternatives, &descent.scales, &descent.ranges, lab.threads());
        Ok(if self.is_towards_defaults() { regression.towards(&self.defaults()) } else { regression })
    }
}
