use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::{Deserialize, Serialize};

use crate::Alternatives;
use crate::lbfgs::{Iterate, next_iterate};

/// Learning by gradient: a logistic model of which of several [`Alternatives`] comes true, as the legal moves of which an expert plays one.
///
/// The chance of each is proportional to exp(T · score), where the score is an evaluation, and T says
/// how much it tells. Sought are the weights and the T that make what came likeliest: the smallest mean of −ln(chance),
/// and of `l2` / 2 times the squares of T · (weight − centre) · deviation of its feature, where the centre is 0 or a weight that is
/// known to be sensible. Weights stay within their ranges, and those whose range is a single number are what the others are measured
/// by. In T · weight all of this is convex: wherever a descent begins, there is one place for it to end.
#[derive(Debug)]
pub struct LogisticRegression<'a> {
    alternatives: &'a Alternatives,
    scales: &'a LogisticScales,
    ranges: &'a [[f64; 2]],
    /// Where the penalty is 0, in coordinates.
    centre: Vec<f64>,
    threads: usize,
}

/// What the coordinates of a descent are measured in, so that a step along each means about as much.
///
/// There is a coordinate for each weight, and one for the logarithm of T.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogisticScales {
    /// How much each feature differs between the alternatives of a position, or what stands for it.
    deviations: Vec<f64>,
    /// The T with which scores of the first weights differ by 1.
    temperature: f64,
}

impl LogisticScales {
    /// The scales of a descent that begins with these weights.
    pub fn new(alternatives: &Alternatives, weights: &[f64]) -> Self {
        let mut squares = vec![0.0; weights.len()];
        let (mut score_squares, mut count) = (0.0, 0.0);
        for rows in alternatives.positions() {
            let mut sums = vec![0.0; weights.len()];
            let mut scores = Vec::new();
            for row in rows.clone() {
                for (weight, value) in alternatives.row(row) {
                    sums[weight] += value;
                    squares[weight] += value * value;
                }
                scores.push(score(alternatives, row, weights));
            }
            let size = rows.len() as f64;
            squares.iter_mut().zip(sums).for_each(|(square, sum)| *square -= sum * sum / size);
            let mean = scores.iter().sum::<f64>() / size;
            score_squares += scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>();
            count += size;
        }
        // Where nothing differs, rounding may leave less than nothing.
        let deviation = |squares: f64| if squares > 0.0 { (squares / count).sqrt() } else { 0.0 };
        Self {
            deviations: squares.into_iter().map(deviation).collect(),
            temperature: 1.0 / or_one(deviation(score_squares)),
        }
    }

    /// The same with the root of each deviation times their mean in its place: features that seldom differ are penalised more, and
    /// those that often do less.
    #[must_use]
    pub fn evened(mut self) -> Self {
        let known: Vec<f64> = self.deviations.iter().copied().filter(|&deviation| deviation > 0.0).collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        self.deviations.iter_mut().for_each(|deviation| *deviation = (*deviation * mean).sqrt());
        self
    }

    /// How much each feature differs between the alternatives of a position, or what stands for it.
    pub fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// The weights of a point.
    pub fn weights(&self, iterate: &Iterate) -> Vec<f64> {
        let coordinates = iterate.point.iter().zip(&self.deviations);
        coordinates.map(|(x, &deviation)| x / (or_one(deviation) * self.temperature)).collect()
    }

    fn coordinate(&self, weight: usize, value: f64) -> f64 {
        value * or_one(self.deviations[weight]) * self.temperature
    }
}

/// What numbers of this size are measured in. Where all are 0, the penalty alone decides.
fn or_one(deviation: f64) -> f64 {
    if deviation > 0.0 { deviation } else { 1.0 }
}

/// How far T may go from where it begins, as a logarithm.
const LARGEST_CHANGE: f64 = 12.0;

