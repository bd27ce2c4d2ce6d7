//! What is measured of a search from generation to generation.

use gamete_optim::{Gain, Genome, Optimizer, Space};
use gamete_stats::elo_of_score;

use super::Optimize;
use crate::measure::Measure;
use crate::methods::Method as _;
use crate::runtime::{Lab, LabError};

impl Optimize {
    /// Measures what is recommended after so many games, where the optimum is known.
    pub(super) fn measure(
        &self,
        recommended: &Genome,
        games: u64,
        lab: &mut Lab<'_>,
    ) -> Result<(), LabError> {
        let Some(regret) = self.objective.regret(recommended, lab) else { return Ok(()) };
        lab.measure(|_| {
            let mut measures = vec![Measure::of_best(Measure::REGRET, regret)];
            if self.spends_games() {
                measures.push(Measure::of_best(Measure::SIMULATED_GAMES, games as f64));
            }
            Ok(measures)
        })
    }
}

/// How far a search is that starts from values in use: what its best is worth, how far apart its points are, and how sure it is of each parameter.
pub(super) fn measures(optimizer: &dyn Optimizer, space: &Space) -> Vec<Measure> {
    let elo = |advantage: f64| elo_of_score(f64::midpoint(1.0, advantage));
    let deviation = |name: &str, value| Measure::of_best(&format!("{}{name}", Measure::DEVIATION), value);
    let gain = optimizer.gain().map_or_else(Vec::new, |Gain { mean, deviation: sure }| {
        let half = (elo(mean + sure) - elo(mean - sure)) / 2.0;
        vec![Measure::of_best(Measure::ELO, elo(mean)), deviation(Measure::ELO, half)]
    });
    let size = optimizer.step_size().map(|size| Measure::of_best(Measure::STEP_SIZE, size));
    let units = space.units().into_iter().zip(space.ranges());
    let widths = units.map(|(unit, [min, max])| unit.map_or(max - min, |unit| 1.0 / unit));
    let of_parameters = space.names().into_iter().zip(optimizer.beliefs()).zip(widths);
    let of_parameters =
        of_parameters.map(|((name, belief), width)| deviation(&name, belief.deviation * width));
    let scores: Option<Vec<f64>> = optimizer.population().into_iter().map(|member| member.fitness).collect();
    let score = scores.filter(|scores| !scores.is_empty()).map(|scores| Measure {
        mean: Some(scores.iter().sum::<f64>() / scores.len() as f64),
        ..Measure::of_best(Measure::SCORE, scores.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    });
    score.into_iter().chain(gain).chain(size).chain(of_parameters).collect()
}
