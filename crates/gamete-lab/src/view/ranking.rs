use gamete_stats::{Interval, Sample, elo_of_score};
use serde::Serialize;

use super::{ArmView, ExperimentView, RunView};
use crate::measure::Measure;
use crate::study::PlayoffMatch;

/// The arms of a study in the order of what their runs came to: which optimiser is worth its games?
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// By what they are ranked.
    pub by: RankedBy,
    /// The arms, the best first.
    pub arms: Vec<RankedArm>,
}

/// By what arms are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RankedBy {
    /// How much worse the points that they recommend are than the optimum: the less the better.
    Regret,
    /// The share of points of their champions in games against each other: the more the better.
    Play,
}

/// An arm of a ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankedArm {
    /// Its name.
    pub arm: String,
    /// Its place, the same for equals.
    pub rank: usize,
    /// What it is ranked by, over runs.
    pub value: Estimate,
    /// By how much it is better than random search in the same replicates, where there is such an arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub better_than_random: Option<Estimate>,
    /// Elo of its champions against the defaults, where they played: the values that searches from one point start with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo_to_start: Option<Estimate>,
    /// Games of a run, simulated or played.
    pub games: f64,
}

/// A mean over runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error; nothing of one run.
    pub standard_error: Option<f64>,
    /// The lower end of its 95 % interval, by Student's t.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The runs, replicate by replicate.
    pub runs: Vec<f64>,
}

/// The optimiser that nobody may lose to.
const BASELINE: &str = "random";

impl Estimate {
    fn of(runs: Vec<f64>) -> Option<Self> {
        let sample = Sample::of(runs.iter().copied());
        let interval = sample.interval();
        (sample.count > 0).then(|| Self {
            mean: sample.mean(),
            standard_error: interval.map(|_| sample.spread.sd / (sample.count as f64).sqrt()),
            low: interval.map(|Interval { low, .. }| low),
            high: interval.map(|Interval { high, .. }| high),
            runs,
        })
    }
}

impl ExperimentView {
    /// Its arms by what came of them, if it is a finished study of optimisers: by regret where the optimum is known, else by
    /// the games that the champions played.
    pub fn ranking(&self) -> Option<Ranking> {
        let conclusion = self.conclusion.as_ref().filter(|_| self.arms.len() > 1)?;
        if self.arms.iter().any(|arm| arm.method != "optimize" || arm.runs.is_empty()) {
            return None;
        }
        let regrets: Option<Vec<Vec<f64>>> = self.arms.iter().map(regrets).collect();
        let (by, values) = match regrets {
            Some(regrets) => (RankedBy::Regret, regrets),
            None if conclusion.playoffs.is_empty() => return None,
            None => {
                let shares =
                    |arm| (0..self.replicates).map(|one| share(&conclusion.playoffs, arm, one)).collect();
                (RankedBy::Play, (0..self.arms.len()).map(shares).collect())
            }
        };
        let sign = if by == RankedBy::Regret { -1.0 } else { 1.0 };
        let baseline = self.arms.iter().position(|arm| arm.name == BASELINE);
        let better = |place: usize| {
            let baseline = baseline.filter(|&baseline| baseline != place)?;
            let runs = values[place].iter().zip(&values[baseline]);
            Estimate::of(runs.map(|(own, random)| sign * (own - random)).collect())
        };
        let elo = |place: usize| {
            let own = conclusion.classical.iter().filter(|one| one.arm == place);
            let score = |one: &[gamete_stats::PairScore]| {
                one.iter().map(|pair| f64::from(pair.0)).sum::<f64>() / (4 * one.len().max(1)) as f64
            };
            Estimate::of(own.map(|one| elo_of_score(score(&one.scores))).collect())
        };
        let mut arms = Vec::new();
        for (place, arm) in self.arms.iter().enumerate() {
            let value = Estimate::of(values[place].clone())?;
            let rank = 0;
            arms.push(RankedArm {
                arm: arm.name.clone(),
                rank,
                value,
                better_than_random: better(place),
                elo_to_start: elo(place),
                games: Sample::of(arm.runs.iter().map(games)).mean(),
            });
        }
        arms.sort_by(|one, other| (sign * other.value.mean).total_cmp(&(sign * one.value.mean)));
        for place in 0..arms.len() {
            let is_equal = place > 0 && arms[place].value.mean == arms[place - 1].value.mean;
            arms[place].rank = if is_equal { arms[place - 1].rank } else { place + 1 };
        }
        Some(Ranking { by, arms })
    }
}

/// The regret of each run of an arm at its end, if it is known of all.
fn regrets(arm: &ArmView) -> Option<Vec<f64>> {
    arm.runs.iter().map(|run| run.last().measure(Measure::REGRET).map(|measure| measure.best)).collect()
}

/// The games of a run, simulated or played.
fn games(run: &RunView) -> f64 {
    let simulated = run.last().measure(Measure::SIMULATED_GAMES).map(|measure| measure.best);
    simulated.unwrap_or_else(|| run.generations.iter().map(|one| one.games).sum::<u64>() as f64)
}

/// The share of points of an arm's champion in the play-offs of a replicate.
fn share(playoffs: &[PlayoffMatch], arm: usize, replicate: u32) -> f64 {
    let (mut points, mut most) = (0.0, 0.0);
    for one in playoffs.iter().filter(|one| one.replicate == replicate && one.arms.contains(&arm)) {
        let all = 4.0 * one.scores.len() as f64;
        let first: f64 = one.scores.iter().map(|score| f64::from(score.0)).sum();
        points += if one.arms[0] == arm { first } else { all - first };
        most += all;
    }
    points / most
}