impl<'a> LogisticRegression<'a> {
    /// Learning from these alternatives, with weights in these ranges, on so many threads; what comes of it does not depend on them. The penalty
    /// draws weights to 0.
    pub fn new(
        alternatives: &'a Alternatives,
        scales: &'a LogisticScales,
        ranges: &'a [[f64; 2]],
        threads: usize,
    ) -> Self {
        Self { alternatives, scales, ranges, centre: vec![0.0; ranges.len()], threads }
    }

    /// The same with a penalty that draws weights to these.
    #[must_use]
    pub fn towards(mut self, weights: &[f64]) -> Self {
        let coordinate = |(weight, &value): (usize, &f64)| self.scales.coordinate(weight, value);
        self.centre = weights.iter().enumerate().map(coordinate).collect();
        self
    }

    /// Where a descent from these weights begins.
    pub fn start(&self, weights: &[f64], l2: f64) -> Iterate {
        self.loss(self.alternatives.positions(), self.start_point(weights), l2)
    }

    /// Where a descent goes on that came to a point with other alternatives.
    pub fn resume(&self, iterate: &Iterate, l2: f64) -> Iterate {
        self.loss(self.alternatives.positions(), iterate.point.clone(), l2)
    }

    /// The next points of a descent, from those before: so many, or fewer where it ends.
    pub fn descend(&self, path: &[Iterate], steps: usize, l2: f64) -> Vec<Iterate> {
        self.descend_on(self.alternatives.positions(), path, steps, l2)
    }

    /// How well positions are understood that were not learned from: −ln(chance) of what came of them, on average, after a descent with each
    /// penalty. Which positions are held out goes by their place in the corpus, where positions of a game are neighbours.
    pub fn held_out(&self, fold: usize, folds: usize, weights: &[f64], penalties: &[f64]) -> Vec<f64> {
        let rows = self.alternatives.positions();
        let [from, to] = [fold, fold + 1].map(|fold| fold * rows.len() / folds);
        let learned: Vec<Range<usize>> = rows[..from].iter().chain(&rows[to..]).cloned().collect();
        let mut point = self.start_point(weights);
        let mut losses = Vec::new();
        for &l2 in penalties {
            // Where one ends, the next is near.
            let mut path = vec![self.loss(&learned, point, l2)];
            path.extend(self.descend_on(&learned, &path, HELD_OUT_STEPS, l2));
            point = path.swap_remove(path.len() - 1).point;
            losses.push(self.loss(&rows[from..to], point.clone(), 0.0).value);
        }
        losses
    }

    fn start_point(&self, weights: &[f64]) -> Vec<f64> {
        let within = |(weight, (value, [min, max])): (usize, (&f64, &[f64; 2]))| {
            self.scales.coordinate(weight, value.clamp(*min, *max))
        };
        weights.iter().zip(self.ranges).enumerate().map(within).chain([0.0]).collect()
    }

    fn descend_on(&self, rows: &[Range<usize>], path: &[Iterate], steps: usize, l2: f64) -> Vec<Iterate> {
        let range =
            |(weight, range): (usize, &[f64; 2])| range.map(|end| self.scales.coordinate(weight, end));
        let bounds: Vec<[f64; 2]> =
            self.ranges.iter().enumerate().map(range).chain([[-LARGEST_CHANGE, LARGEST_CHANGE]]).collect();
        let mut path = path.to_vec();
        let known = path.len();
        for _ in 0..steps {
            let Some(next) = next_iterate(&path, &bounds, |point| self.loss(rows, point, l2)) else { break };
            path.push(next);
        }
        path.split_off(known)
    }

