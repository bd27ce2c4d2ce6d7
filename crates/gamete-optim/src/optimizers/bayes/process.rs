//! A Gaussian process: what is known of a function from noisy observations of it.

use super::climb::climb;
use crate::Genome;
use crate::linear::{Cholesky, dot};

/// What keeps matrices of points that are almost the same positive definite.
const JITTER: f64 = 1e-9;

/// The variance of the mean of the whole function, which nobody knows.
const OFFSET: f64 = 1.0;

/// Rounds of learning.
const ROUNDS: usize = 30;

/// A place and the mean of what was evaluated there.
#[derive(Debug, Clone)]
pub(super) struct Observation {
    pub point: Genome,
    pub fitness: f64,
    /// How many evaluations it is the mean of.
    pub count: f64,
}

/// The noise that is expected: its variance, and how far off the logarithm of that may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noise {
    pub variance: f64,
    pub doubt: f64,
}

/// What the process is made of, in units of the deviation of what was observed: a Matérn kernel, 5/2.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    /// The inverse of the length of each coordinate.
    pub scales: Vec<f64>,
    /// The variance of the function around its mean.
    pub signal: f64,
    /// The variance of one evaluation.
    pub noise: f64,
}

impl Kernel {
    /// What is likeliest of what was observed, from what is usual on.
    pub fn learned(observations: &[Observation], values: &[f64], dimensions: usize, noise: Noise) -> Self {
        let usual = usual_logs(dimensions, noise);
        let (_, found) = climb(&usual, (-14.0, 7.0), 0.2, ROUNDS, |logs| {
            let (mut value, mut slope) = Self::of(logs).evidence(observations, values)?;
            for (place, (log, usual)) in logs.iter().zip(&usual).enumerate() {
                let doubt = if place == dimensions + 1 { noise.doubt } else { 1.0 };
                let away = (log - usual) / doubt;
                value -= away * away / 2.0;
                slope[place] -= away / doubt;
            }
            Some((value, slope))
        });
        Self::of(&found)
    }

    pub fn usual(dimensions: usize, noise: Noise) -> Self {
        Self::of(&usual_logs(dimensions, noise))
    }

    /// From the logarithms of lengths, of the signal and of the noise.
    fn of(logs: &[f64]) -> Self {
        let (lengths, variances) = logs.split_at(logs.len() - 2);
        let scales = lengths.iter().map(|log| libm::exp(-log)).collect();
        Self { scales, signal: libm::exp(variances[0]), noise: libm::exp(variances[1]) }
    }

    fn scaled(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.scales).map(|(x, scale)| x * scale).collect()
    }

    /// The covariance of two scaled points but for the offset, and what it changes by the square of their distance.
    fn covariance(&self, one: &[f64], two: &[f64]) -> (f64, f64) {
        let square: f64 = one.iter().zip(two).map(|(x, y)| (x - y) * (x - y)).sum();
        let distance = (5.0 * square).sqrt();
        let decay = self.signal * libm::exp(-distance);
        ((1.0 + distance + 5.0 * square / 3.0) * decay, -5.0 / 6.0 * (1.0 + distance) * decay)
    }

    fn matrix(&self, scaled: &[Vec<f64>], observations: &[Observation]) -> Vec<Vec<f64>> {
        let row = |(i, one): (usize, &Vec<f64>)| {
            let mut row: Vec<f64> =
                scaled[..=i].iter().map(|two| OFFSET + self.covariance(one, two).0).collect();
            row[i] += self.noise / observations[i].count + JITTER;
            row
        };
        scaled.iter().enumerate().map(row).collect()
    }

    /// The logarithm of the likelihood of what was observed, and its slope by the logarithms of lengths, signal and noise.
    fn evidence(&self, observations: &[Observation], values: &[f64]) -> Option<(f64, Vec<f64>)> {
        let scaled: Vec<Vec<f64>> = observations.iter().map(|one| self.scaled(&one.point)).collect();
        let factor = Cholesky::new(&self.matrix(&scaled, observations))?;
        let solved = factor.solve(values.to_vec());
        let inverse = factor.inverse();
        let dimensions = self.scales.len();
        let mut slope = vec![0.0; dimensions + 2];
        for (i, one) in scaled.iter().enumerate() {
            for (j, two) in scaled[..i].iter().enumerate() {
                let weight = solved[i] * solved[j] - inverse[i][j];
                let (covariance, change) = self.covariance(one, two);
                for (slope, (x, y)) in slope.iter_mut().zip(one.iter().zip(two)) {
                    *slope -= 2.0 * weight * change * (x - y) * (x - y);
                }
                slope[dimensions] += weight * covariance;
            }
            let weight = (solved[i] * solved[i] - inverse[i][i]) / 2.0;
            slope[dimensions] += weight * self.signal;
            slope[dimensions + 1] += weight * self.noise / observations[i].count;
        }
        Some((-0.5 * (dot(values, &solved) + factor.log_determinant()), slope))
    }
}

