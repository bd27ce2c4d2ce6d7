//! Bayesian optimisation with a Gaussian process (Jones, Schonlau and Welch, "Efficient Global Optimization of Expensive Black-Box Functions",
//! 1998): a Matérn kernel with a length of each coordinate, a signal and noise, all by marginal likelihood, and the next point where the most
//! improvement over the best mean is expected, or where the mean and two deviations are highest.

mod climb;
mod process;

use super::batch::Batch;
use crate::key::{Key, Settings};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Surface, Trial};
use crate::{Genome, Rng};
use climb::climb;
use process::{Kernel, Noise, Observation, Process};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "bayes",
    about: "Bayesian optimisation: a noisy Gaussian process and the most expected improvement",
    compares: false,
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

/// Lengths of coordinates, signal and noise are learned whenever there are so many times as many evaluations.
const RELEARN: f64 = 1.2;

/// How far around the best point the next is looked for, in deviations of the distance; half of the candidates are at a quarter of it.
const REACH: f64 = 0.28;

/// Observations with the best means, from which the way up to the answer begins, and how long it is at most.
const STARTS: usize = 5;
const ROUNDS: usize = 40;

/// The noise of what is no game.
const USUAL_NOISE: Noise = Noise { variance: 0.1, doubt: 1.0 };

/// The variance of the score of a game: one half of the games is drawn, and nobody is far ahead.
const GAME_VARIANCE: f64 = 0.11;

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
    /// The games of an evaluation; 0 if none are played.
    games: f64,
    best: Option<Member>,
    has_turned: bool,
}

