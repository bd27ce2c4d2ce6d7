//! Simultaneous perturbation with Bayesian gains, after the idea of Ivec and Vojnović ("Bayesian statistics approach to chess
//! engines optimization", arXiv 2205.15602): instead of a schedule, what is believed of the optimum says how far θ moves.
//!
//! The optimum of each parameter is believed to be normally distributed, independently of the others. If strength falls with the square of the distance from the
//! optimum, the difference between a point and its mirror image is linear in where the optimum is, and one step of a Kalman filter gives the
//! belief after a comparison.

use super::mirror::{Iteration, Mirror, Rule};
use crate::Genome;
use crate::key::{Key, Settings};
use crate::optimizer::{OptimizerInfo, Problem};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "bspsa",
    about: "simultaneous perturbation with Bayesian gains (BSPSA): a belief about the optimum instead of a schedule",
    compares: true,
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| {
        let in_flight = settings.count("in_flight");
        Box::new(Mirror::new(Belief::new(settings, &problem), in_flight, &problem, rng))
    },
};

const KEYS: &[Key] = &[
    Key::real(
        "deviation",
        [0.01, 1000.0],
        2.0,
        "how far from the start the optimum is expected, in steps of each parameter",
    ),
    Key::real("worth", [0.001, 1000.0], 2.0, "Elo that a step away from the optimum costs"),
    Key::real(
        "c_scale",
        [1e-6, 1000.0],
        1.0,
        "smallest perturbation, relative to the step of each parameter",
    ),
    Key::integer("in_flight", [1, 100_000], 4, "iterations played in parallel, all around the same θ"),
];

/// The advantage that a point has by each Elo, near 0.
const PER_ELO: f64 = std::f64::consts::LN_10 / 800.0;

/// The variance of the result of a game, 1 for a win and −1 for a loss, before any is played.
const VARIANCE: f64 = 0.45;

/// How many comparisons that variance counts as.
const WEIGHT: f64 = 16.0;

/// What is known of a coordinate.
#[derive(Debug)]
struct Coordinate {
    step: f64,
    /// The smallest perturbation.
    least: f64,
    /// The variance of where its optimum is.
    variance: f64,
}

/// Where the optimum is believed to be. The mean is θ.
#[derive(Debug)]
struct Belief {
    coordinates: Vec<Coordinate>,
    worth: f64,
    spread: Spread,
}

impl Belief {
    fn new(settings: &Settings, problem: &Problem) -> Self {
        let coordinate = |place: usize| {
            let step = problem.step_guess(place);
            let half = problem.unit(place).map_or(0.0, |unit| unit / 2.0);
            Coordinate {
                step,
                least: half.max(settings.number("c_scale") * step),
                variance: (settings.number("deviation") * step).powi(2),
            }
        };
        Self {
            coordinates: (0..problem.dimensions).map(coordinate).collect(),
            worth: settings.number("worth"),
            spread: Spread::new(problem.games),
        }
    }

    /// By how many deviations of a comparison its result changes with the optimum of each coordinate.
    fn slopes(&self, [point, rival]: &[Genome; 2]) -> Vec<f64> {
        let per_step = 2.0 * self.worth * PER_ELO / self.spread.of_games();
        let apart = point.iter().zip(rival).map(|(point, rival)| point - rival);
        apart.zip(&self.coordinates).map(|(apart, one)| per_step * apart / (one.step * one.step)).collect()
    }
}

impl Rule for Belief {
    fn perturbation(&self, _k: u64) -> Vec<f64> {
        self.coordinates.iter().map(|one| libm::sqrt(one.variance).max(one.least)).collect()
    }

    fn learn(&mut self, iteration: &Iteration, theta: &[f64], advantage: f64) -> Vec<f64> {
        let Some(result) = self.spread.deviations(advantage) else { return vec![0.0; theta.len()] };
        let [point, rival] = &iteration.points;
        let slopes = self.slopes(&iteration.points);
        // Other iterations may have moved θ away from the middle.
        let moved = (0..theta.len()).map(|place| theta[place] - (point[place] + rival[place]) / 2.0);
        let expected: f64 = moved.zip(&slopes).map(|(moved, slope)| slope * moved).sum();
        let unsure: f64 =
            self.coordinates.iter().zip(&slopes).map(|(one, slope)| one.variance * slope * slope).sum();
        let change = |(one, slope): (&mut Coordinate, &f64)| {
            let covariance = one.variance * slope;
            one.variance -= covariance * covariance / (1.0 + unsure);
            covariance * (result - expected) / (1.0 + unsure)
        };
        self.coordinates.iter_mut().zip(&slopes).map(change).collect()
    }
}

/// The standard deviation of results of comparisons. Nearly all of it is chance: where the optimum is explains little of it.
#[derive(Debug)]
struct Spread {
    /// The deviation of a comparison before any is known, as the mean of so many games.
    usual: f64,
    plays_games: bool,
    squares: f64,
    count: f64,
}

impl Spread {
    /// Of comparisons with so many games, or with none.
    fn new(games: u64) -> Self {
        let variance = VARIANCE / games.max(2) as f64;
        let plays_games = games > 0;
        let count = if plays_games { WEIGHT } else { 0.0 };
        Self { usual: libm::sqrt(variance), plays_games, squares: count * variance, count }
    }