/// What is usual before anything is known: the more coordinates there are, the further apart points are.
fn usual_logs(dimensions: usize, noise: Noise) -> Vec<f64> {
    let length = libm::log(0.5 * (dimensions as f64).sqrt());
    let mut logs = vec![length; dimensions];
    logs.extend([0.0, libm::log(noise.variance)]);
    logs
}

/// The process given what was observed.
#[derive(Debug)]
pub(super) struct Process {
    kernel: Kernel,
    scaled: Vec<Vec<f64>>,
    values: Vec<f64>,
    factor: Cholesky,
    /// The inverse of the matrix times the values.
    solved: Vec<f64>,
}

impl Process {
    pub fn new(kernel: &Kernel, observations: &[Observation], values: Vec<f64>) -> Option<Self> {
        let scaled: Vec<Vec<f64>> = observations.iter().map(|one| kernel.scaled(&one.point)).collect();
        let factor = Cholesky::new(&kernel.matrix(&scaled, observations))?;
        let solved = factor.solve(values.clone());
        Some(Self { kernel: kernel.clone(), scaled, values, factor, solved })
    }

    /// Takes a point for evaluated, with the mean that it has.
    pub fn expect(&mut self, point: &[f64]) {
        let scaled = self.kernel.scaled(point);
        let mut row = self.covariances(&scaled);
        let mean = dot(&row, &self.solved);
        row.push(self.variance() + self.kernel.noise + JITTER);
        if self.factor.extend(row) {
            self.scaled.push(scaled);
            self.values.push(mean);
            self.solved = self.factor.solve(self.values.clone());
        }
    }

    /// The variance of a value of which nothing is known.
    fn variance(&self) -> f64 {
        OFFSET + self.kernel.signal
    }

    fn covariances(&self, scaled: &[f64]) -> Vec<f64> {
        self.scaled.iter().map(|other| OFFSET + self.kernel.covariance(scaled, other).0).collect()
    }

    pub fn mean(&self, point: &[f64]) -> f64 {
        dot(&self.covariances(&self.kernel.scaled(point)), &self.solved)
    }

    /// The mean less the deviation, and its slope.
    pub fn cautious(&self, point: &[f64]) -> (f64, Vec<f64>) {
        let scaled = self.kernel.scaled(point);
        let covariances = self.covariances(&scaled);
        let mean = dot(&covariances, &self.solved);
        let white = self.factor.forward(covariances);
        let deviation = (self.variance() - dot(&white, &white)).max(1e-12).sqrt();
        let spread = self.factor.backward(white);
        let mut slope = vec![0.0; point.len()];
        for ((other, solved), spread) in self.scaled.iter().zip(&self.solved).zip(spread) {
            let weight = 2.0 * (solved + spread / deviation) * self.kernel.covariance(&scaled, other).1;
            for (place, slope) in slope.iter_mut().enumerate() {
                *slope += weight * (scaled[place] - other[place]) * self.kernel.scales[place];
            }
        }
        (mean - deviation, slope)
    }