impl Bayes {
    fn new(settings: &Settings, problem: &Problem, mut rng: Rng) -> Self {
        let size = settings.count("in_flight");
        let mut open = problem.initial_population(size, &mut rng);
        let known = problem.start.len().max(usize::from(!problem.default.is_empty()));
        if known > 0 {
            // A start that somebody chose is nearer to the optimum than the middle of nowhere.
            let start = open[0].clone();
            open.iter_mut().skip(known).for_each(|point| *point = near(&start, REACH, &mut rng));
        }
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
            kernel: Kernel::usual(problem.dimensions, USUAL_NOISE),
            games: problem.games_alone as f64,
            best: None,
            has_turned: false,
        }
    }

    /// Takes what came of open points, by their places.
    fn take(&mut self, told: &[(usize, Evaluation)]) {
        let worst = self.observations.iter().map(|one| one.fitness).fold(f64::INFINITY, f64::min);
        let known = told.iter().filter_map(|(_, evaluation)| match evaluation {
            Evaluation::Fitness(fitness) => Some(*fitness),
            Evaluation::Failed => None,
        });
        let worst = known.fold(worst, f64::min);
        for (place, evaluation) in told {
            // What fails is as bad as the worst that is known, so that others are looked for elsewhere.
            let fitness = match *evaluation {
                Evaluation::Fitness(fitness) => fitness,
                Evaluation::Failed if worst.is_finite() => worst,
                Evaluation::Failed => continue,
            };
            self.evaluations += 1.0;
            self.observations.push(Observation { point: self.open[*place].clone(), fitness, count: 1.0 });
        }
        while self.observations.len() > self.memory {
            self.merge_nearest();
        }
    }

    fn turn(&mut self, evaluations: Vec<Evaluation>) {
        self.take(&evaluations.into_iter().enumerate().collect::<Vec<_>>());
        self.has_turned = true;
        self.open = if self.observations.is_empty() { self.anywhere() } else { self.propose() };
    }

    fn anywhere(&mut self) -> Vec<Genome> {
        let dimensions = self.kernel.scales.len();
        let rng = &mut self.rng;
        (0..self.batch.size()).map(|_| (0..dimensions).map(|_| rng.uniform()).collect()).collect()
    }

    /// Makes one observation of the nearest two, those that count for less being nearer.
    fn merge_nearest(&mut self) {
        let scaled = |((one, two), scale): ((&f64, &f64), &f64)| ((one - two) * scale).powi(2);
        let mut nearest = (f64::INFINITY, 0, 1);
        for (i, one) in self.observations.iter().enumerate() {
            for (j, two) in self.observations[..i].iter().enumerate() {
                let square: f64 = one.point.iter().zip(&two.point).zip(&self.kernel.scales).map(scaled).sum();
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

    /// Learns what to recommend, and gives the process with its mean there; nothing where no process can be made of the observations.
    fn learn(&mut self) -> Option<(Process, f64)> {
        let (mean, deviation, values) = self.standardised();
        if self.evaluations >= self.next_learning {
            let noise = self.expected_noise(deviation);
            self.kernel = Kernel::learned(&self.observations, &values, self.kernel.scales.len(), noise);
            self.next_learning = RELEARN * self.evaluations;
        }
        let process = Process::new(&self.kernel, &self.observations, values)?;
        let point = self.most_certain(&process);
        let best = process.mean(&point);
        let parents = if self.best.is_some() { vec![0] } else { Vec::new() };
        self.best = Some(Member { point, fitness: Some(mean + deviation * best), parents });
        Some((process, best))
    }

    /// The points of the next batch.
    fn propose(&mut self) -> Vec<Genome> {
        let Some((mut process, best)) = self.learn() else { return self.anywhere() };
        let mut proposed = Vec::new();
        while proposed.len() < self.batch.size() {
            // Expected improvement alone stays where little is left to be learned: every other point is chosen by optimism.
            let is_optimistic = proposed.len() % 2 == 1;
            let next = self.next(&process, |point| match is_optimistic {
                true => process.optimistic(point),
                false => process.expected_improvement(point, best),
            });
            // Until it is evaluated, it is taken for what is expected of it.
            process.expect(&next);
            proposed.push(next);
        }
        proposed
    }

    /// The noise of an evaluation, in units of the deviation of what was observed.
    fn expected_noise(&self, deviation: f64) -> Noise {
        if self.games == 0.0 {
            return USUAL_NOISE;
        }
        Noise { variance: GAME_VARIANCE / (self.games * deviation * deviation), doubt: 0.3 }
    }

    /// The point with the best mean less its deviation, anywhere: what is merely not known to be worse is no answer.
    fn most_certain(&self, process: &Process) -> Genome {
        let mut starts: Vec<(f64, &Genome)> =
            self.observations.iter().map(|one| (process.mean(&one.point), &one.point)).collect();
        starts.sort_by(|one, two| two.0.total_cmp(&one.0));
        let climbed = starts
            .iter()
            .take(STARTS)
            .map(|(_, start)| climb(start, (0.0, 1.0), 0.02, ROUNDS, |point| Some(process.cautious(point))));
        let better = |best: (f64, Genome), next: (f64, Genome)| if next.0 > best.0 { next } else { best };
        climbed.fold((f64::NEG_INFINITY, starts[0].1.clone()), better).1
    }

    /// The candidate around the best point that is worth most.
    fn next(&mut self, process: &Process, worth: impl Fn(&[f64]) -> f64) -> Genome {
        let around = self.best.as_ref().map(|best| best.point.clone()).unwrap_or_default();
        let mut candidates: Vec<(f64, Genome)> = (0..self.candidates)
            .map(|number| {
                let reach = if number % 2 == 0 { REACH } else { REACH / 4.0 };
                let mut point = near(&around, reach, &mut self.rng);
                if number % 8 == 7 {
                    // The other end of a switch is out of reach.
                    let coordinate = self.rng.below(point.len() as u64) as usize;
                    point[coordinate] = self.rng.uniform();
                }
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
        let (place, _) = highest(chosen.iter().map(|point| worth(point)));
        chosen[place].clone()
    }
}

/// A point around another, whose distance has such a deviation however many coordinates there are.
fn near(point: &[f64], reach: f64, rng: &mut Rng) -> Genome {
    let each = reach / (point.len() as f64).sqrt();
    point.iter().map(|x| (x + each * rng.normal()).clamp(0.0, 1.0)).collect()
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
            self.turn(evaluations);
        }
    }

    fn batch_size(&self) -> usize {
        self.batch.size()
    }

    fn conclude(&mut self) {
        let told = self.batch.cut_short();
        self.take(&told);
        if !self.observations.is_empty() {
            self.next_learning = 0.0;
            self.learn();
        }
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
