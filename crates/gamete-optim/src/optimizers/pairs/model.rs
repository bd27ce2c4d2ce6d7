//! What comparisons say about a landscape of playing strength: a peak, with curvatures around it, that levels off far away.
//!
//! The strength of a point x is −(1 − exp(−ρ·q))/ρ with q = |A·(x − o)|². The optimum is o, A is symmetric, so that A² are the curvatures
//! and no direction leads up for ever; 1/ρ is the most that a point can lose. The score of a comparison is the hyperbolic tangent of the
//! difference of strengths, which is Elo's curve from −1 to 1. The prior says that o is near the start, that curvatures are alike and that coordinates do not
//! interact; how near, how alike and how little is learned from the comparisons (MacKay, "Bayesian Interpolation", 1992). So a landscape of few
//! comparisons has a diagonal A, and a direction of which nothing is known stays where it began. The posterior is normal around its mode
//! (Laplace), which is found by the method of Levenberg and Marquardt.

use crate::Rng;
use crate::linear::{Cholesky, dot};

/// Two points that were compared, in units of the model, from the start.
#[derive(Debug, Clone)]
pub(super) struct Comparison {
    pub one: Vec<f64>,
    pub two: Vec<f64>,
    /// How much better the first did, from −1 to 1.
    pub score: f64,
    /// How much it counts, from 0 to 1.
    pub weight: f64,
}

/// Elo in units of strength: the hyperbolic tangent of the strength is the score.
const ELO: f64 = std::f64::consts::LN_10 / 800.0;

/// What the start is expected to lose, before anything is known.
const LOSS_AT_START: f64 = 50.0 * ELO;

/// The most that points are expected to lose, before anything is known.
const DEPTH: f64 = 150.0 * ELO;

/// The variance of the score of a pair of games, before anything is known.
const VARIANCE: f64 = 0.25;

/// How many observations the expectations above are worth.
const PRIOR_COUNT: f64 = 1.0;

/// Steps towards the mode each time that comparisons are added: what is not reached is reached with the next.
const STEPS: usize = 2;

/// Parameters of a group, which have a normal distribution in common.
#[derive(Debug, Clone, Copy)]
struct Group {
    mean: f64,
    variance: f64,
}

/// Where the optimum is and how strength falls around it.
#[derive(Debug, Clone)]
pub(super) struct Landscape {
    pub optimum: Vec<f64>,
    /// A².
    pub curvatures: Vec<Vec<f64>>,
    /// 1 divided by the most that a point can lose.
    pub rho: f64,
}

impl Landscape {
    /// The strength of a point, less that of the optimum.
    pub fn strength(&self, point: &[f64]) -> f64 {
        let from: Vec<f64> = point.iter().zip(&self.optimum).map(|(x, optimum)| x - optimum).collect();
        let q: f64 = self.curvatures.iter().zip(&from).map(|(row, x)| x * dot(row, &from)).sum();
        levelled(q, self.rho).0
    }
}

/// A loss as it is where the landscape levels off, as strength, and its derivatives by the loss and by ρ.
fn levelled(q: f64, rho: f64) -> (f64, f64, f64) {
    let share = rho * q;
    if share < 1e-4 {
        return (-q, -1.0, q * q / 2.0);
    }
    let left = libm::exp(-share);
    (-(1.0 - left) / rho, -left, (1.0 - left * (1.0 + share)) / (rho * rho))
}

/// The posterior of the landscape.
#[derive(Debug, Clone)]
pub(super) struct Model {
    dimensions: usize,
    /// The optimum, the diagonal of A, A above its diagonal row by row, ρ.
    mode: Vec<f64>,
    /// Of the optimum, the diagonal of A, the rest of A, ρ.
    groups: [Group; 4],
    /// The variance of a score.
    variance: f64,
    /// Of the matrix of precisions.
    precision: Option<Cholesky>,
}

/// The strength of a point and what changes it.
struct Strength {
    value: f64,
    /// Its derivatives by q and by ρ.
    by_q: f64,
    by_rho: f64,
    /// x − o and A · (x − o).
    from_optimum: Vec<f64>,
    turned: Vec<f64>,
}