    /// The mean at a point, and its deviation.
    fn belief(&self, point: &[f64]) -> (f64, f64) {
        let covariances = self.covariances(&self.kernel.scaled(point));
        let mean = dot(&covariances, &self.solved);
        let white = self.factor.forward(covariances);
        (mean, (self.variance() - dot(&white, &white)).max(1e-12).sqrt())
    }

    /// What a point may be worth: the mean and two deviations.
    pub fn optimistic(&self, point: &[f64]) -> f64 {
        let (mean, deviation) = self.belief(point);
        mean + 2.0 * deviation
    }

    /// The improvement over `best` that is expected of a point.
    pub fn expected_improvement(&self, point: &[f64], best: f64) -> f64 {
        let (mean, deviation) = self.belief(point);
        let z = (mean - best) / deviation;
        let density = libm::exp(-z * z / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        let below = 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
        deviation * (z * below + density)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    const NOISE: Noise = Noise { variance: 0.1, doubt: 1.0 };

    fn observe(points: &[f64]) -> (Vec<Observation>, Vec<f64>) {
        let observation = |x: &f64| Observation { point: vec![*x], fitness: x * (1.0 - x), count: 1.0 };
        let observations: Vec<Observation> = points.iter().map(observation).collect();
        let values = observations.iter().map(|one| one.fitness).collect();
        (observations, values)
    }

    fn noisy() -> (Vec<Observation>, Vec<f64>) {
        let mut rng = Rng::new(4);
        let observations: Vec<Observation> = (0..60)
            .map(|_| {
                let point = vec![rng.uniform(), rng.uniform()];
                let fitness = libm::sin(8.0 * point[0]) + 0.3 * rng.normal();
                Observation { point, fitness, count: 1.0 }
            })
            .collect();
        let values = observations.iter().map(|one| one.fitness).collect();
        (observations, values)
    }

    #[test]
    fn the_process_goes_through_what_was_observed_without_noise() {
        let (observations, values) = observe(&[0.1, 0.4, 0.8]);
        let kernel = Kernel { scales: vec![2.0], signal: 1.0, noise: 1e-6 };
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
    fn slopes_are_what_values_change_by() {
        let (observations, values) = noisy();
        let step = 1e-5;
        let near = |slope: f64, high: f64, low: f64| {
            let difference = (high - low) / (2.0 * step);
            assert!((slope - difference).abs() < 1e-4 * (1.0 + slope.abs()), "{slope} {difference}");
        };
        let logs = [-1.0, 0.5, 0.3, -2.0];
        let evidence =
            |logs: &[f64]| Kernel::of(logs).evidence(&observations, &values).expect("enough digits");
        for (place, slope) in evidence(&logs).1.into_iter().enumerate() {
            let [high, low] = [step, -step].map(|step| {
                let mut moved = logs;
                moved[place] += step;
                evidence(&moved).0
            });
            near(slope, high, low);
        }
        let process = Process::new(&Kernel::of(&logs), &observations, values.clone()).expect("a process");
        let point = [0.3, 0.6];
        for (place, slope) in process.cautious(&point).1.into_iter().enumerate() {
            let [high, low] = [step, -step].map(|step| {
                let mut moved = point;
                moved[place] += step;
                process.cautious(&moved).0
            });
            near(slope, high, low);
        }
    }

    #[test]
    fn noise_and_coordinates_without_effect_are_learned() {
        let (observations, values) = noisy();
        let Kernel { scales, noise, .. } = Kernel::learned(&observations, &values, 2, NOISE);
        assert!(scales[0] > 3.0 * scales[1], "{scales:?}");
        assert!(noise > 0.02 && noise < 0.4, "{noise}");
    }
}
