//! Bayesian optimisation with a Gaussian process (Jones, Schonlau and Welch, "Efficient Global Optimization of Expensive Black-Box Functions",
//! 1998): a Matérn kernel with a length of each coordinate and noise, both by marginal likelihood, and the next point where the most improvement over
//! the best mean is expected.

use super::batch::Batch;
use crate::key::{Key, Settings};
use crate::linear::{Cholesky, dot};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Surface, Trial};
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "bayes",
    about: "Bayesian optimisation: a noisy Gaussian process and the most expected improvement",
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| Box::new(Bayes::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::integer(
        "memory",
        [10, 2000],
        80,
        "points to keep; beyond that, the two nearest are merged into their mean, which counts for both",
    ),
    Key::integer("candidates", [10, 100_000], 100, "points from which the next is chosen"),
    Key::integer("in_flight", [1, 1000], 8, "points evaluated in parallel"),
];

/// Candidates of which the expected improvement is computed: those with the best means.
const FINALISTS: usize = 12;

/// Lengths of coordinates and noise are learned whenever there are so many times as many evaluations.
const RELEARN: f64 = 1.2;

/// What keeps matrices of points that are almost the same positive definite.
const JITTER: f64 = 1e-9;

/// A place and the mean of what was evaluated there.
#[derive(Debug, Clone)]
struct Observation {
    point: Genome,
    fitness: f64,
    /// How many evaluations it is the mean of.
    count: f64,
}

/// What the process is made of, in units of the deviation of what was observed.
#[derive(Debug, Clone)]
struct Kernel {
    lengths: Vec<f64>,
    /// The variance of one evaluation.
    noise: f64,
}

impl Kernel {
    fn new(dimensions: usize) -> Self {
        Self { lengths: vec![usual_length(dimensions); dimensions], noise: 0.1 }
    }

    /// The covariance of two points: Matérn, 5/2.
    fn covariance(&self, one: &[f64], two: &[f64]) -> f64 {
        let scaled = |((one, two), length): ((&f64, &f64), &f64)| ((one - two) / length).powi(2);
        let square: f64 = one.iter().zip(two).zip(&self.lengths).map(scaled).sum();
        let distance = (5.0 * square).sqrt();
        (1.0 + distance + 5.0 * square / 3.0) * libm::exp(-distance)
    }

    fn matrix(&self, observations: &[Observation]) -> Vec<Vec<f64>> {
        let row = |(i, one): (usize, &Observation)| {
            let mut row: Vec<f64> =
                observations[..i].iter().map(|two| self.covariance(&one.point, &two.point)).collect();
            row.push(1.0 + self.noise / one.count + JITTER);
            row
        };
        observations.iter().enumerate().map(row).collect()
    }

    /// The logarithm of the likelihood of what was observed, and of the kernel itself; nothing if numbers do not suffice for it.
    fn evidence(&self, observations: &[Observation], values: &[f64]) -> Option<f64> {
        let factor = Cholesky::new(&self.matrix(observations))?;
        let white = factor.forward(values.to_vec());
        let usual = usual_length(self.lengths.len());
        let strange: f64 = self.lengths.iter().map(|length| libm::log(length / usual).powi(2)).sum();
        Some(-0.5 * (dot(&white, &white) + factor.log_determinant() + strange))
    }
}

/// The length of a coordinate before anything is known: the more there are, the further apart points are.
fn usual_length(dimensions: usize) -> f64 {
    0.5 * (dimensions as f64).sqrt()
}

/// The process given what was observed.
#[derive(Debug)]
struct Process {
    kernel: Kernel,
    points: Vec<Genome>,
    values: Vec<f64>,
    factor: Cholesky,
    /// The inverse of the matrix times the values.
    solved: Vec<f64>,
}

impl Process {
    fn new(kernel: &Kernel, observations: &[Observation], values: Vec<f64>) -> Option<Self> {
        let factor = Cholesky::new(&kernel.matrix(observations))?;
        let points = observations.iter().map(|one| one.point.clone()).collect();
        let solved = factor.solve(values.clone());
        Some(Self { kernel: kernel.clone(), points, values, factor, solved })
    }

