//! An optimiser of comparisons that has nothing to set: every pair of games of the run is evidence about one landscape, a Bayesian model
//! of the strength of points ([`model`]), which proposes the next pairs and says how sure it is of each parameter.
//!
//! The two points of a pair lie on either side of a middle. The middle is an optimum drawn from the posterior (Thompson sampling), so that pairs are
//! played where the optimum may be. How far apart they are is chosen for what a pair can tell: along each axis of the curvatures so far that the model expects
//! both to lose about as much as a third of the deviation of a score, which is where differences stand out and the landscape is still a hill. So it is the games, and
//! not a guess of steps, that say how far steps go; the guess and the range only say where to begin.

mod coordinate;
mod model;
mod region;

use super::batch::Batch;
use crate::optimizer::{
    AxisChange, Belief, Evaluation, Gain, Member, Optimizer, OptimizerInfo, Problem, Surface, Trial,
};
use crate::{Genome, Rng};
use coordinate::Coordinate;
use model::{Comparison, Landscape, Model};
use region::Region;

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "pairs",
    about: "a Bayesian model of strength, from all pairs of points compared; nothing to set",
    compares: true,
    keys: &[],
    check: |_| Ok(()),
    begin: |_, problem, rng| Box::new(Pairs::new(&problem, rng)),
};

/// Comparisons that are open at a time, or a multiple of it as soon as the model waits for more: whoever plays them waits for the last game of each batch.
const BATCH: usize = 16;

/// Comparisons before the first fit, on top of one for each coordinate.
const FIRST_FIT: usize = 24;

/// What the points of a pair are expected to lose, relative to the deviation of the score of two games: about 60 Elo.
const LOSS: f64 = 0.36;

/// Beyond about so many comparisons by games that loss falls by the cube root of their number: errors that more games make smaller leave those that come from
/// looking too far.
const FEW: f64 = 2000.0;

/// Until about so many comparisons were made, distances are of many sizes, as nobody knows yet which one shows something.
const EXPLORATION: f64 = 100.0;

/// How far middles are from the optimum that was drawn, relative to the region: curvatures show in comparisons beside it.
const JITTER: f64 = 0.3;

/// Mean squared distance from the centre, relative to the region, up to which a comparison counts in full.
const NEAR: f64 = 4.0;

/// Mean squared distance, relative to the region, below which the centre has not moved: where there is no noise of games, the region then becomes
/// smaller, as a part of a landscape is more like a hill than the whole.
const SETTLED: f64 = 0.03;

/// Landscapes that are drawn to know how sure the model is.
const DRAWS: usize = 64;

#[derive(Debug)]
struct Pairs {
    rng: Rng,
    batch: Batch,
    coordinates: Vec<Coordinate>,
    is_of_games: bool,
    /// Pairs of this batch, in units of the model.
    open: Vec<[Vec<f64>; 2]>,
    /// Everything that was compared, with advantages as they were told.
    compared: Vec<Comparison>,
    /// How many comparisons the next fit waits for.
    next_fit: usize,
    model: Model,
    region: Region,
    /// What is recommended, in units of the model.
    best: Vec<f64>,
    /// The smallest and the largest of each coordinate that were compared.
    tried: Vec<[f64; 2]>,
    /// How much more than usual the points of a pair are expected to lose: what is the mean of several pairs of games has less noise,
    /// which is no reason to look at a smaller part of the landscape.
    width: f64,
    has_turned: bool,
}

impl Pairs {
    fn new(problem: &Problem, rng: Rng) -> Self {
        let dimensions = problem.dimensions;
        let start = problem.start_point();
        let model = Model::new(dimensions);
        let mut pairs = Self {
            rng,
            batch: Batch::new(BATCH),
            coordinates: (0..dimensions).map(|place| Coordinate::new(problem, place, start[place])).collect(),
            is_of_games: problem.games > 0,
            open: Vec::new(),
            compared: Vec::new(),
            next_fit: FIRST_FIT + dimensions,
            region: Region::new(&model, dimensions),
            model,
            best: vec![0.0; dimensions],
            tried: vec![[0.0, 0.0]; dimensions],
            width: (problem.games.max(2) as f64 / 2.0).sqrt(),
            has_turned: false,
        };
        pairs.draw();
        pairs
    }

