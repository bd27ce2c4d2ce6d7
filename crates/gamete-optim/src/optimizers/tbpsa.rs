//! Test-based population size adaptation (Hellwig and Beyer, "Evolution Under Strong Noise", 2016, without its covariances, as in
//! Nevergrad, which tuners of Stockfish have used): an evolution strategy whose answer is an average, and whose population grows while nothing
//! becomes better that the noise does not hide.

use gamete_stats::Spread;

use super::batch::Batch;
use crate::key::{Key, Settings};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Trial};
use crate::selection::best;
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "tbpsa",
    about: "evolution strategy for noise: the answer is a mean, and populations grow as needed",
    compares: false,
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| Box::new(Tbpsa::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::integer(
        "parents",
        [0, 25_000],
        0,
        "how many of the best are averaged, initially and at least; 0 for the number of coordinates, but at least 5",
    ),
    Key::real("sigma", [0.0001, 1.0], 0.2, "initial step, relative to the range of each coordinate"),
    Key::integer("max_population", [4, 1_000_000], 10_000, "most points in a generation"),
];

/// Points of a generation for each of the best that are averaged.
const CHILDREN: usize = 4;

/// Generations after which it is tested whether anything has become better.
const GENERATIONS: usize = 5;

/// Standard errors by which the last of them must be better than the first.
const SIGNIFICANT: f64 = 2.0;

/// What the number of parents is multiplied by where it is so.
const DECAY: f64 = 0.84;

#[derive(Debug)]
struct Child {
    point: Genome,
    sigma: f64,
}

#[derive(Debug)]
struct Tbpsa {
    rng: Rng,
    batch: Batch,
    /// How many are averaged: now, at least and at most.
    parents: usize,
    least: usize,
    most: usize,
    center: Genome,
    sigma: f64,
    children: Vec<Child>,
    /// The fitness of each generation since the last test.
    record: Vec<Vec<f64>>,
    /// The last generation, the best first.
    ranked: Vec<Member>,
    has_learned: bool,
}

impl Tbpsa {
    fn new(settings: &Settings, problem: &Problem, rng: Rng) -> Self {
        let most = (settings.count("max_population") / CHILDREN).max(1);
        let parents = match settings.count("parents") {
            0 => problem.dimensions.max(5),
            parents => parents,
        };
        let parents = parents.min(most);
        let mut tbpsa = Self {
            rng,
            batch: Batch::new(CHILDREN * parents),
            parents,
            least: parents,
            most,
            center: problem.start_point(),
            sigma: settings.number("sigma"),
            children: Vec::new(),
            record: Vec::new(),
            ranked: Vec::new(),
            has_learned: false,
        };
        tbpsa.draw();
        tbpsa
    }

    fn draw(&mut self) {
        let spread = 1.0 / (self.center.len() as f64).sqrt();
        self.children = (0..self.batch.size())
            .map(|_| {
                let sigma = self.sigma * libm::exp(spread * self.rng.normal());
                let moved = |x: &f64| (x + sigma * self.rng.normal()).clamp(0.0, 1.0);
                Child { point: self.center.iter().map(moved).collect(), sigma }
            })
            .collect();
    }

    fn turn(&mut self, evaluations: &[Evaluation]) {
        let value = |evaluation: &Evaluation| match evaluation {
            Evaluation::Fitness(fitness) => *fitness,
            Evaluation::Failed => f64::NEG_INFINITY,
        };
        let fitness: Vec<f64> = evaluations.iter().map(value).collect();
        let order = best(&fitness, fitness.len());
        let member = |&place: &usize| Member {
            point: self.children[place].point.clone(),
            fitness: Some(fitness[place]).filter(|fitness| fitness.is_finite()),
            parents: Vec::new(),
        };
        self.ranked = order.iter().map(member).collect();
        let known: Vec<f64> = fitness.iter().copied().filter(|fitness| fitness.is_finite()).collect();
        let parents = &order[..self.parents.min(known.len())];
        if !parents.is_empty() {
            let average = |of: &dyn Fn(&Child) -> f64| {
                parents.iter().map(|&place| of(&self.children[place])).sum::<f64>() / parents.len() as f64
            };
            self.center = (0..self.center.len()).map(|axis| average(&|child| child.point[axis])).collect();
            // The geometric mean.
            self.sigma = libm::exp(average(&|child| libm::log(child.sigma))).clamp(SMALLEST_STEP, 1.0);
            self.has_learned = true;
        }
        self.record.push(known);
        if self.record.len() == GENERATIONS {
            self.adapt();
        }
        self.batch.resize(CHILDREN * self.parents);
        self.draw();
    }

    /// Doubles the population unless the last generation is significantly better than the first on record.
    fn adapt(&mut self) {
        let record = std::mem::take(&mut self.record);
        let [first, last] = [&record[0], &record[GENERATIONS - 1]];
        if first.len() < 2 || last.len() < 2 {
            return;
        }
        let [first, last] =
            [first, last].map(|fitness| (Spread::of(fitness.iter().copied()), fitness.len() as f64));
        let error = |(spread, count): (Spread, f64)| spread.sd * spread.sd / count;
        let gain = last.0.mean - first.0.mean;
        let is_better = gain > SIGNIFICANT * (error(first) + error(last)).sqrt();
        self.parents = match is_better {
            true => ((self.parents as f64 * DECAY) as usize).max(self.least),
            false => (2 * self.parents).min(self.most),
        };
    }
}

/// The smallest σ.
const SMALLEST_STEP: f64 = 1e-9;

impl Optimizer for Tbpsa {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        Some(Trial { number, point: self.children[place].point.clone(), rival: None })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        if let Some(evaluations) = self.batch.tell(number, evaluation) {
            self.turn(&evaluations);
        }
    }

    fn step_size(&self) -> Option<f64> {
        Some(self.sigma)
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    fn population(&self) -> Vec<Member> {
        if self.ranked.is_empty() {
            let unknown =
                |child: &Child| Member { point: child.point.clone(), fitness: None, parents: Vec::new() };
            return self.children.iter().map(unknown).collect();
        }
        self.ranked.clone()
    }

    /// The average of the last parents, which was never evaluated itself.
    fn best(&self) -> Option<Member> {
        let member = || Member { point: self.center.clone(), fitness: None, parents: Vec::new() };
        self.has_learned.then(member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(generations: usize, mut evaluate: impl FnMut(&[f64]) -> f64) -> Tbpsa {
        let problem = Problem { dimensions: 2, ..Problem::default() };
        let mut tbpsa = Tbpsa::new(&Settings::new(KEYS), &problem, Rng::new(1));
        for _ in 0..generations {
            for trial in std::iter::from_fn(|| tbpsa.ask()).collect::<Vec<_>>() {
                tbpsa.tell(trial.number, Evaluation::new(evaluate(&trial.point)));
            }
        }
        tbpsa
    }

    #[test]
    fn the_population_grows_where_nothing_but_noise_is_seen() {
        let mut noise = Rng::new(2);
        assert_eq!(after(5, |_| noise.normal()).batch_size(), 40);
        assert_eq!(after(20, |_| noise.normal()).batch_size(), 320);
    }

    #[test]
    fn the_population_stays_small_while_it_becomes_better() {
        let mut level = 0.0;
        let tbpsa = after(20, |_| {
            level += 1.0;
            level
        });
        assert_eq!(tbpsa.batch_size(), 20);
    }
}