    /// Takes a point for evaluated, with the mean that it has.
    fn expect(&mut self, point: &[f64]) {
        let mut row = self.covariances(point);
        let mean = dot(&row, &self.solved);
        row.push(1.0 + self.kernel.noise + JITTER);
        if self.factor.extend(row) {
            self.points.push(point.to_vec());
            self.values.push(mean);
            self.solved = self.factor.solve(self.values.clone());
        }
    }

    fn covariances(&self, point: &[f64]) -> Vec<f64> {
        self.points.iter().map(|other| self.kernel.covariance(point, other)).collect()
    }

    fn mean(&self, point: &[f64]) -> f64 {
        dot(&self.covariances(point), &self.solved)
    }

    /// The improvement over `best` that is expected of a point.
    fn expected_improvement(&self, point: &[f64], best: f64) -> f64 {
        let covariances = self.covariances(point);
        let mean = dot(&covariances, &self.solved);
        let white = self.factor.forward(covariances);
        let deviation = (1.0 - dot(&white, &white)).max(1e-12).sqrt();
        let z = (mean - best) / deviation;
        let density = libm::exp(-z * z / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        let below = 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
        deviation * (z * below + density)
    }
}

#[derive(Debug)]
struct Bayes {
    rng: Rng,
    start: Genome,
    batch: Batch,
    memory: usize,
    candidates: usize,
    open: Vec<Genome>,
    observations: Vec<Observation>,
    evaluations: f64,
    next_learning: f64,
    kernel: Kernel,
    /// How far around the best point candidates are, which follows where improvements were found.
    reach: f64,
    best: Option<Member>,
    has_turned: bool,
}

impl Bayes {
    fn new(settings: &Settings, problem: &Problem, mut rng: Rng) -> Self {
        let size = settings.count("in_flight");
        let open = problem.initial_population(size, &mut rng);
        Self {
            rng,
            start: open[0].clone(),
            batch: Batch::new(size),
            memory: settings.count("memory"),
            candidates: settings.count("candidates"),
            open,
            observations: Vec::new(),
            evaluations: 0.0,
            next_learning: 0.0,
            kernel: Kernel::new(problem.dimensions),
            reach: 0.1,
            best: None,
            has_turned: false,
        }
    }

    fn turn(&mut self, evaluations: &[Evaluation]) {
        let worst = self.observations.iter().map(|one| one.fitness).fold(f64::INFINITY, f64::min);
        let known = evaluations.iter().filter_map(|evaluation| match evaluation {
            Evaluation::Fitness(fitness) => Some(*fitness),
            Evaluation::Failed => None,
        });
        let worst = known.fold(worst, f64::min);
        for (point, evaluation) in std::mem::take(&mut self.open).into_iter().zip(evaluations) {
            // What fails is as bad as the worst that is known, so that others are looked for elsewhere.
            let fitness = match *evaluation {
                Evaluation::Fitness(fitness) => fitness,
                Evaluation::Failed if worst.is_finite() => worst,
                Evaluation::Failed => continue,
            };
            self.evaluations += 1.0;
            self.observations.push(Observation { point, fitness, count: 1.0 });
        }
        while self.observations.len() > self.memory {
            self.merge_nearest();
        }
        self.has_turned = true;
        self.open = if self.observations.is_empty() { self.anywhere() } else { self.propose() };
    }

    fn anywhere(&mut self) -> Vec<Genome> {
        let dimensions = self.kernel.lengths.len();
        let rng = &mut self.rng;
        (0..self.batch.size()).map(|_| (0..dimensions).map(|_| rng.uniform()).collect()).collect()
    }

    /// Makes one observation of the nearest two, those that count for less being nearer.
    fn merge_nearest(&mut self) {
        let scaled = |((one, two), length): ((&f64, &f64), &f64)| ((one - two) / length).powi(2);
        let mut nearest = (f64::INFINITY, 0, 1);
        for (i, one) in self.observations.iter().enumerate() {
            for (j, two) in self.observations[..i].iter().enumerate() {
                let square: f64 =
                    one.point.iter().zip(&two.point).zip(&self.kernel.lengths).map(scaled).sum();
                let apart = square * one.count * two.count / (one.count + two.count);
                if apart < nearest.0 {
                    nearest = (apart, j, i);
                }
            }
        }
        let two = self.observations.remove(nearest.2);
        let one = &mut self.observations[nearest.1];
        let count = one.count + two.count;
        let share = two.count / count;
        one.point.iter_mut().zip(&two.point).for_each(|(x, y)| *x += share * (y - *x));
        one.fitness += share * (two.fitness - one.fitness);
        one.count = count;
    }

