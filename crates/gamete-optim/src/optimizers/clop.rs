//! Confident local optimisation (Coulom, "CLOP: Confident Local Optimization for Noisy Black-Box Parameter Tuning", 2011): logistic regression of
//! a quadratic, in which points that are worse than the average beyond doubt lose their weight; the next points are drawn with that weight.

use super::batch::Batch;
use crate::key::{Key, Settings};
use crate::linear::{Cholesky, dot};
use crate::optimizer::{Evaluation, Member, Optimizer, OptimizerInfo, Problem, Surface, Trial};
use crate::{Genome, Rng};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "clop",
    about: "confident local optimisation: quadratic logistic regression closing in on the optimum",
    compares: false,
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| Box::new(Clop::new(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::real(
        "h",
        [0.1, 100.0],
        3.0,
        "deviations below the average score at which a point counts e times less",
    ),
    Key::flag("correlations", true, "whether the quadratic includes products of coordinates"),
    Key::integer("in_flight", [1, 100_000], 16, "points evaluated in parallel"),
];

/// The variance of the coefficients of the quadratic before anything is known, in units of the logistic function.
const PRIOR_VARIANCE: f64 = 100.0;

/// Rounds of regression and weights at most; weights only become less, and so come to rest.
const ROUNDS: usize = 12;

/// Places along a coordinate that are compared when one is drawn.
const PLACES: usize = 64;

#[derive(Debug)]
struct Clop {
    rng: Rng,
    batch: Batch,
    h: f64,
    has_correlations: bool,
    /// How many games a score is the mean of; 0 where fitness is not a score from 0 to 1, and its rank is taken as one.
    games: f64,
    open: Vec<Genome>,
    /// Points and what came of each; those that failed are worse than all others.
    samples: Vec<(Genome, f64)>,
    weights: Vec<f64>,
    /// The quadratic, and from which value on points count in full, with the deviation that others are measured by.
    coefficients: Vec<f64>,
    mean: f64,
    deviation: f64,
    /// How many samples the next regression waits for.
    next_fit: usize,
    has_turned: bool,
}

impl Clop {
    fn new(settings: &Settings, problem: &Problem, rng: Rng) -> Self {
        let mut clop = Self {
            rng,
            batch: Batch::new(settings.count("in_flight")),
            h: settings.number("h"),
            has_correlations: settings.flag("correlations"),
            games: problem.games_alone as f64,
            open: Vec::new(),
            samples: Vec::new(),
            weights: Vec::new(),
            coefficients: Vec::new(),
            mean: 0.0,
            deviation: 1.0,
            next_fit: 0,
            has_turned: false,
        };
        clop.open = problem.initial_population(clop.batch.size(), &mut clop.rng);
        clop
    }

    fn take(&mut self, point: Genome, evaluation: Evaluation) {
        let fitness = match evaluation {
            Evaluation::Fitness(fitness) => fitness,
            Evaluation::Failed => f64::NEG_INFINITY,
        };
        self.samples.push((point, fitness));
    }

    fn turn(&mut self, evaluations: &[Evaluation]) {
        for (point, evaluation) in std::mem::take(&mut self.open).into_iter().zip(evaluations) {
            self.take(point, *evaluation);
        }
        if self.samples.len() >= self.next_fit {
            self.fit();
            self.next_fit = self.samples.len() + self.samples.len() / 10;
        } else {
            let weight = |(point, _): &(Genome, f64)| self.weight(point);
            self.weights.extend(self.samples[self.weights.len()..].iter().map(weight).collect::<Vec<_>>());
        }
        self.has_turned = true;
        self.open = (0..self.batch.size()).map(|_| self.draw()).collect();
    }

    /// What came of the samples, from 0 to 1.
    fn scores(&self) -> Vec<f64> {
        if self.games > 0.0 {
            return self.samples.iter().map(|(_, score)| score.clamp(0.0, 1.0)).collect();
        }
        let mut sorted: Vec<f64> = self.samples.iter().map(|(_, fitness)| *fitness).collect();
        sorted.sort_by(f64::total_cmp);
        let rank = |fitness: f64| {
            let below = sorted.partition_point(|other| *other < fitness);
            let not_above = sorted.partition_point(|other| *other <= fitness);
            (below + not_above) as f64 / (2 * sorted.len()) as f64
        };
        self.samples.iter().map(|(_, fitness)| rank(*fitness)).collect()
    }

    /// 1, the coordinates around the middle of their ranges, their squares and products.
    fn terms(&self, point: &[f64]) -> Vec<f64> {
        let centred: Vec<f64> = point.iter().map(|x| 2.0 * x - 1.0).collect();
        let mut terms = vec![1.0];
        terms.extend(&centred);
        terms.extend(centred.iter().map(|x| x * x));
        if self.has_correlations {
            for (i, x) in centred.iter().enumerate() {
                terms.extend(centred[..i].iter().map(|y| x * y));
            }
        }
        terms
    }

    fn weight(&self, point: &[f64]) -> f64 {
        if self.coefficients.is_empty() {
            return 1.0;
        }
        self.weight_of(dot(&self.coefficients, &self.terms(point)))
    }

    fn weight_of(&self, value: f64) -> f64 {
        libm::exp(((value - self.mean) / (self.h * self.deviation)).min(0.0))
    }

    /// Regression and weights in turn, until the weights are at rest.
    fn fit(&mut self) {
        let scores = self.scores();
        let terms: Vec<Vec<f64>> = self.samples.iter().map(|(point, _)| self.terms(point)).collect();
        self.weights = vec![1.0; scores.len()];
        let mut sum = scores.len() as f64;
        for _ in 0..ROUNDS {
            let counts: Vec<f64> = self.weights.iter().map(|weight| weight * self.games.max(1.0)).collect();
            self.coefficients = regression(&terms, &scores, &counts, &self.coefficients);
            (self.mean, self.deviation) = average(&scores, &counts);
            let now: Vec<f64> =
                terms.iter().map(|terms| self.weight_of(dot(&self.coefficients, terms))).collect();
            self.weights.iter_mut().zip(now).for_each(|(weight, now)| *weight = weight.min(now));
            let before = std::mem::replace(&mut sum, self.weights.iter().sum());
            if sum > 0.99 * before {
                break;
            }
        }
    }

    /// A point, drawn by weight: a sample, of which each coordinate in turn is drawn anew (Gibbs).
    fn draw(&mut self) -> Genome {
        let total: f64 = self.weights.iter().sum();
        let mut left = self.rng.uniform() * total;
        let mut place = 0;
        while place + 1 < self.samples.len() && left >= self.weights[place] {
            left -= self.weights[place];
            place += 1;
        }
        let mut point = self.samples[place].0.clone();
        let mut order: Vec<usize> = (0..point.len()).collect();
        self.rng.shuffle(&mut order);
        for coordinate in order {
            point[coordinate] = self.draw_coordinate(&point, coordinate);
        }
        point
    }

    fn draw_coordinate(&mut self, point: &[f64], coordinate: usize) -> f64 {
        let cell = 1.0 / PLACES as f64;
        // Three values say what the quadratic is along the coordinate.
        let mut moved = point.to_vec();
        let [low, middle, high] = [0.0, 0.5, 1.0].map(|x| {
            moved[coordinate] = x;
            dot(&self.coefficients, &self.terms(&moved))
        });
        let (slope, bend) = (high - low, 2.0 * (high + low - 2.0 * middle));
        let weight = |place: usize| {
            let x = (place as f64 + 0.5) * cell - 0.5;
            self.weight_of(middle + slope * x + bend * x * x)
        };
        let weights: Vec<f64> = (0..PLACES).map(weight).collect();
        let mut left = self.rng.uniform() * weights.iter().sum::<f64>();
        let mut place = 0;
        while place + 1 < PLACES && left >= weights[place] {
            left -= weights[place];
            place += 1;
        }
        (place as f64 + self.rng.uniform()) * cell
    }

    /// The mean of the samples that came to something, by weight.
    fn average_point(&self) -> Option<Genome> {
        let mut sum = vec![0.0; self.samples.first()?.0.len()];
        let mut total = 0.0;
        for ((point, fitness), weight) in self.samples.iter().zip(&self.weights) {
            if fitness.is_finite() {
                sum.iter_mut().zip(point).for_each(|(sum, x)| *sum += weight * x);
                total += weight;
            }
        }
        (total > 0.0).then(|| sum.into_iter().map(|sum| sum / total).collect())
    }
}

/// The coefficients of terms by logistic regression, with a prior that keeps them finite: Newton's method from `start`.
fn regression(terms: &[Vec<f64>], scores: &[f64], weights: &[f64], start: &[f64]) -> Vec<f64> {
    let count = terms[0].len();
    let mut found = if start.len() == count { start.to_vec() } else { vec![0.0; count] };
    let surprise = |coefficients: &[f64]| {
        let of = |((terms, score), weight): ((&Vec<f64>, &f64), &f64)| {
            let value = dot(coefficients, terms);
            weight * (value.max(0.0) + libm::log1p(libm::exp(-value.abs())) - score * value)
        };
        let samples: f64 = terms.iter().zip(scores).zip(weights).map(of).sum();
        samples + dot(coefficients, coefficients) / (2.0 * PRIOR_VARIANCE)
    };
    let mut now = surprise(&found);
    for _ in 0..20 {
        let mut slope: Vec<f64> = found.iter().map(|x| -x / PRIOR_VARIANCE).collect();
        let mut bend: Vec<Vec<f64>> = (0..count).map(|i| vec![0.0; i + 1]).collect();
        for ((terms, score), weight) in
            terms.iter().zip(scores).zip(weights).filter(|(_, weight)| **weight > 1e-4)
        {
            let expected = 1.0 / (1.0 + libm::exp(-dot(&found, terms)));
            let pull = weight * (score - expected);
            let precision = weight * expected * (1.0 - expected);
            for (i, x) in terms.iter().enumerate() {
                slope[i] += pull * x;
                bend[i].iter_mut().zip(terms).for_each(|(sum, y)| *sum += precision * x * y);
            }
        }
        (0..count).for_each(|i| bend[i][i] += 1.0 / PRIOR_VARIANCE);
        let Some(step) = Cholesky::new(&bend).map(|bend| bend.solve(slope)) else { break };
        let halves = [1.0, 0.5, 0.25, 0.125];
        let moved = halves.into_iter().find_map(|share| {
            let there: Vec<f64> = found.iter().zip(&step).map(|(x, step)| x + share * step).collect();
            let value = surprise(&there);
            (value < now).then_some((there, value))
        });
        let Some((there, value)) = moved else { break };
        let gain = now - value;
        (found, now) = (there, value);
        if gain < 1e-6 * (1.0 + now) {
            break;
        }
    }
    found
}

/// The average of scores in units of the logistic function, and its deviation.
fn average(scores: &[f64], weights: &[f64]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    // Half a win and half a loss more, so that neither is certain.
    let mean = (dot(scores, weights) + 0.5) / (total + 1.0);
    (libm::log(mean / (1.0 - mean)), 1.0 / ((total + 1.0) * mean * (1.0 - mean)).sqrt())
}

impl Optimizer for Clop {
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

    fn conclude(&mut self) {
        for (place, evaluation) in self.batch.cut_short() {
            self.take(self.open[place].clone(), evaluation);
        }
        if !self.samples.is_empty() {
            self.fit();
        }
    }

    fn population(&self) -> Vec<Member> {
        let point = self.average_point().unwrap_or_else(|| match self.open.first() {
            Some(point) => point.clone(),
            None => Genome::new(),
        });
        let parents = if self.has_turned { vec![0] } else { Vec::new() };
        vec![Member { point, fitness: None, parents }]
    }

    fn model(&self) -> Option<Surface<'_>> {
        // The first sample is the start.
        let (start, _) =
            self.samples.first().filter(|_| self.games > 0.0 && !self.coefficients.is_empty())?;
        let value = |point: &[f64]| dot(&self.coefficients, &self.terms(point));
        let at_start = value(start);
        Some(Box::new(move |point| libm::tanh((value(point) - at_start) / 2.0)))
    }

    fn best(&self) -> Option<Member> {
        self.average_point().and_then(|_| self.population().pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quadratic_is_found_by_regression() {
        let mut rng = Rng::new(1);
        let terms: Vec<Vec<f64>> = (0..3000)
            .map(|_| {
                let x = 2.0 * rng.uniform() - 1.0;
                vec![1.0, x, x * x]
            })
            .collect();
        let expected = [0.5, 1.0, -2.0];
        let mut play = |terms: &Vec<f64>| {
            let win = 1.0 / (1.0 + libm::exp(-dot(&expected, terms)));
            f64::from(u8::from(rng.uniform() < win))
        };
        let scores: Vec<f64> = terms.iter().map(&mut play).collect();
        let found = regression(&terms, &scores, &vec![1.0; 3000], &[]);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 0.25, "{found} {expected}");
        }
        let (mean, deviation) = average(&[1.0, 0.0, 1.0, 1.0], &[1.0; 4]);
        assert!((mean - libm::log(3.5 / 1.5)).abs() < 1e-12 && deviation > 0.9 && deviation < 1.1);
    }

    #[test]
    fn games_against_a_fixed_opponent_lead_to_the_optimum() {
        let problem = Problem { dimensions: 2, games_alone: 1, ..Problem::default() };
        let mut clop = Clop::new(&Settings::new(KEYS), &problem, Rng::new(2));
        let mut rng = Rng::new(3);
        for _ in 0..3200 {
            let trial = clop.ask().expect("a trial, as nothing is open");
            let far = (trial.point[0] - 0.7).powi(2) + (trial.point[1] - 0.2).powi(2);
            let win = 1.0 / (1.0 + libm::exp(4.0 * far - 0.5));
            clop.tell(trial.number, Evaluation::Fitness(f64::from(u8::from(rng.uniform() < win))));
        }
        let point = clop.best().expect("a best point").point;
        assert!((point[0] - 0.7).abs() < 0.12 && (point[1] - 0.2).abs() < 0.12, "{point:?}");
        // Points far away are hardly drawn any more.
        let far = clop.open.iter().filter(|point| point[0] < 0.2 && point[1] > 0.8).count();
        assert!(far <= 1, "{:?}", clop.open);
    }
}