    /// Draws the pairs of a batch.
    fn draw(&mut self) {
        let compared = self.compared.len();
        self.open = (0..self.batch.size()).map(|place| self.pair(compared + place / BATCH * BATCH)).collect();
    }

    /// Draws a pair, which comes after so many comparisons.
    fn pair(&mut self, before: usize) -> [Vec<f64>; 2] {
        let dimensions = self.coordinates.len();
        let mut middle = self.middle();
        self.confine(&mut middle);
        let spread = (EXPLORATION / (EXPLORATION + before as f64)).sqrt();
        let size =
            libm::exp(1.1 * spread * (2.0 * self.rng.uniform() - 1.0)) * (0.6 + 0.4 * self.rng.uniform());
        let mut along = vec![0.0; dimensions];
        let mut aside = vec![0.0; dimensions];
        for axis in 0..dimensions {
            let radius = size * self.region.radii[axis];
            along[axis] = if self.rng.below(2) == 0 { radius } else { -radius };
            aside[axis] = JITTER * radius * self.rng.normal();
        }
        let aside = self.region.step(&aside);
        let half: Vec<f64> = self.region.step(&along).iter().zip(&self.coordinates).map(at_least).collect();
        [1.0, -1.0].map(|sign| {
            let mut point: Vec<f64> =
                (0..dimensions).map(|i| middle[i] + aside[i] + sign * half[i]).collect();
            self.confine(&mut point);
            point
        })
    }

    /// An optimum from the posterior, not further from the centre than the region goes.
    fn middle(&mut self) -> Vec<f64> {
        let Region { centre, .. } = &self.region;
        if self.compared.is_empty() {
            return centre.clone();
        }
        let drawn = self.model.draw(&mut self.rng).optimum;
        let share = (1.0 / self.region.distance(&drawn).max(1e-12)).sqrt().min(1.0);
        centre.iter().zip(drawn).map(|(centre, drawn)| centre + share * (drawn - centre)).collect()
    }

    fn confine(&self, point: &mut [f64]) {
        for (x, Coordinate { range: [least, most], .. }) in point.iter_mut().zip(&self.coordinates) {
            *x = x.clamp(*least, *most);
        }
    }

    /// Learns from a batch, and draws the next.
    fn turn(&mut self, evaluations: &[Evaluation]) {
        for (place, evaluation) in evaluations.iter().enumerate() {
            self.take(place, *evaluation);
        }
        if self.compared.len() >= self.next_fit {
            self.fit();
            self.next_fit = self.compared.len() + (self.compared.len() / 12).max(FIRST_FIT);
        }
        self.has_turned = true;
        self.batch.resize((self.next_fit - self.compared.len()).next_multiple_of(BATCH));
        self.draw();
    }

    /// Takes what came of an open pair.
    fn take(&mut self, place: usize, evaluation: Evaluation) {
        let Evaluation::Fitness(advantage) = evaluation else { return };
        let [one, two] = self.open[place].clone();
        for (tried, (one, two)) in self.tried.iter_mut().zip(one.iter().zip(&two)) {
            *tried = [tried[0].min(*one).min(*two), tried[1].max(*one).max(*two)];
        }
        self.compared.push(Comparison { one, two, score: advantage, weight: 1.0 });
    }

    /// Takes what is known of a batch that will not be complete.
    fn cut_short(&mut self) {
        for (place, evaluation) in self.batch.cut_short() {
            self.take(place, evaluation);
        }
    }

