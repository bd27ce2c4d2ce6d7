//! What a step of each parameter is worth, by comparisons of points around one.

use crate::linear::{Cholesky, dot};

/// A point against a rival, each in steps of every parameter from the start.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The point.
    pub point: Vec<f64>,
    /// The rival.
    pub rival: Vec<f64>,
    /// By how much the point is better.
    pub advantage: f64,
}

/// What a parameter is worth near the start: slope · x − curvature · x² where it is x steps away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// What a step up gains.
    pub slope: f64,
    /// How sure that is, as a standard deviation.
    pub slope_deviation: f64,
    /// What a step either way loses on average.
    pub curvature: f64,
    /// How sure that is, as a standard deviation.
    pub curvature_deviation: f64,
}

/// The effects of all parameters, each by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Effects {
    /// One for each parameter.
    pub parameters: Vec<Effect>,
    /// The standard deviation of a comparison that the effects do not explain.
    pub noise: f64,
}

/// How large slopes and curvatures are before anything is known: as an advantage in games 70 and 35 Elo a step. What was never moved keeps them.
const PRIOR: [f64; 2] = [0.2, 0.1];

/// The square of an advantage that was not seen: a win and a draw.
const UNSEEN: f64 = 0.25;

/// Times that the noise is estimated anew from what the effects leave.
const PASSES: usize = 4;

impl Effects {
    /// The effects that explain these comparisons best, by linear regression with a wide prior; nothing without comparisons.
    pub fn fit(comparisons: &[Comparison]) -> Option<Self> {
        let count = comparisons.first()?.point.len();
        let rows: Vec<Vec<f64>> = comparisons
            .iter()
            .map(|Comparison { point, rival, .. }| {
                let slopes = point.iter().zip(rival).map(|(one, other)| one - other);
                let curvatures = point.iter().zip(rival).map(|(one, other)| other * other - one * one);
                slopes.chain(curvatures).collect()
            })
            .collect();
        let size = 2 * count;
        let mut products = vec![vec![0.0; size]; size];
        let mut right = vec![0.0; size];
        for (row, comparison) in rows.iter().zip(comparisons) {
            for (i, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                right[i] += x * comparison.advantage;
                products[i][..=i].iter_mut().zip(row).for_each(|(sum, other)| *sum += x * other);
            }
        }
        let number = comparisons.len() as f64;
        let mut variance = comparisons.iter().map(|one| one.advantage * one.advantage).sum::<f64>() / number;
        let mut fitted = None;
        for _ in 0..PASSES {
            variance = variance.max(1e-12);
            let prior = |place: usize| variance / (PRIOR[place / count] * PRIOR[place / count]);
            let mut matrix = products.clone();
            (0..size).for_each(|place| matrix[place][place] += prior(place));
            let cholesky = Cholesky::new(&matrix)?;
            let found = cholesky.solve(right.clone());
            let inverse = cholesky.inverse_diagonal();
            // A coefficient takes a degree of freedom as far as games and not the prior decide it.
            let taken: f64 = (0..size).map(|place| 1.0 - prior(place) * inverse[place]).sum();
            let rest: f64 = rows
                .iter()
                .zip(comparisons)
                .map(|(row, one)| one.advantage - dot(row, &found))
                .map(|rest| rest * rest)
                .sum();
            let deviations: Vec<f64> = inverse.iter().map(|one| (variance * one).sqrt()).collect();
            fitted = Some((found, deviations));
            // One comparison more, so that a few that came out alike are not taken for certainty.
            variance = (rest + UNSEEN) / ((number - taken).max(0.0) + 1.0);
        }
        let (found, deviations) = fitted?;
        let effect = |place: usize| Effect {
            slope: found[place],
            slope_deviation: deviations[place],
            curvature: found[count + place],
            curvature_deviation: deviations[count + place],
        };
        Some(Self { parameters: (0..count).map(effect).collect(), noise: variance.sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OptimizerInfo, Problem, Rng, Settings};

    /// Comparisons of a design of so many, of a landscape with these slopes and curvatures.
    fn played(slopes: &[f64], curvatures: &[f64], number: usize, noise: f64, seed: u64) -> Vec<Comparison> {
        let info = OptimizerInfo::find("screen").expect("the design");
        let problem = Problem { dimensions: slopes.len(), ..Problem::default() };
        let (mut rng, mut found) = (Rng::new(seed + 1000), Vec::new());
        let mut screen = (info.begin)(&Settings::new(info.keys), problem, Rng::new(seed));
        while found.len() < number {
            let trial = screen.ask().expect("a comparison");
            let steps = |point: &[f64]| point.iter().map(|x| (x - 0.5) / 0.05).collect::<Vec<f64>>();
            let [point, rival] = [steps(&trial.point), steps(trial.rival.as_ref().expect("a rival"))];
            let worth = |at: &[f64]| {
                let squares: Vec<f64> = at.iter().map(|x| x * x).collect();
                dot(at, slopes) - dot(&squares, curvatures)
            };
            let advantage = worth(&point) - worth(&rival) + noise * rng.normal();
            screen.tell(trial.number, crate::Evaluation::Fitness(advantage));
            found.push(Comparison { point, rival, advantage });
        }
        found
    }

    #[test]
    fn effects_are_found_and_deviations_are_those_of_the_errors() {
        let (slopes, curvatures) = ([0.06, 0.0, -0.03, 0.0], [0.02, 0.05, 0.0, 0.0]);
        let exact = Effects::fit(&played(&slopes, &curvatures, 60, 0.0, 1)).expect("effects");
        for (place, effect) in exact.parameters.iter().enumerate() {
            assert!((effect.slope - slopes[place]).abs() < 2e-3, "{effect:?}");
            assert!((effect.curvature - curvatures[place]).abs() < 2e-3, "{effect:?}");
        }
        let mut squares = [0.0; 2];
        const RUNS: u64 = 60;
        for seed in 0..RUNS {
            let found = Effects::fit(&played(&slopes, &curvatures, 200, 0.4, seed)).expect("effects");
            assert!((found.noise - 0.4).abs() < 0.1, "{}", found.noise);
            for (place, effect) in found.parameters.iter().enumerate() {
                squares[0] += ((effect.slope - slopes[place]) / effect.slope_deviation).powi(2);
                squares[1] += ((effect.curvature - curvatures[place]) / effect.curvature_deviation).powi(2);
            }
        }
        for square in squares {
            let mean = square / (4 * RUNS) as f64;
            assert!((0.7..1.3).contains(&mean), "{mean}");
        }
    }

    #[test]
    fn few_comparisons_of_many_parameters_leave_the_prior() {
        let found = Effects::fit(&played(&[0.0; 30], &[0.0; 30], 20, 0.4, 1)).expect("effects");
        assert!(found.parameters.iter().all(|one| one.slope_deviation > 0.05 && one.slope.is_finite()));
        assert_eq!(Effects::fit(&[]), None);
        let alike = Effects::fit(&played(&[0.0; 2], &[0.0; 2], 40, 0.0, 1)).expect("effects");
        assert!(alike.parameters.iter().all(|one| one.slope == 0.0 && one.slope_deviation > 0.005));
    }
}