    /// What is to become small, and its gradient.
    fn loss(&self, rows: &[Range<usize>], point: Vec<f64>, l2: f64) -> Iterate {
        let count = self.alternatives.weights();
        let temperature = libm::exp(point[count]);
        let sizes: Vec<f64> = point[..count].iter().map(|x| temperature * x).collect();
        let centres: Vec<f64> = self.centre.iter().map(|x| temperature * x).collect();
        let distances: Vec<f64> = sizes.iter().zip(&centres).map(|(size, centre)| size - centre).collect();
        let deviations: Vec<f64> = self.scales.deviations.iter().copied().map(or_one).collect();
        let multipliers: Vec<f64> =
            sizes.iter().zip(&deviations).map(|(size, deviation)| size / deviation).collect();
        // As many blocks as there are, however many threads: so sums are of the same numbers in the same order.
        let blocks: Vec<&[Range<usize>]> = rows.chunks(rows.len().div_ceil(BLOCKS).max(1)).collect();
        let mut sum = Sum::new(count);
        for block in in_order(&blocks, self.threads, |block| self.sum(block, &multipliers)) {
            sum.loss += block.loss;
            add(&mut sum.gradient, 1.0, &block.gradient);
        }
        let positions = rows.len().max(1) as f64;
        let squares = dot(&distances, &distances);
        let slope = |((slope, deviation), distance): ((&f64, &f64), &f64)| {
            slope / deviation / positions + l2 * distance
        };
        let slopes: Vec<f64> = sum.gradient.iter().zip(&deviations).zip(&distances).map(slope).collect();
        let mut gradient: Vec<f64> = slopes.iter().map(|slope| temperature * slope).collect();
        // The centre grows with T as the weights do.
        gradient.push(dot(&slopes, &sizes) - l2 * dot(&distances, &centres));
        Iterate { point, value: sum.loss / positions + l2 / 2.0 * squares, gradient }
    }

    /// The sum over some positions, by what features are multiplied with.
    fn sum(&self, block: &[Range<usize>], multipliers: &[f64]) -> Sum {
        let mut sum = Sum::new(multipliers.len());
        let mut chances = Vec::new();
        for rows in block {
            chances.clear();
            chances.extend(rows.clone().map(|row| score(self.alternatives, row, multipliers)));
            let largest = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut total = 0.0;
            for (row, chance) in rows.clone().zip(&mut chances) {
                let logit = *chance - largest;
                sum.loss -= self.alternatives.share(row) * logit;
                *chance = libm::exp(logit);
                total += *chance;
            }
            sum.loss += libm::log(total);
            for (row, chance) in rows.clone().zip(&chances) {
                let pull = chance / total - self.alternatives.share(row);
                for (weight, value) in self.alternatives.row(row) {
                    sum.gradient[weight] += pull * value;
                }
            }
        }
        sum
    }
}

/// The score of an alternative, less what all of its position have in common.
fn score(alternatives: &Alternatives, row: usize, weights: &[f64]) -> f64 {
    alternatives.row(row).map(|(weight, value)| weights[weight] * value).sum()
}

/// Steps of a descent whose end is only compared with others.
const HELD_OUT_STEPS: usize = 50;

/// Blocks of positions, each of which one thread does.
const BLOCKS: usize = 64;

/// A loss and what features have to do with it, summed over positions.
struct Sum {
    loss: f64,
    gradient: Vec<f64>,
}

impl Sum {
    fn new(weights: usize) -> Self {
        Self { loss: 0.0, gradient: vec![0.0; weights] }
    }
}

/// Does something with each item, and gives what comes of it in their order.
fn in_order<I: Sync, T: Send>(items: &[I], threads: usize, act: impl Fn(&I) -> T + Sync) -> Vec<T> {
    if threads < 2 {
        return items.iter().map(act).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        numbers.map_while(|number| Some((number, act(items.get(number)?)))).collect::<Vec<_>>()
    };
    let mut done: Vec<(usize, T)> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("no panic")).collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, one)| one).collect()
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

fn add(to: &mut [f64], times: f64, values: &[f64]) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += times * value);
}

#[cfg(test)]
mod tests {
    use gamete_arena::Rng;

    use super::*;
    use crate::{ExpertTable, Part};

