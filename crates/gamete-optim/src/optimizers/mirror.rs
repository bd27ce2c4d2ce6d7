//! The frame of searches that compare points with their mirror images on the other side of θ.

use std::fmt;

use super::batch::Batch;
use crate::optimizer::{Evaluation, Member, Optimizer, Problem, Trial};
use crate::{Genome, Rng};

/// How a search by comparisons of mirror images perturbs θ, and what it makes of the results.
pub(super) trait Rule: fmt::Debug + Send {
    /// How far the iteration `k`, from 1, moves each coordinate.
    fn perturbation(&self, k: u64) -> Vec<f64>;

    /// By how much θ moves after an iteration whose point had this advantage over the rival.
    fn learn(&mut self, iteration: &Iteration, theta: &[f64], advantage: f64) -> Vec<f64>;
}

/// A comparison of a point with its mirror image on the other side of θ.
#[derive(Debug)]
pub(super) struct Iteration {
    /// Its number, from 1.
    pub k: u64,
    /// How far it moves each coordinate, with its sign.
    pub perturbation: Vec<f64>,
    /// The point and its mirror image, as far as the ranges allow.
    pub points: [Genome; 2],
}

/// The search: in each iteration a point plays its mirror image, and θ moves as a rule says.
#[derive(Debug)]
pub(super) struct Mirror<R> {
    pub rule: R,
    rng: Rng,
    /// Where the values of each coordinate end: whole numbers half of 1 before the coordinate does.
    bounds: Vec<[f64; 2]>,
    pub theta: Genome,
    batch: Batch,
    /// Iterations before this batch.
    before: u64,
    open: Vec<Iteration>,
    /// Whether any iteration came to something, and whether all of a batch was told.
    has_learned: bool,
    has_turned: bool,
}

impl<R: Rule> Mirror<R> {
    /// A search with so many iterations at a time around the same θ.
    pub fn new(rule: R, in_flight: usize, problem: &Problem, rng: Rng) -> Self {
        let bounds = |place| {
            let half = problem.unit(place).map_or(0.0, |unit| unit / 2.0);
            [half, 1.0 - half]
        };
        let mut mirror = Self {
            rule,
            rng,
            bounds: (0..problem.dimensions).map(bounds).collect(),
            theta: problem.start_point(),
            batch: Batch::new(in_flight),
            before: 0,
            open: Vec::new(),
            has_learned: false,
            has_turned: false,
        };
        mirror.theta = mirror.beside(&vec![0.0; problem.dimensions], 1.0);
        mirror.draw();
        mirror
    }

    /// Draws the signs of the next iterations.
    fn draw(&mut self) {
        let iterations = self.before + 1..=self.before + self.batch.size() as u64;
        self.open = iterations
            .map(|k| {
                let mut perturbation = self.rule.perturbation(k);
                for by in &mut perturbation {
                    *by = if self.rng.below(2) == 0 { *by } else { -*by };
                }
                let points = [1.0, -1.0].map(|sign| self.beside(&perturbation, sign));
                Iteration { k, perturbation, points }
            })
            .collect();
    }

    /// θ and as much of a change.
    fn beside(&self, change: &[f64], sign: f64) -> Genome {
        let places = self.theta.iter().zip(change).zip(&self.bounds);
        places.map(|((theta, by), [low, high])| (theta + sign * by).clamp(*low, *high)).collect()
    }

    fn learn(&mut self, iteration: &Iteration, evaluation: Evaluation) {
        let Evaluation::Fitness(advantage) = evaluation else { return };
        let change = self.rule.learn(iteration, &self.theta, advantage);
        self.theta = self.beside(&change, 1.0);
        self.has_learned = true;
    }

    /// Learns from a batch in the order of its iterations, and draws the next.
    fn turn(&mut self, evaluations: &[Evaluation]) {
        for (iteration, evaluation) in std::mem::take(&mut self.open).iter().zip(evaluations) {
            self.learn(iteration, *evaluation);
        }
        self.before += self.batch.size() as u64;
        self.has_turned = true;
        self.draw();
    }

    fn member(&self) -> Member {
        let parents = if self.has_turned { vec![0] } else { Vec::new() };
        Member { point: self.theta.clone(), fitness: None, parents }
    }
}

impl<R: Rule> Optimizer for Mirror<R> {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        let [point, rival] = self.open[place].points.clone();
        Some(Trial { number, point, rival: Some(rival) })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        if let Some(evaluations) = self.batch.tell(number, evaluation) {
            self.turn(&evaluations);
        }
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    fn conclude(&mut self) {
        let open = std::mem::take(&mut self.open);
        for (place, evaluation) in self.batch.cut_short() {
            self.learn(&open[place], evaluation);
        }
        self.draw();
    }

    fn population(&self) -> Vec<Member> {
        vec![self.member()]
    }

    fn best(&self) -> Option<Member> {
        self.has_learned.then(|| self.member())
    }
}