    /// The mean of what was observed, its deviation, and the observations in units of it.
    fn standardised(&self) -> (f64, f64, Vec<f64>) {
        let count = self.observations.len() as f64;
        let mean = self.observations.iter().map(|one| one.fitness).sum::<f64>() / count;
        let square = self.observations.iter().map(|one| (one.fitness - mean).powi(2)).sum::<f64>();
        let deviation = (square / count).sqrt().max(f64::MIN_POSITIVE);
        (mean, deviation, self.observations.iter().map(|one| (one.fitness - mean) / deviation).collect())
    }

    /// Learns, and gives the points of the next batch.
    fn propose(&mut self) -> Vec<Genome> {
        let (mean, deviation, values) = self.standardised();
        if self.evaluations >= self.next_learning {
            self.learn(&values);
            self.next_learning = RELEARN * self.evaluations;
        }
        let Some(mut process) = Process::new(&self.kernel, &self.observations, values) else {
            return self.anywhere();
        };
        let means = self.observations.iter().map(|one| process.mean(&one.point));
        let (place, best) = highest(means);
        let point = self.observations[place].point.clone();
        let moved = self.best.as_ref().is_none_or(|before| before.point != point);
        self.reach = (self.reach * if moved { 1.5 } else { 0.8 }).clamp(0.001, 0.3);
        let parents = if self.best.is_some() { vec![0] } else { Vec::new() };
        self.best = Some(Member { point, fitness: Some(mean + deviation * best), parents });
        let mut proposed = Vec::new();
        while proposed.len() < self.batch.size() {
            let next = self.next(&process, best);
            // Until it is evaluated, it is taken for what is expected of it.
            process.expect(&next);
            proposed.push(next);
        }
        proposed
    }

    /// Looks for lengths and noise under which what was observed is likelier, one after the other.
    fn learn(&mut self, values: &[f64]) {
        let Some(mut now) = self.kernel.evidence(&self.observations, values) else { return };
        for place in 0..=self.kernel.lengths.len() {
            for factor in [2.0, 0.5] {
                let mut other = self.kernel.clone();
                match other.lengths.get_mut(place) {
                    Some(length) => *length = (*length * factor).clamp(0.02, 50.0),
                    None => other.noise = (other.noise * factor * factor).clamp(1e-6, 100.0),
                }
                if let Some(evidence) =
                    other.evidence(&self.observations, values).filter(|other| *other > now)
                {
                    (self.kernel, now) = (other, evidence);
                    break;
                }
            }
        }
    }

    /// The candidate of which the most improvement is expected: anywhere, or around the best point.
    fn next(&mut self, process: &Process, best: f64) -> Genome {
        let around = self.best.as_ref().map(|best| best.point.clone()).unwrap_or_default();
        let mut candidates: Vec<(f64, Genome)> = (0..self.candidates)
            .map(|number| {
                let reach = if number % 2 == 0 { self.reach } else { 0.25 * self.reach };
                let near = |x: &f64| (x + reach * self.rng.normal()).clamp(0.0, 1.0);
                let point: Genome = if number % 4 == 3 {
                    around.iter().map(|_| self.rng.uniform()).collect()
                } else {
                    around.iter().map(near).collect()
                };
                (process.mean(&point), point)
            })
            .collect();
        candidates.sort_by(|one, two| two.0.total_cmp(&one.0));
        // The best means, and as many others, which may be worth more than is known.
        let others = candidates.len().saturating_sub(FINALISTS) / FINALISTS;
        let chosen: Vec<Genome> = candidates
            .iter()
            .enumerate()
            .filter(|(place, _)| *place < FINALISTS || place % others.max(1) == 0)
            .map(|(_, (_, point))| point.clone())
            .collect();
        let (place, _) = highest(chosen.iter().map(|point| process.expected_improvement(point, best)));
        chosen[place].clone()
    }
}

/// The place of the largest value, and the value.
fn highest(values: impl Iterator<Item = f64>) -> (usize, f64) {
    let better = |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
    values.enumerate().fold((0, f64::NEG_INFINITY), better)
}

impl Optimizer for Bayes {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        Some(Trial { number, point: self.open[place].clone(), rival: None })
    }