    const WEIGHTS: [f64; 5] = [100.0, 320.0, -40.0, 0.0, 25.0];
    const RANGES: [[f64; 2]; 5] = [[100.0, 100.0], [0.0, 1000.0], [-200.0, 200.0], [0.0, 50.0], [0.0, 50.0]];
    const START: [f64; 5] = [100.0, 900.0, 150.0, 40.0, 3.0];

    /// Experts who play by these weights, each move being likelier by e for each pawn that it is better by.
    fn experts(positions: u32, weights: &[f64]) -> ExpertTable {
        const MOVES: usize = 10;
        let mut rng = Rng::new(1);
        let (mut values, mut chosen) = (Vec::new(), Vec::new());
        for _ in 0..positions {
            let features: Vec<i32> =
                (0..MOVES * weights.len()).map(|_| (rng.normal() * 1.5).round() as i32).collect();
            // The largest of these sums is at each with its chance (Gumbel 1954).
            let luck = |row: &[i32]| {
                let score: f64 =
                    row.iter().zip(weights).map(|(&value, weight)| f64::from(value) * weight).sum();
                score / 100.0 - libm::log(-libm::log(rng.uniform()))
            };
            let scores: Vec<f64> = features.chunks(weights.len()).map(luck).collect();
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            chosen.extend(scores.iter().map(|score| *score == best));
            values.extend(features);
        }
        ExpertTable::of(weights.len(), &values, chosen, MOVES)
    }

    #[test]
    fn weights_of_experts_are_found_from_anywhere() {
        let table = experts(3000, &WEIGHTS);
        let moves = Alternatives::moves(&table);
        for start in [START, [100.0, 0.0, 0.0, 0.0, 0.0]] {
            let scales = LogisticScales::new(&moves, &start);
            let ranking = LogisticRegression::new(&moves, &scales, &RANGES, 1);
            let first = ranking.start(&start, 1e-6);
            let path = ranking.descend(std::slice::from_ref(&first), 100, 1e-6);
            let last = path.last().expect("an end");
            assert!(path.len() < 60 && last.value < first.value, "{}", path.len());
            let found = scales.weights(last);
            assert!((found[0] - 100.0).abs() < 1e-9, "{found:?}");
            for (found, wanted) in found.iter().zip(WEIGHTS) {
                assert!((found - wanted).abs() < 12.0, "{found} {wanted}");
            }
            let temperature = scales.temperature * libm::exp(last.point[5]);
            assert!((temperature * 100.0 - 1.0).abs() < 0.05, "{temperature}");
            let whole = |weights: &[f64]| weights.iter().map(|weight| weight.round() as i32).collect();
            let hits = table.hits(Part::Train, &[whole(&found), whole(&WEIGHTS), whole(&START)], 1);
            assert!(hits[0] + 30 > hits[1] && hits[0] > hits[2] + 300, "{hits:?}");
        }
    }