impl Model {
    pub fn new(dimensions: usize) -> Self {
        let diagonal = (LOSS_AT_START / dimensions as f64).sqrt();
        let square = diagonal * diagonal;
        let rho = 1.0 / DEPTH;
        let groups = [(0.0, 1.0), (diagonal, 0.5 * square), (0.0, 0.05 * square), (rho, rho * rho)];
        let mut mode = vec![0.0; dimensions];
        mode.extend(vec![diagonal; dimensions]);
        mode.extend(vec![0.0; dimensions * (dimensions - 1) / 2]);
        mode.push(rho);
        Self {
            dimensions,
            mode,
            groups: groups.map(|(mean, variance)| Group { mean, variance }),
            variance: VARIANCE,
            precision: None,
        }
    }

    /// The variance of a score.
    pub fn score_variance(&self) -> f64 {
        self.variance
    }

    /// The most probable landscape.
    pub fn mode(&self) -> Landscape {
        self.landscape(&self.mode)
    }

    /// A landscape from the posterior.
    pub fn draw(&self, rng: &mut Rng) -> Landscape {
        let normal: Vec<f64> = self.mode.iter().map(|_| rng.normal()).collect();
        let changed = match &self.precision {
            Some(precision) => precision.backward(normal),
            None => (0..normal.len()).map(|i| normal[i] * self.group(i).variance.sqrt()).collect(),
        };
        let drawn: Vec<f64> = self.mode.iter().zip(changed).map(|(mode, change)| mode + change).collect();
        self.landscape(&drawn)
    }

    fn landscape(&self, parameters: &[f64]) -> Landscape {
        let root = self.root(parameters);
        Landscape {
            optimum: parameters[..self.dimensions].to_vec(),
            curvatures: root.iter().map(|one| root.iter().map(|two| dot(one, two)).collect()).collect(),
            rho: self.rho(parameters).max(0.0),
        }
    }

    fn rho(&self, parameters: &[f64]) -> f64 {
        parameters[parameters.len() - 1]
    }

    /// A.
    fn root(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        let count = self.dimensions;
        let mut root = vec![vec![0.0; count]; count];
        let mut above = parameters[2 * count..].iter();
        for i in 0..count {
            root[i][i] = parameters[count + i];
            let row: Vec<f64> = above.by_ref().take(count - 1 - i).copied().collect();
            for (j, entry) in (i + 1..count).zip(row) {
                (root[i][j], root[j][i]) = (entry, entry);
            }
        }
        root
    }

    /// The range of the parameters of each group.
    fn ranges(&self) -> [std::ops::Range<usize>; 4] {
        let (count, last) = (self.dimensions, self.mode.len() - 1);
        [0..count, count..2 * count, 2 * count..last, last..last + 1]
    }

    fn group(&self, parameter: usize) -> Group {
        let place = self.ranges().iter().position(|range| range.contains(&parameter));
        self.groups[place.expect("a group for each parameter")]
    }

    fn strength(&self, parameters: &[f64], root: &[Vec<f64>], point: &[f64]) -> Strength {
        let from_optimum: Vec<f64> = point.iter().zip(parameters).map(|(x, optimum)| x - optimum).collect();
        let turned: Vec<f64> = root.iter().map(|row| dot(row, &from_optimum)).collect();
        let (value, by_q, by_rho) = levelled(dot(&turned, &turned), self.rho(parameters));
        Strength { value, by_q, by_rho, from_optimum, turned }
    }

    /// Adds the derivatives of a strength by all parameters, times `sign`.
    fn add_derivatives(root: &[Vec<f64>], strength: &Strength, sign: f64, row: &mut [f64]) {
        let Strength { by_q, by_rho, from_optimum, turned, .. } = strength;
        let count = root.len();
        let factor = 2.0 * sign * by_q;
        let (optimum, rest) = row.split_at_mut(count);
        let (diagonal, above) = rest.split_at_mut(count);
        let mut above = above.iter_mut();
        for i in 0..count {
            optimum[i] -= factor * dot(&root[i], turned);
            diagonal[i] += factor * turned[i] * from_optimum[i];
            for j in i + 1..count {
                let entry = above.next().expect("an entry for each pair of coordinates");
                *entry += factor * (turned[i] * from_optimum[j] + turned[j] * from_optimum[i]);
            }
        }
        *above.next().expect("ρ comes last") += sign * by_rho;
    }

