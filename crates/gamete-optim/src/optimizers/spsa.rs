//! Simultaneous perturbation stochastic approximation (Spall, "Multivariate Stochastic Approximation Using a Simultaneous
//! Perturbation Gradient Approximation", 1992), with the gains and the pairs of games of fishtest and OpenBench: one iteration is a
//! match between a point and its mirror image on the other side of θ.

use super::mirror::{Iteration, Mirror, Rule};
use crate::Rng;
use crate::key::{Key, Settings};
use crate::optimizer::{OptimizerInfo, Problem};

/// Its entry in the registry.
pub(super) const INFO: OptimizerInfo = OptimizerInfo {
    name: "spsa",
    about: "simultaneous perturbation (SPSA) as in fishtest and OpenBench: plus against minus",
    compares: true,
    keys: KEYS,
    check: |_| Ok(()),
    begin: |settings, problem, rng| Box::new(begin(settings, &problem, rng)),
};

const KEYS: &[Key] = &[
    Key::real("alpha", [0.0, 2.0], 0.602, "how fast learning rates fall: power of the iteration"),
    Key::real("gamma", [0.0, 2.0], 0.101, "how fast perturbations fall: power of the iteration"),
    Key::real(
        "a_ratio",
        [0.0, 10.0],
        0.1,
        "A, which slows the first iterations, relative to the number of iterations",
    ),
    Key::real(
        "r_end",
        [1e-9, 1000.0],
        0.002,
        "learning rate at the last iteration, for parameters without their own",
    ),
    Key::real(
        "c_scale",
        [1e-6, 1000.0],
        1.0,
        "perturbation at the last iteration, relative to the step of each parameter (c_end)",
    ),
    Key::integer(
        "iterations",
        [0, 1_000_000_000],
        0,
        "iterations the schedule is for; 0 for as many as the budget allows",
    ),
    Key::integer("in_flight", [1, 100_000], 4, "iterations played in parallel, all around the same θ"),
];

/// Iterations where the budget does not say how many there will be, as in OpenBench.
const USUAL_ITERATIONS: u64 = 25_000;

/// Games of a comparison where none are played: an advantage counts as that of a pair.
const PAIR: u64 = 2;

/// The gains of all iterations.
#[derive(Debug, Clone, PartialEq)]
struct Schedule {
    alpha: f64,
    gamma: f64,
    /// A.
    stability: f64,
    iterations: f64,
}

impl Schedule {
    /// c_k and R_k of the iteration `k`, from 1, of a parameter with this c_end and r_end, whose perturbation is never below
    /// `least`.
    fn gains(&self, k: u64, c_end: f64, r_end: f64, least: f64) -> (f64, f64) {
        let Self { alpha, gamma, stability, iterations } = *self;
        let c = c_end * libm::pow(iterations, gamma);
        let a = r_end * c_end * c_end * libm::pow(stability + iterations, alpha);
        let c_k = (c / libm::pow(k as f64, gamma)).max(least);
        (c_k, a / libm::pow(stability + k as f64, alpha) / (c_k * c_k))
    }
}

/// What is known of a coordinate.
#[derive(Debug)]
struct Coordinate {
    c_end: f64,
    r_end: f64,
    /// The smallest perturbation that changes a whole number: half of 1.
    least: f64,
}

/// The gains of each coordinate.
#[derive(Debug)]
struct Gains {
    schedule: Schedule,
    coordinates: Vec<Coordinate>,
    /// Games of an iteration.
    games: f64,
}

impl Gains {
    fn new(settings: &Settings, problem: &Problem) -> Self {
        let iterations = match settings.count("iterations") as u64 {
            0 => problem.trials.unwrap_or(USUAL_ITERATIONS).max(1),
            iterations => iterations,
        } as f64;
        let coordinate = |place: usize| Coordinate {
            c_end: settings.number("c_scale") * problem.step_guess(place),
            r_end: problem.rates.get(place).copied().flatten().unwrap_or(settings.number("r_end")),
            least: problem.unit(place).map_or(0.0, |unit| unit / 2.0),
        };
        Self {
            schedule: Schedule {
                alpha: settings.number("alpha"),
                gamma: settings.number("gamma"),
                stability: settings.number("a_ratio") * iterations,
                iterations,
            },
            coordinates: (0..problem.dimensions).map(coordinate).collect(),
            games: if problem.games == 0 { PAIR } else { problem.games } as f64,
        }
    }