    #[test]
    fn weights_stay_in_their_ranges() {
        let moves = Alternatives::moves(&experts(500, &[-100.0, 320.0]));
        let ranges = [[0.0, 50.0], [100.0, 100.0]];
        let scales = LogisticScales::new(&moves, &[30.0, 100.0]);
        let ranking = LogisticRegression::new(&moves, &scales, &ranges, 1);
        // It begins in the ranges, too.
        let first = ranking.start(&[300.0, 0.0], 1e-6);
        let near = |iterate: &Iterate, wanted: [f64; 2]| {
            let found = scales.weights(iterate);
            assert!(
                found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-9),
                "{found:?}"
            );
        };
        near(&first, [50.0, 100.0]);
        let path = ranking.descend(&[first], 100, 1e-6);
        near(path.last().expect("an end"), [0.0, 100.0]);
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let moves = Alternatives::moves(&experts(100, &WEIGHTS));
        let scales = LogisticScales::new(&moves, &START);
        let point = vec![0.3, -0.2, 0.1, 0.4, 0.05, 0.7];
        let ranking = || LogisticRegression::new(&moves, &scales, &RANGES, 1);
        for ranking in [ranking(), ranking().towards(&WEIGHTS)] {
            let loss = |point: Vec<f64>| ranking.loss(moves.positions(), point, 0.1);
            let at = loss(point.clone());
            for coordinate in 0..point.len() {
                let value = |step: f64| {
                    let mut other = point.clone();
                    other[coordinate] += step;
                    loss(other).value
                };
                let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
                assert!((slope - at.gradient[coordinate]).abs() < 1e-8, "{coordinate}: {slope} {at:?}");
            }
        }
    }

    #[test]
    fn a_large_penalty_leaves_weights_where_it_draws_them() {
        let moves = Alternatives::moves(&experts(200, &WEIGHTS));
        let scales = LogisticScales::new(&moves, &START).evened();
        let sensible = [100.0, 250.0, -10.0, 20.0, 0.0];
        let ranking = LogisticRegression::new(&moves, &scales, &RANGES, 1).towards(&sensible);
        let found = |l2: f64| {
            let first = ranking.start(&START, l2);
            scales.weights(ranking.descend(&[first], 200, l2).last().expect("an end"))
        };
        let distance = |found: &[f64], to: &[f64]| {
            found.iter().zip(to).map(|(one, two)| (one - two).abs()).fold(0.0, f64::max)
        };
        let (large, small) = (found(1e4), found(1e-6));
        assert!(distance(&large, &sensible) < 1.0, "{large:?}");
        assert!(distance(&small, &sensible) > 20.0, "{small:?}");
    }

    #[test]
    fn evened_deviations_are_nearer_to_their_mean() {
        let scales = LogisticScales { deviations: vec![0.0, 1.0, 3.0], temperature: 1.0 }.evened();
        let [none, small, large] = scales.deviations[..] else { panic!("three of them") };
        assert_eq!(none, 0.0);
        assert!((small - 2_f64.sqrt()).abs() < 1e-12 && (large - 6_f64.sqrt()).abs() < 1e-12, "{scales:?}");
    }

    #[test]
    fn threads_and_interruptions_change_no_bit() {
        let moves = Alternatives::moves(&experts(300, &WEIGHTS));
        let scales = LogisticScales::new(&moves, &START);
        let rankings = [1, 2, 5].map(|threads| LogisticRegression::new(&moves, &scales, &RANGES, threads));
        let [one, others @ ..] = rankings.map(|ranking| {
            let mut path = vec![ranking.start(&START, 1e-3)];
            path.extend(ranking.descend(&path, 20, 1e-3));
            (path, ranking.held_out(1, 3, &START, &[0.1, 0.001]))
        });
        assert!(others.iter().all(|other| *other == one));
        let ranking = LogisticRegression::new(&moves, &scales, &RANGES, 1);
        let mut path = vec![ranking.start(&START, 1e-3)];
        for _ in 0..5 {
            path.extend(ranking.descend(&path, 4, 1e-3));
        }
        assert_eq!(path, one.0);
    }

    #[test]
    fn a_penalty_helps_where_little_is_to_learn_from() {
        // Many features say nothing.
        let weights: Vec<f64> = (0..30).map(|weight| if weight < 2 { 100.0 } else { 0.0 }).collect();
        let moves = Alternatives::moves(&experts(120, &weights));
        let ranges: Vec<[f64; 2]> =
            (0..30).map(|weight| if weight == 0 { [100.0; 2] } else { [-500.0, 500.0] }).collect();
        let scales = LogisticScales::new(&moves, &weights);
        let ranking = LogisticRegression::new(&moves, &scales, &ranges, 1);
        let losses: Vec<Vec<f64>> =
            (0..4).map(|fold| ranking.held_out(fold, 4, &weights, &[10.0, 0.01, 1e-6])).collect();
        let total = |penalty: usize| losses.iter().map(|losses| losses[penalty]).sum::<f64>();
        assert!(total(1) < total(0) && total(1) < total(2), "{losses:?}");
    }
}
