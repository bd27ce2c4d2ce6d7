use std::fmt;

use crate::key::{Key, KeyError, Settings};
use crate::optimizers::OPTIMIZERS;
use crate::{Genome, Rng};

/// Proposes points and receives what they are worth.
///
/// It sees no game, thread or file, and no units: every coordinate is from 0 to 1, and whoever evaluates a point makes
/// numbers of it, whole ones where that is needed. Trials are told in any order, and some fail.
pub trait Optimizer: fmt::Debug + Send {
    /// Proposes a point; nothing if more must be told first.
    fn ask(&mut self) -> Option<Trial>;

    /// Takes what came of a trial. A trial that is not open (never asked for, or told before) is passed over.
    fn tell(&mut self, number: u64, evaluation: Evaluation);

    /// How many trials can be open at a time.
    fn batch_size(&self) -> usize;

    /// The points it last had the evaluations of, the best first: the last generation, where there are generations.
    fn population(&self) -> Vec<Member>;

    /// The best point so far; nothing before any trial came to something.
    fn best(&self) -> Option<Member>;
}

/// A point to be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Its number, from 0.
    pub number: u64,
    /// Coordinates from 0 to 1.
    pub point: Genome,
}

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evaluation {
    /// What the point is worth, possibly with noise: the more the better, and finite.
    Fitness(f64),
    /// Nothing: it could not be evaluated.
    Failed,
}

impl Evaluation {
    /// A fitness, or a failure where it is not finite.
    pub fn new(fitness: f64) -> Self {
        if fitness.is_finite() { Self::Fitness(fitness) } else { Self::Failed }
    }

    /// The same with a fitness that is not finite as a failure, however it was made.
    #[must_use]
    pub fn checked(self) -> Self {
        match self {
            Self::Fitness(fitness) => Self::new(fitness),
            Self::Failed => Self::Failed,
        }
    }
}

/// A point and what it is worth, as far as that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Coordinates from 0 to 1.
    pub point: Genome,
    /// The mean of its evaluations; nothing if all of them failed.
    pub fitness: Option<f64>,
    /// The places of its parents in the population before; who stays is its own only parent. Nothing where nobody can tell.
    pub parents: Vec<u32>,
}

/// What an optimiser is to search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Problem {
    /// How many coordinates a point has.
    pub dimensions: usize,
    /// Points to begin with, as far as there is room for them.
    pub start: Vec<Genome>,
    /// Bits that the whole numbers in the range of each coordinate take, for those who write points in bits.
    pub bits: Vec<u32>,
    /// Whole numbers in the range of each coordinate after the first: 4 in that from 0 to 4.
    pub steps: Vec<u64>,
}

/// An entry of the registry of optimisers.
#[derive(Debug, Clone, Copy)]
pub struct OptimizerInfo {
    /// Its name in files.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Its settings.
    pub keys: &'static [Key],
    /// Finds what is wrong with settings that are each by itself right.
    pub check: fn(&Settings) -> Result<(), KeyError>,
    /// Begins a search.
    pub begin: fn(&Settings, Problem, Rng) -> Box<dyn Optimizer>,
}

impl OptimizerInfo {
    /// The optimiser with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OPTIMIZERS.iter().find(|optimizer| optimizer.name == name)
    }
}