    fn fit(&mut self) {
        for comparison in &mut self.compared {
            let distance =
                (self.region.distance(&comparison.one) + self.region.distance(&comparison.two)) / 2.0;
            comparison.weight = libm::exp(-0.5 * (distance - NEAR).max(0.0));
        }
        if self.is_of_games {
            self.model.fit(&self.compared);
        } else {
            self.model.fit(&self.as_scores());
        }
        self.best = self.recommended();
        let widths = self.coordinates.iter().map(|Coordinate { range, .. }| range[1] - range[0]);
        let widest = widths.fold(f64::INFINITY, f64::min) / 3.0;
        if !self.is_of_games {
            let rounding = self.coordinates.iter().map(|coordinate| coordinate.least).fold(0.0, f64::max);
            let is_settled = self.region.distance(&self.best) < SETTLED && self.region.radius() > rounding;
            self.width = if is_settled { self.width * 0.8 } else { (self.width * 1.5).min(1.0) };
        }
        let narrower =
            if self.is_of_games { libm::cbrt(FEW / (FEW + self.compared.len() as f64)) } else { 1.0 };
        self.region.follow(&self.model, &self.best, LOSS * self.width * narrower, widest);
    }

    /// Differences of any size as scores from −1 to 1, of which half of those nearby are above ½ or below −½.
    fn as_scores(&self) -> Vec<Comparison> {
        let near = self.compared.iter().filter(|comparison| comparison.weight > 0.5);
        let mut sizes: Vec<f64> = near.map(|comparison| comparison.score.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        let score = |comparison: &Comparison| Comparison {
            score: comparison.score / (usual + comparison.score.abs()),
            ..comparison.clone()
        };
        self.compared.iter().map(score).collect()
    }

    /// On the way from the start to the optimum the point that is expected to gain the most, within what was tried.
    fn recommended(&self) -> Vec<f64> {
        let mut rng = self.rng.fork("recommended");
        let draws: Vec<Landscape> = (0..DRAWS).map(|_| self.model.draw(&mut rng)).collect();
        let start = vec![0.0; self.coordinates.len()];
        let top = self.top(&self.model.mode());
        let gain = |point: &[f64]| -> f64 {
            draws.iter().map(|drawn| drawn.strength(point) - drawn.strength(&start)).sum()
        };
        let mut best = (0.0, start.clone());
        for tenths in 1..=10 {
            let point: Vec<f64> = top.iter().map(|x| x * f64::from(tenths) / 10.0).collect();
            let gain = gain(&point);
            if gain > best.0 {
                best = (gain, point);
            }
        }
        best.1
    }

    /// The best point of a landscape within what was tried: coordinate by coordinate until nothing changes.
    fn top(&self, landscape: &Landscape) -> Vec<f64> {
        let Landscape { optimum, curvatures, .. } = landscape;
        let clamped = |i: usize, x: f64| x.clamp(self.tried[i][0], self.tried[i][1]);
        let mut point: Vec<f64> = optimum.iter().enumerate().map(|(i, x)| clamped(i, *x)).collect();
        if point == *optimum {
            return point;
        }
        for _ in 0..100 {
            for i in 0..point.len() {
                let others: f64 = (0..point.len())
                    .filter(|j| *j != i)
                    .map(|j| curvatures[i][j] * (point[j] - optimum[j]))
                    .sum();
                if curvatures[i][i] > 1e-12 {
                    point[i] = clamped(i, optimum[i] - others / curvatures[i][i]);
                }
            }
        }
        point
    }

    fn genome(&self, point: &[f64]) -> Genome {
        point.iter().zip(&self.coordinates).map(|(x, coordinate)| coordinate.at(*x)).collect()
    }
}

/// A difference that rounding does not take away.
fn at_least((half, coordinate): (&f64, &Coordinate)) -> f64 {
    if *half < 0.0 { half.min(-coordinate.least) } else { half.max(coordinate.least) }
}

impl Pairs {
    /// Landscapes as they may be.
    fn draws(&self) -> Vec<Landscape> {
        let mut rng = self.rng.fork("beliefs");
        (0..DRAWS).map(|_| self.model.draw(&mut rng)).collect()
    }
}

impl Optimizer for Pairs {
    fn ask(&mut self) -> Option<Trial> {
        let (number, place) = self.batch.ask()?;
        let [one, two] = &self.open[place];
        Some(Trial { number, point: self.genome(one), rival: Some(self.genome(two)) })
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
        self.cut_short();
        if self.compared.len() >= FIRST_FIT + self.coordinates.len() {
            self.fit();
        }
        self.draw();
    }