    /// What has to become small: the improbability of the comparisons and of the parameters.
    fn surprise(&self, parameters: &[f64], comparisons: &[Comparison]) -> f64 {
        let root = self.root(parameters);
        let compared = |comparison: &Comparison| {
            let [one, two] =
                [&comparison.one, &comparison.two].map(|point| self.strength(parameters, &root, point).value);
            comparison.weight * surprise_of_score(one - two, comparison.score)
        };
        let counted: f64 = comparisons.iter().filter(|comparison| counts(comparison)).map(compared).sum();
        counted / self.variance + self.surprise_of_parameters(parameters)
    }

    fn surprise_of_parameters(&self, parameters: &[f64]) -> f64 {
        let groups = self.ranges().into_iter().zip(self.groups);
        groups
            .map(|(range, Group { mean, variance })| {
                parameters[range].iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (2.0 * variance)
            })
            .sum()
    }

    /// Learns from all comparisons.
    pub fn fit(&mut self, comparisons: &[Comparison]) {
        for _ in 0..STEPS {
            self.step(comparisons);
        }
    }

    /// One step towards the mode, and what the groups have in common.
    fn step(&mut self, comparisons: &[Comparison]) {
        let count = self.mode.len();
        let root = self.root(&self.mode);
        let mut precisions = LowerSum::new(count);
        let mut slope = vec![0.0; count];
        for (i, slope) in slope.iter_mut().enumerate() {
            let Group { mean, variance } = self.group(i);
            precisions.rows[i][i] = 1.0 / variance;
            *slope = (mean - self.mode[i]) / variance;
        }
        let (mut squares, mut weights, mut surprise) = (0.0, 0.0, 0.0);
        for comparison in comparisons.iter().filter(|comparison| counts(comparison)) {
            let Comparison { one, two, score, weight } = comparison;
            let [one, two] = [one, two].map(|point| self.strength(&self.mode, &root, point));
            let difference = one.value - two.value;
            let expected = libm::tanh(difference);
            let spread = 1.0 - expected * expected;
            let mut row = vec![0.0; count];
            Self::add_derivatives(&root, &one, 1.0, &mut row);
            Self::add_derivatives(&root, &two, -1.0, &mut row);
            let rest = score - expected;
            squares += weight * rest * rest / spread.max(0.1);
            weights += weight;
            surprise += weight * surprise_of_score(difference, *score);
            let pull = weight * rest / self.variance;
            slope.iter_mut().zip(&row).for_each(|(slope, by)| *slope += pull * by);
            precisions.add(row, weight * spread.max(0.02) / self.variance);
        }
        let precisions = precisions.finish();
        let Some(precision) = Cholesky::new(&precisions) else { return };
        let before = surprise / self.variance + self.surprise_of_parameters(&self.mode);
        self.descend(&precisions, &precision, &slope, before, comparisons);
        self.learn_groups(&precision.inverse_diagonal(), squares, weights);
        self.precision = Some(precision);
    }

    /// Goes down: first as far as a parabola says, then with more and more damping.
    fn descend(
        &mut self,
        precisions: &[Vec<f64>],
        precision: &Cholesky,
        slope: &[f64],
        before: f64,
        comparisons: &[Comparison],
    ) {
        let last = self.mode.len() - 1;
        for damping in [0.0, 0.01, 0.1, 1.0, 10.0, 100.0] {
            let change = if damping == 0.0 {
                precision.solve(slope.to_vec())
            } else {
                let mut damped = precisions.to_vec();
                (0..=last).for_each(|i| damped[i][i] *= 1.0 + damping);
                let Some(damped) = Cholesky::new(&damped) else { continue };
                damped.solve(slope.to_vec())
            };
            let mut there: Vec<f64> = self.mode.iter().zip(change).map(|(x, change)| x + change).collect();
            there[last] = there[last].clamp(0.0, 15.0 / DEPTH);
            if self.surprise(&there, comparisons) <= before {
                self.mode = there;
                return;
            }
        }
    }