    /// An advantage in deviations of all so far, with it; nothing while all were 0.
    fn deviations(&mut self, advantage: f64) -> Option<f64> {
        self.squares += advantage * advantage;
        self.count += 1.0;
        (self.squares > 0.0).then(|| advantage / self.now())
    }

    fn now(&self) -> f64 {
        libm::sqrt(self.squares / self.count)
    }

    /// The deviation of a comparison by games. Other values, whose unit nobody knows, are taken as if they were results of games.
    fn of_games(&self) -> f64 {
        if self.plays_games { self.now() } else { self.usual }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use crate::key::Value;
    use crate::optimizer::{Evaluation, Optimizer};

    fn begin(problem: &Problem, in_flight: usize) -> Mirror<Belief> {
        let mut settings = Settings::new(KEYS);
        settings.set("in_flight", Value::Number(in_flight as f64)).expect("a value of the key");
        Mirror::new(Belief::new(&settings, problem), in_flight, problem, Rng::new(1))
    }

    /// Two coordinates with steps of 0.05 and 0.1, and pairs of games.
    fn problem() -> Problem {
        Problem { dimensions: 2, step_guesses: vec![0.05, 0.1], games: 2, ..Problem::default() }
    }

    fn is_close(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() <= 1e-12
    }

    /// By a Python program that has each equation of the Kalman filter in one line: the signs and the result, then the means and the deviations.
    #[test]
    fn beliefs_are_those_of_a_kalman_filter() {
        let known = [
            (
                [1.0, 1.0],
                1.0,
                [0.532029916004646, 0.564059832009292],
                [0.09851392577453913, 0.19702785154907826],
            ),
            (
                [1.0, -1.0],
                -0.5,
                [0.5166041168248748, 0.5949114303688343],
                [0.09712528367465992, 0.19425056734931984],
            ),
            (
                [-1.0, 1.0],
                0.0,
                [0.5166041168248748, 0.5949114303688343],
                [0.09575974869165416, 0.1915194973833083],
            ),
            (
                [1.0, 1.0],
                -1.0,
                [0.49023977510743444, 0.5421827469339535],
                [0.09463985819913341, 0.18927971639826682],
            ),
            (
                [1.0, -1.0],
                0.5,
                [0.5030769764832403, 0.5165083441823418],
                [0.09357487031559598, 0.18714974063119197],
            ),
        ];
        let mut belief = begin(&problem(), 1).rule;
        let mut theta = vec![0.5, 0.5];
        for (signs, result, means, deviations) in known {
            let sizes = belief.perturbation(1);
            let perturbation: Vec<f64> = sizes.iter().zip(signs).map(|(size, sign)| sign * size).collect();
            let side = |sign: f64| theta.iter().zip(&perturbation).map(|(x, by)| x + sign * by).collect();
            let points = [side(1.0), side(-1.0)];
            let change = belief.learn(&Iteration { k: 1, perturbation, points }, &theta, result);
            theta.iter_mut().zip(change).for_each(|(x, by)| *x += by);
            let found = belief.coordinates.iter().map(|one| libm::sqrt(one.variance));
            for (found, wanted) in theta.iter().copied().chain(found).zip(means.into_iter().chain(deviations))
            {
                assert!(is_close(found, wanted), "{found} {wanted}");
            }
        }
    }

    #[test]
    fn parameters_without_effect_stay_in_reach_and_become_sure() {
        let mut search = begin(&problem(), 4);
        let mut rng = Rng::new(7);
        for _ in 0..20_000 {
            let trial = search.ask().expect("a trial");
            search.tell(trial.number, Evaluation::Fitness([-0.5, 0.0, 0.5][rng.below(3) as usize]));
        }
        for (theta, one) in search.theta.iter().zip(&search.rule.coordinates) {
            assert!((theta - 0.5).abs() < 4.0 * one.step, "{theta}");
            assert!(libm::sqrt(one.variance) < 0.2 * one.step, "{one:?}");
        }
    }

    #[test]
    fn the_unit_of_values_that_are_not_of_games_does_not_matter() {
        let after = |unit: f64| {
            let mut search = begin(&Problem { games: 0, ..problem() }, 4);
            for _ in 0..100 {
                let trial = search.ask().expect("a trial");
                let rival = trial.rival.expect("a rival");
                let value = |point: &Genome| -point.iter().map(|x| (x - 0.7).powi(2)).sum::<f64>();
                search.tell(trial.number, Evaluation::Fitness(unit * (value(&trial.point) - value(&rival))));
            }
            search.theta
        };
        let theta = after(1.0);
        assert!(theta.iter().all(|x| *x > 0.55), "{theta:?}");
        assert!(after(1024.0).iter().zip(&theta).all(|(one, other)| is_close(*one, *other)));
    }

    #[test]
    fn draws_alone_teach_nothing() {
        let mut search = begin(&Problem { games: 0, ..problem() }, 1);
        let trial = search.ask().expect("a trial");
        search.tell(trial.number, Evaluation::Fitness(0.0));
        assert_eq!(search.theta, [0.5, 0.5]);
    }
}