    fn population(&self) -> Vec<Member> {
        let parents = if self.has_turned { vec![0] } else { Vec::new() };
        vec![Member { point: self.genome(&self.best), fitness: None, parents }]
    }

    fn best(&self) -> Option<Member> {
        if self.compared.is_empty() { None } else { self.population().pop() }
    }

    fn gain(&self) -> Option<Gain> {
        let start = vec![0.0; self.best.len()];
        let draws = self.draws();
        let gains = draws.iter().map(|drawn| libm::tanh(drawn.strength(&self.best) - drawn.strength(&start)));
        let (mean, deviation) = mean_and_deviation(&gains.collect::<Vec<f64>>());
        (!self.compared.is_empty()).then_some(Gain { mean, deviation })
    }

    fn model(&self) -> Option<Surface<'_>> {
        let (draws, start) = (self.draws(), vec![0.0; self.best.len()]);
        let at_start: Vec<f64> = draws.iter().map(|drawn| drawn.strength(&start)).collect();
        let advantage = move |point: &[f64]| {
            let point: Vec<f64> =
                point.iter().zip(&self.coordinates).map(|(at, coordinate)| coordinate.of(*at)).collect();
            let gains =
                draws.iter().zip(&at_start).map(|(drawn, start)| libm::tanh(drawn.strength(&point) - start));
            gains.sum::<f64>() / draws.len() as f64
        };
        (!self.compared.is_empty()).then(|| Box::new(advantage) as Surface<'_>)
    }

    fn change_ranges(&mut self, axes: &[AxisChange], problem: &Problem) -> bool {
        self.cut_short();
        for (place, (coordinate, axis)) in self.coordinates.iter_mut().zip(axes).enumerate() {
            coordinate.change_range(*axis, problem.unit(place));
        }
        let mut best = std::mem::take(&mut self.best);
        self.confine(&mut best);
        self.best = best;
        self.draw();
        true
    }

    fn beliefs(&self) -> Vec<Belief> {
        if self.compared.is_empty() {
            return Vec::new();
        }
        let draws = self.draws();
        let belief = |(i, coordinate): (usize, &Coordinate)| {
            let optima = draws.iter().map(|drawn| coordinate.at(drawn.optimum[i]));
            let gain = |drawn: &Landscape| {
                let mut without = drawn.optimum.clone();
                without[i] = 0.0;
                libm::tanh(-drawn.strength(&without))
            };
            let (optimum, deviation) = mean_and_deviation(&optima.collect::<Vec<f64>>());
            let (gain, gain_deviation) = mean_and_deviation(&draws.iter().map(gain).collect::<Vec<f64>>());
            Belief { optimum, deviation, gain, gain_deviation }
        };
        self.coordinates.iter().enumerate().map(belief).collect()
    }
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elo of a point with an optimum at 0.7 and 0.4; the third coordinate does nothing.
    fn elo(point: &[f64]) -> f64 {
        let [x, y] = [point[0] - 0.7, point[1] - 0.4];
        -900.0 * x * x - 400.0 * y * y - 500.0 * x * y
    }

    /// Has so many pairs of games played, with draws, on a landscape.
    fn play(pairs: &mut Pairs, count: u64, seed: u64, elo: impl Fn(&[f64]) -> f64) {
        let mut rng = Rng::new(seed);
        for _ in 0..count {
            let trial = pairs.ask().expect("a trial, as nothing is open");
            let difference = elo(&trial.point) - elo(&trial.rival.expect("a rival"));
            let win = 1.0 / (1.0 + libm::pow(10.0, -difference / 400.0)) - 0.25;
            let mut game = || match rng.uniform() {
                drawn if drawn < win => 1.0,
                drawn if drawn < win + 0.5 => 0.0,
                _ => -1.0,
            };
            let advantage = (game() + game()) / 2.0;
            pairs.tell(trial.number, Evaluation::Fitness(advantage));
        }
    }