    fn tell(&mut self, number: u64, evaluation: Evaluation) {
        if let Some(evaluations) = self.batch.tell(number, evaluation) {
            self.turn(&evaluations);
        }
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    fn model(&self) -> Option<Surface<'_>> {
        let (mean, deviation, values) = self.standardised();
        let process = Process::new(&self.kernel, &self.observations, values)?;
        // A score against the start, as the difference that Elo's curve makes such a score of.
        let value = move |point: &[f64]| {
            let score = (mean + deviation * process.mean(point)).clamp(0.001, 0.999);
            libm::log(score / (1.0 - score))
        };
        let at_start = value(&self.start);
        Some(Box::new(move |point| libm::tanh((value(point) - at_start) / 2.0)))
    }

    fn population(&self) -> Vec<Member> {
        let unknown = || Member {
            point: self.open[0].clone(),
            fitness: None,
            parents: if self.has_turned { vec![0] } else { Vec::new() },
        };
        vec![self.best.clone().unwrap_or_else(unknown)]
    }

    fn best(&self) -> Option<Member> {
        self.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observe(points: &[f64], value: impl Fn(f64) -> f64) -> (Vec<Observation>, Vec<f64>) {
        let observation = |x: &f64| Observation { point: vec![*x], fitness: value(*x), count: 1.0 };
        let observations: Vec<Observation> = points.iter().map(observation).collect();
        let values = observations.iter().map(|one| one.fitness).collect();
        (observations, values)
    }

    #[test]
    fn the_process_goes_through_what_was_observed_without_noise() {
        let (observations, values) = observe(&[0.1, 0.4, 0.8], |x| x * (1.0 - x));
        let kernel = Kernel { lengths: vec![0.5], noise: 1e-6 };
        let process = Process::new(&kernel, &observations, values).expect("a process");
        for x in [0.1, 0.4, 0.8] {
            assert!((process.mean(&[x]) - x * (1.0 - x)).abs() < 1e-4);
        }
        assert!((process.mean(&[0.5]) - 0.25).abs() < 0.02);
        // Nothing is to be gained where everything is known, and more where less is.
        let best = 0.24;
        let [known, between] = [0.8, 0.5].map(|x| process.expected_improvement(&[x], best));
        assert!(known < 1e-6 && between > 1e-3, "{known} {between}");
    }

    #[test]
    fn noise_and_coordinates_without_effect_are_learned() {
        let mut rng = Rng::new(4);
        let mut bayes =
            Bayes::new(&Settings::new(KEYS), &Problem { dimensions: 2, ..Problem::default() }, Rng::new(1));
        bayes.observations = (0..60)
            .map(|_| {
                let point = vec![rng.uniform(), rng.uniform()];
                let fitness = (8.0 * point[0]).sin() + 0.3 * rng.normal();
                Observation { point, fitness, count: 1.0 }
            })
            .collect();
        let values: Vec<f64> = bayes.observations.iter().map(|one| one.fitness).collect();
        (0..6).for_each(|_| bayes.learn(&values));
        let Kernel { lengths, noise } = &bayes.kernel;
        assert!(lengths[1] > 3.0 * lengths[0], "{lengths:?}");
        assert!(*noise > 0.02 && *noise < 0.4, "{noise}");
    }

    #[test]
    fn the_nearest_become_one_that_counts_for_both() {
        let mut bayes =
            Bayes::new(&Settings::new(KEYS), &Problem { dimensions: 1, ..Problem::default() }, Rng::new(1));
        bayes.observations = observe(&[0.1, 0.5, 0.54, 0.9], |x| x).0;
        bayes.merge_nearest();
        let found: Vec<(f64, f64)> = bayes.observations.iter().map(|one| (one.point[0], one.count)).collect();
        assert_eq!((found.len(), found[1].1), (3, 2.0));
        assert!((found[1].0 - 0.52).abs() < 1e-12 && (bayes.observations[1].fitness - 0.52).abs() < 1e-12);
    }
}