    /// Learns what the parameters of a group have in common, and the variance of scores.
    fn learn_groups(&mut self, variances: &[f64], squares: f64, weights: f64) {
        let first = Self::new(self.dimensions).groups;
        let ranges = self.ranges();
        // How well each parameter is known: 0 if only its group says what it is.
        let known = |i: usize, group: Group| (1.0 - variances[i] / group.variance).clamp(0.0, 1.0);
        let diagonal = self.groups[1];
        let (mut sum, mut share) = (0.5 * PRIOR_COUNT * first[1].mean, 0.5 * PRIOR_COUNT);
        for i in ranges[1].clone() {
            let known = known(i, diagonal);
            sum += self.mode[i] - diagonal.mean * (1.0 - known);
            share += known;
        }
        self.groups[1].mean = (sum / share).max(0.01 * first[1].mean);
        let square = self.groups[1].mean.powi(2);
        let usual = [first[0].variance, 0.5 * square, 0.05 * square];
        let mut learned = 0.0;
        for (place, usual) in usual.into_iter().enumerate() {
            let group = self.groups[place];
            let (mut known_all, mut sum) = (0.0, 0.0);
            for i in ranges[place].clone() {
                known_all += known(i, group);
                sum += (self.mode[i] - group.mean).powi(2);
            }
            let variance = (sum + PRIOR_COUNT * usual) / (known_all + PRIOR_COUNT);
            self.groups[place].variance = variance.clamp(group.variance / 3.0, group.variance * 3.0);
            learned += known_all;
        }
        let free = (weights - learned).max(0.3 * weights);
        self.variance = ((squares + PRIOR_COUNT * VARIANCE) / (free + PRIOR_COUNT)).clamp(1e-9, 1.0);
    }
}

/// Whether a comparison is near enough to be looked at.
fn counts(comparison: &Comparison) -> bool {
    comparison.weight > 1e-3
}

/// −(score · x − ln cosh x), of which the tangent is the score, without what is constant.
fn surprise_of_score(difference: f64, score: f64) -> f64 {
    let size = difference.abs();
    size + libm::log1p(libm::exp(-2.0 * size)) - score * difference
}

/// The lower triangle of a sum of weighted products rowᵀ · row, several rows at a time, which is faster.
struct LowerSum {
    rows: Vec<Vec<f64>>,
    waiting: Vec<(Vec<f64>, f64)>,
}

impl LowerSum {
    const TOGETHER: usize = 4;

    fn new(count: usize) -> Self {
        Self { rows: (0..count).map(|i| vec![0.0; i + 1]).collect(), waiting: Vec::new() }
    }

    fn add(&mut self, row: Vec<f64>, weight: f64) {
        self.waiting.push((row, weight));
        if self.waiting.len() == Self::TOGETHER {
            self.add_waiting();
        }
    }

    fn add_waiting(&mut self) {
        if let [(a, wa), (b, wb), (c, wc), (d, wd)] = &self.waiting[..] {
            for (i, row) in self.rows.iter_mut().enumerate() {
                let [fa, fb, fc, fd] = [wa * a[i], wb * b[i], wc * c[i], wd * d[i]];
                let columns = a.iter().zip(b).zip(c.iter().zip(d));
                for (sum, ((a, b), (c, d))) in row.iter_mut().zip(columns) {
                    *sum += (fa * a + fb * b) + (fc * c + fd * d);
                }
            }
        } else {
            for (one, weight) in &self.waiting {
                for (i, row) in self.rows.iter_mut().enumerate() {
                    let factor = weight * one[i];
                    row.iter_mut().zip(one).for_each(|(sum, x)| *sum += factor * x);
                }
            }
        }
        self.waiting.clear();
    }