    fn begin(step: f64) -> Pairs {
        let problem = Problem { dimensions: 3, step_guesses: vec![step; 3], games: 2, ..Problem::default() };
        Pairs::new(&problem, Rng::new(1))
    }

    #[test]
    fn games_lead_to_the_optimum_whatever_the_guess_of_steps() {
        for step in [0.02, 0.06, 0.18] {
            let mut pairs = begin(step);
            play(&mut pairs, 1600, 3, elo);
            let point = pairs.best().expect("a best point").point;
            assert!(elo(&point) > 0.15 * elo(&[0.5; 3]), "{step}: {point:?}, {}", elo(&point));
        }
    }

    #[test]
    fn it_says_how_sure_it_is_of_each_parameter() {
        let mut pairs = begin(0.06);
        assert!(pairs.beliefs().is_empty(), "nothing was played");
        play(&mut pairs, 3200, 4, elo);
        let beliefs = pairs.beliefs();
        assert!((beliefs[0].optimum - 0.7).abs() < 3.0 * beliefs[0].deviation + 0.02, "{beliefs:?}");
        assert!(beliefs[2].deviation > 2.0 * beliefs[0].deviation, "{beliefs:?}");
        // 36 Elo less what the second coordinate makes good of it.
        assert!(beliefs[0].gain > 2.0 * beliefs[0].gain_deviation, "{beliefs:?}");
        assert!(beliefs[2].gain < 0.3 * beliefs[0].gain, "{beliefs:?}");
    }

    #[test]
    fn where_no_point_is_better_the_start_is_recommended_or_one_as_good() {
        let mut pairs = begin(0.06);
        play(&mut pairs, 1600, 5, |point| -500.0 * point.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>());
        let point = pairs.best().expect("a best point").point;
        assert!(point.iter().all(|x| (x - 0.5).abs() < 0.06), "{point:?}");
    }

    #[test]
    fn what_was_told_last_is_learned_from_when_no_more_comes() {
        let mut pairs = begin(0.06);
        play(&mut pairs, 500, 3, elo);
        let (compared, before) = (pairs.compared.len(), pairs.best.clone());
        assert!(compared < 500, "a batch is open: {compared}");
        pairs.conclude();
        assert_eq!(pairs.compared.len(), 500);
        assert_ne!(pairs.best, before);
        assert!(pairs.ask().is_some(), "it can go on");
    }

    #[test]
    fn batches_grow_with_what_a_fit_waits_for() {
        let mut pairs = begin(0.06);
        assert_eq!(pairs.batch_size(), BATCH);
        play(&mut pairs, 3000, 3, elo);
        assert!((150..350).contains(&pairs.batch_size()), "{}", pairs.batch_size());
    }

    #[test]
    fn points_of_whole_numbers_differ_after_rounding() {
        let problem = Problem { dimensions: 2, units: vec![Some(0.25), None], ..Problem::default() };
        let mut pairs = Pairs::new(&problem, Rng::new(1));
        for _ in 0..500 {
            let trial = pairs.ask().expect("a trial, as nothing is open");
            let rival = trial.rival.expect("a rival");
            let ends = [&trial.point, &rival].map(|point| point[0] <= 0.126 || point[0] >= 0.874);
            assert!(
                (trial.point[0] - rival[0]).abs() > 0.24 || ends.contains(&true),
                "{:?} {rival:?}",
                trial.point
            );
            pairs.tell(trial.number, Evaluation::Fitness(trial.point[0] - rival[0]));
        }
        assert!(pairs.best().expect("a best point").point[0] > 0.8);
    }
}