    /// c_k and R_k of each coordinate.
    fn of(&self, k: u64) -> impl Iterator<Item = (f64, f64)> {
        self.coordinates.iter().map(move |one| self.schedule.gains(k, one.c_end, one.r_end, one.least))
    }
}

impl Rule for Gains {
    fn perturbation(&self, k: u64) -> Vec<f64> {
        self.of(k).map(|(c_k, _)| c_k).collect()
    }

    fn learn(&mut self, iteration: &Iteration, _theta: &[f64], advantage: f64) -> Vec<f64> {
        // Wins − losses.
        let result = advantage * self.games;
        self.of(iteration.k).zip(&iteration.perturbation).map(|((_, rate), by)| rate * by * result).collect()
    }
}

fn begin(settings: &Settings, problem: &Problem, rng: Rng) -> Mirror<Gains> {
    Mirror::new(Gains::new(settings, problem), settings.count("in_flight"), problem, rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Genome;
    use crate::key::Value;
    use crate::optimizer::{Evaluation, Optimizer};

    fn settings(values: &[(&str, f64)]) -> Settings {
        let mut settings = Settings::new(KEYS);
        for &(name, value) in values {
            settings.set(name, Value::Number(value)).expect("a value of the key");
        }
        settings
    }

    /// A whole number from 0 to 346 that is 173, with c_end = 17.3: a coordinate has room for 347 of them.
    fn problem() -> Problem {
        let unit = 1.0 / 347.0;
        Problem {
            dimensions: 1,
            default: vec![173.5 * unit],
            step_guesses: vec![17.3 * unit],
            units: vec![Some(unit)],
            ..Problem::default()
        }
    }

    fn is_close(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() <= 1e-12 * wanted.abs()
    }

    /// Numbers of a Python program written by the formulae of fishtest: c = c_end·N^γ, a = r_end·c_end²·(A + N)^α, c_k = c / k^γ,
    /// R_k = a / (A + k)^α / c_k².
    #[test]
    fn the_schedule_is_that_of_fishtest_to_the_digit() {
        let usual = |iterations: f64| Schedule {
            alpha: 0.602,
            gamma: 0.101,
            stability: 0.1 * iterations,
            iterations,
        };
        let other = Schedule { alpha: 0.7, gamma: 0.2, stability: 0.0, iterations: 1000.0 };
        let known = [
            (usual(30_000.0), 1, [17.3, 0.002, 0.0], (49.004_430_884_112_78, 0.001_055_559_611_888_643_2)),
            (usual(30_000.0), 1234, [17.3, 0.002, 0.0], (23.878_801_135_970_06, 0.003_613_587_226_247_698)),
            (usual(30_000.0), 30_000, [17.3, 0.002, 0.0], (17.3, 0.002)),
            (usual(25_000.0), 7, [0.1, 0.01, 0.5], (0.5, 0.001_691_404_041_484_488_5)),
            (other, 500, [2.5, 0.05, 0.0], (2.871_745_887_492_587_6, 0.061_557_220_667_245_8)),
        ];
        for (schedule, k, [c_end, r_end, least], wanted) in known {
            let found = schedule.gains(k, c_end, r_end, least);
            assert!(is_close(found.0, wanted.0) && is_close(found.1, wanted.1), "{k}: {found:?} {wanted:?}");
        }
    }

    /// By the same program, for 1,000 iterations of a pair each: 2 − 0, 0.5 − 1.5, 1 − 1, …
    #[test]
    fn theta_goes_where_fishtest_goes() {
        let settings = settings(&[("iterations", 1000.0), ("in_flight", 1.0)]);
        let mut spsa = begin(&settings, &problem(), Rng::new(1));
        let value = |coordinate: f64| 347.0 * coordinate - 0.5;
        let known = [
            (2.0, 173.145_018_371_514_88),
            (-1.0, 173.067_710_944_087_34),
            (0.0, 173.067_710_944_087_34),
            (1.0, 173.149_660_854_686_18),
            (2.0, 173.316_333_567_169_64),
            (-2.0, 173.147_529_216_258_02),
            (1.0, 173.232_772_537_661_3),
        ];
        let mut signs = Vec::new();
        for (result, wanted) in known {
            let trial = spsa.ask().expect("a trial");
            let [point, rival] =
                [&trial.point, trial.rival.as_ref().expect("a rival")].map(|point| value(point[0]));
            assert!(is_close((point + rival) / 2.0, value(spsa.theta[0])), "mirror images");
            // The result of the larger one, whichever is asked for.
            let sign = (point - rival).signum();
            spsa.tell(trial.number, Evaluation::Fitness(sign * result / 2.0));
            assert!(is_close(value(spsa.theta[0]), wanted), "{} {wanted}", value(spsa.theta[0]));
            signs.push(sign);
        }
        assert!(signs.contains(&1.0) && signs.contains(&-1.0), "{signs:?}");
    }

    #[test]
    fn numbers_stay_in_their_ranges_and_rates_of_their_own_count() {
        let at_end = Problem { start: vec![vec![1.0]], rates: vec![Some(900.0)], ..problem() };
        let mut spsa = begin(&settings(&[("in_flight", 1.0), ("iterations", 10.0)]), &at_end, Rng::new(1));
        let largest = 346.5 / 347.0;
        assert_eq!(spsa.theta, [largest], "346, where the range ends");
        for _ in 0..20 {
            let trial = spsa.ask().expect("a trial");
            let inside = |point: &Genome| (0.5 / 347.0..=largest).contains(&point[0]);
            assert!(inside(&trial.point) && trial.rival.as_ref().is_some_and(inside), "{trial:?}");
            let sign = (trial.point[0] - trial.rival.expect("a rival")[0]).signum();
            spsa.tell(trial.number, Evaluation::Fitness(-sign));
        }
        assert_eq!(spsa.theta, [0.5 / 347.0]);
    }

    #[test]
    fn games_of_an_iteration_count_one_by_one() {
        let after = |games| {
            let problem = Problem { games, ..problem() };
            let mut spsa =
                begin(&settings(&[("in_flight", 1.0), ("iterations", 1000.0)]), &problem, Rng::new(1));
            let (start, trial) = (spsa.theta[0], spsa.ask().expect("a trial"));
            spsa.tell(trial.number, Evaluation::Fitness(0.5));
            (spsa.theta[0] - start).abs()
        };
        assert!(is_close(after(16), 8.0 * after(2)) && is_close(after(0), after(2)));
    }

    #[test]
    fn an_incomplete_batch_counts_at_the_end() {
        let mut spsa = begin(&settings(&[("in_flight", 4.0), ("iterations", 10.0)]), &problem(), Rng::new(1));
        let trial = spsa.ask().expect("a trial");
        let upwards = trial.point[0] > trial.rival.expect("a rival")[0];
        spsa.tell(trial.number, Evaluation::Fitness(1.0));
        assert_eq!((spsa.theta.clone(), spsa.best()), (problem().default, None));
        spsa.conclude();
        let best = spsa.best().expect("a best point").point[0];
        assert_eq!(best > problem().default[0], upwards);
    }

    #[test]
    fn the_budget_says_how_many_iterations_there_are() {
        let iterations = |trials, own| {
            let problem = Problem { trials, ..problem() };
            begin(&settings(&[("iterations", own)]), &problem, Rng::new(1)).rule.schedule.iterations
        };
        assert_eq!([iterations(Some(300), 0.0), iterations(Some(300), 70.0)], [300.0, 70.0]);
        assert_eq!(iterations(None, 0.0), 25_000.0);
    }
}