    fn finish(mut self) -> Vec<Vec<f64>> {
        self.add_waiting();
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comparisons of random points with the scores that a landscape has, with or without noise.
    fn comparisons(count: usize, noise: f64, strength: impl Fn(&[f64]) -> f64) -> Vec<Comparison> {
        let mut rng = Rng::new(5);
        (0..count)
            .map(|_| {
                let [one, two] = [0, 1].map(|_| (0..3).map(|_| 1.5 * rng.normal()).collect::<Vec<f64>>());
                let expected = libm::tanh(strength(&one) - strength(&two));
                // As in games, what is almost certain has little noise.
                let noise = noise * (1.0 - expected * expected).sqrt() * rng.normal();
                Comparison { score: expected + noise, one, two, weight: 1.0 }
            })
            .collect()
    }

    fn peak(point: &[f64]) -> f64 {
        let [x, y, z] = [point[0] - 0.7, point[1] + 1.2, point[2]];
        -0.1 * (x * x + 0.5 * y * y + 0.8 * x * y) - 0.0 * z
    }

    #[test]
    fn the_optimum_is_found_and_a_coordinate_without_effect_stays() {
        let mut model = Model::new(3);
        let comparisons = comparisons(2000, 0.2, peak);
        (0..15).for_each(|_| model.fit(&comparisons));
        let Landscape { optimum, curvatures, .. } = model.mode();
        assert!((optimum[0] - 0.7).abs() < 0.3 && (optimum[1] + 1.2).abs() < 0.3, "{optimum:?}");
        assert!((curvatures[0][0] - 0.1).abs() < 0.03, "{curvatures:?}");
        assert!((curvatures[0][1] - 0.04).abs() < 0.02, "{curvatures:?}");
        assert!(curvatures[2][2] < 0.01, "{curvatures:?}");
        assert!((model.score_variance().sqrt() - 0.2).abs() < 0.02, "{}", model.score_variance());
        let mut rng = Rng::new(1);
        let draws: Vec<Vec<f64>> = (0..200).map(|_| model.draw(&mut rng).optimum).collect();
        let deviation = |i: usize| {
            let mean = draws.iter().map(|draw| draw[i]).sum::<f64>() / 200.0;
            (draws.iter().map(|draw| (draw[i] - mean).powi(2)).sum::<f64>() / 200.0).sqrt()
        };
        assert!(deviation(2) > 3.0 * deviation(0), "{} {}", deviation(2), deviation(0));
    }

    #[test]
    fn a_landscape_that_levels_off_is_told_from_one_that_does_not() {
        let levelled = |point: &[f64]| -0.2 * (1.0 - libm::exp(peak(point) / 0.2));
        let depth = |strength: &dyn Fn(&[f64]) -> f64| {
            let mut model = Model::new(3);
            let comparisons = comparisons(2000, 0.02, strength);
            (0..20).for_each(|_| model.fit(&comparisons));
            let Landscape { optimum, rho, .. } = model.mode();
            assert!((optimum[0] - 0.7).abs() < 0.1 && (optimum[1] + 1.2).abs() < 0.1, "{optimum:?}");
            1.0 / rho
        };
        assert!((depth(&levelled) - 0.2).abs() < 0.02, "{}", depth(&levelled));
        assert!(depth(&peak) > 2.0, "{}", depth(&peak));
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let model = Model::new(3);
        let mut rng = Rng::new(8);
        let parameters: Vec<f64> =
            (0..model.mode.len()).map(|i| model.mode[i] + 0.1 * rng.uniform()).collect();
        let point = [0.9, -0.4, 1.3];
        let root = model.root(&parameters);
        let mut row = vec![0.0; parameters.len()];
        Model::add_derivatives(&root, &model.strength(&parameters, &root, &point), 1.0, &mut row);
        for i in 0..parameters.len() {
            let at = |change: f64| {
                let mut changed = parameters.clone();
                changed[i] += change;
                model.strength(&changed, &model.root(&changed), &point).value
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slope - row[i]).abs() < 1e-6 * (1.0 + slope.abs()), "{i}: {slope} {}", row[i]);
        }
    }

    #[test]
    fn rows_are_added_together_as_one_by_one() {
        let mut rng = Rng::new(2);
        let rows: Vec<Vec<f64>> = (0..11).map(|_| (0..5).map(|_| rng.normal()).collect()).collect();
        let mut sum = LowerSum::new(5);
        rows.iter().for_each(|row| sum.add(row.clone(), 0.5));
        let sum = sum.finish();
        for i in 0..5 {
            for j in 0..=i {
                let expected: f64 = rows.iter().map(|row| 0.5 * row[i] * row[j]).sum();
                assert!((sum[i][j] - expected).abs() < 1e-12);
            }
        }
    }
}
