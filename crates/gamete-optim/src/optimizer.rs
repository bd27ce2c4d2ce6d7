use std::fmt;

use crate::key::{Key, KeyError, Settings};
use crate::optimizers::{DESIGNS, OPTIMIZERS};
use crate::{Genome, Rng, Space};

/// What a model expects points to be worth.
pub type Surface<'a> = Box<dyn Fn(&[f64]) -> f64 + 'a>;

/// Proposes points and receives what they are worth.
///
/// It sees no game, thread or file, and no units: every coordinate is from 0 to 1, and whoever evaluates a point makes
/// numbers of it, whole ones where that is needed. Trials are told in any order, and some fail. A trial with a rival is told how much
/// better its point is than that of the rival.
pub trait Optimizer: fmt::Debug + Send {
    /// Proposes a point; nothing if more must be told first, or if none is open and the search is over.
    fn ask(&mut self) -> Option<Trial>;

    /// Takes what came of a trial. A trial that is not open (never asked for, or told before) is passed over.
    fn tell(&mut self, number: u64, evaluation: Evaluation);

    /// How many trials can be open at a time, which is how many a generation has.
    fn batch_size(&self) -> usize;

    /// No more trials are asked for: learns from those that it was told of and has not learned from yet. Those who need whole generations
    /// leave the incomplete one out.
    fn conclude(&mut self) {}

    /// The points it last had the evaluations of, the best first: the last generation, where there are generations.
    fn population(&self) -> Vec<Member>;

    /// The point that it recommends; nothing before any trial came to something.
    fn best(&self) -> Option<Member>;

    /// How far apart the points are that it tries, as a part of the range of each coordinate: σ, or the size of the simplex. Nothing where
    /// there is no such number.
    fn step_size(&self) -> Option<f64> {
        None
    }

    /// By how much the point that it recommends is better than the start, as it expects, and how sure that is; nothing if it has no model of that.
    fn gain(&self) -> Option<Gain> {
        None
    }

    /// What its model expects points to be worth: the advantage of a point over the start, where games say what points are worth. Nothing if it has no
    /// model of that.
    fn model(&self) -> Option<Surface<'_>> {
        None
    }

    /// Goes on with other ranges: a coordinate `x` of before is `scale · x + shift` of a coordinate now. Says whether it can; if not, nothing has changed.
    fn change_ranges(&mut self, axes: &[AxisChange], problem: &Problem) -> bool {
        let _ = (axes, problem);
        false
    }

    /// What it knows of each coordinate; empty if it has no model of them.
    fn beliefs(&self) -> Vec<Belief> {
        Vec::new()
    }
}

/// Where the values of a coordinate are when its range is another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisChange {
    /// What 1 of before is now.
    pub scale: f64,
    /// Where 0 of before is now.
    pub shift: f64,
}

/// By how much a model of the search expects a point to be better than the start, as an advantage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// The mean of what it may be.
    pub mean: f64,
    /// Its deviation.
    pub deviation: f64,
}

/// What a model of the search knows of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// Where its best value is expected, from 0 to 1, and how sure that is.
    pub optimum: f64,
    /// The deviation of the best value.
    pub deviation: f64,
    /// What the best value of this coordinate is worth beside that of the start, as an advantage from 0 to 1 where all others are at their best.
    pub gain: f64,
    /// The deviation of the gain.
    pub gain_deviation: f64,
}

/// A point to be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Its number, from 0.
    pub number: u64,
    /// Coordinates from 0 to 1.
    pub point: Genome,
    /// A point to compare it with.
    pub rival: Option<Genome>,
}

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evaluation {
    /// What the point is worth, possibly with noise: the more the better, and finite. With a rival it is the advantage over
    /// it: in games the wins less the losses divided by their number, from −1 to 1; elsewhere the difference of what the two are worth.
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
    /// The point of the values that are in use; empty if there are none.
    pub default: Genome,
    /// Where 0 is on the axis of each coordinate, in its range or not; empty if nobody knows.
    pub zeros: Vec<f64>,
    /// A guess of a change of each coordinate that makes a difference; empty if there is none.
    pub step_guesses: Vec<f64>,
    /// What 1 is of each coordinate that stands for whole numbers; empty if none does.
    pub units: Vec<Option<f64>>,
    /// The learning rates of SPSA of those coordinates that have their own; empty if none has.
    pub rates: Vec<Option<f64>>,
    /// About how many trials there will be, if the budget says so.
    pub trials: Option<u64>,
    /// How many games the advantage over a rival is the mean of; 0 if no games are played.
    pub games: u64,
    /// How many games the fitness of a point without a rival is the mean of; 0 if no games are played.
    pub games_alone: u64,
}

impl Problem {
    /// The step of a coordinate where nobody knows better: a twentieth of the range, as tuners of engines begin.
    const USUAL_STEP: f64 = 0.05;

    /// The search of a whole space.
    pub fn new(space: &Space) -> Self {
        Self {
            dimensions: space.names().len(),
            start: Vec::new(),
            bits: space.bits(),
            steps: space.whole_steps(),
            default: space.point(&space.defaults()),
            zeros: space.zeros(),
            step_guesses: space.relative_steps(),
            units: space.units(),
            rates: space.rates(),
            trials: None,
            games: 0,
            games_alone: 0,
        }
    }

    /// Where a search from one point begins: the first of the points to begin with, the values in use, or the middle.
    pub fn start_point(&self) -> Genome {
        let known = self.start.first().or(Some(&self.default).filter(|default| !default.is_empty()));
        known.cloned().unwrap_or_else(|| vec![0.5; self.dimensions])
    }

    /// A population of so many points: those to begin with, or the values in use, and random others.
    pub fn initial_population(&self, size: usize, rng: &mut Rng) -> Vec<Genome> {
        let default = [&self.default].into_iter().filter(|default| !default.is_empty());
        let known =
            if self.start.is_empty() { default.collect() } else { self.start.iter().collect::<Vec<_>>() };
        let mut points: Vec<Genome> = known.into_iter().take(size).cloned().collect();
        while points.len() < size {
            points.push((0..self.dimensions).map(|_| rng.uniform()).collect());
        }
        points
    }

    /// A change of a coordinate that makes a difference.
    pub fn step_guess(&self, coordinate: usize) -> f64 {
        self.step_guesses.get(coordinate).copied().unwrap_or(Self::USUAL_STEP)
    }

    /// How far a coordinate is from where its value is 0.
    pub fn distance_from_zero(&self, coordinate: usize, at: f64) -> f64 {
        at - self.zeros.get(coordinate).copied().unwrap_or(0.0)
    }

    /// What 1 is of a coordinate, if it stands for whole numbers.
    pub fn unit(&self, coordinate: usize) -> Option<f64> {
        self.units.get(coordinate).copied().flatten()
    }
}

/// An entry of the registry of optimisers.
#[derive(Debug, Clone, Copy)]
pub struct OptimizerInfo {
    /// Its name in files.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Whether its trials compare a point with a rival, instead of evaluating it by itself.
    pub compares: bool,
    /// Its settings.
    pub keys: &'static [Key],
    /// Finds what is wrong with settings that are each by itself right.
    pub check: fn(&Settings) -> Result<(), KeyError>,
    /// Begins a search.
    pub begin: fn(&Settings, Problem, Rng) -> Box<dyn Optimizer>,
}

impl OptimizerInfo {
    /// All optimisers, and after them all designs.
    pub fn all() -> impl Iterator<Item = &'static Self> + Clone {
        OPTIMIZERS.iter().chain(DESIGNS)
    }

    /// The optimiser or design with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().find(|optimizer| optimizer.name == name)
    }
}
