use std::f64::consts::LN_10;
use std::fmt::Write;

use gamete_game::Kind;
use gamete_optim::{Comparison, Effect, Effects, Problem, Space};
use serde::Serialize;

use super::tuning::{places, sought};
use super::{LabView, RunView, ViewError};
use crate::experiment::Experiment;
use crate::params::{TunedParameter, value_texts};

/// The advantage in games, wins less losses over their number, that an Elo is worth between equals.
const ADVANTAGE_OF_ELO: f64 = LN_10 / 800.0;

/// Half a 95 % interval, in deviations.
const INTERVAL: f64 = 1.96;

/// Effects below so many Elo a step are none that a tune is for.
const SMALL: f64 = 2.0;

/// The chance of seeing an effect where there is none, below which a parameter is said to be worth it.
const CHANCE: f64 = 0.05;

/// What all perturbations of a point are to lose together near an optimum, and what one of them may lose: enough to be seen in games, and not so
/// much that the landscape is another one.
const LOSS_OF_ALL: f64 = 40.0;
const LOSS_OF_ONE: [f64; 2] = [2.0, 10.0];

/// By which factor at most a step is changed.
const MOST_CHANGE: f64 = 3.0;

/// How close SPSA is to come to the optimum, as a power of e: to 14 % of the distance.
const APPROACH: f64 = 2.0;

/// The mean of SPSA's learning rates relative to the last, with alpha = 0.602 and A a tenth of the iterations.
const MEAN_RATE: f64 = 1.70;

/// Learning rates that are proposed.
const RATES: [f64; 2] = [0.0001, 0.1];

/// Above so many parameters a model of all of them takes longer to compute than games to play.
const MOST_OF_MODEL: usize = 60;

/// The optimiser of a tune of so many parameters where nobody names one: `pairs`, which has nothing to set, or `spsa` where there are too many
/// for a model.
pub const fn usual_optimizer(parameters: usize) -> &'static str {
    if parameters <= MOST_OF_MODEL { "pairs" } else { "spsa" }
}

/// What a step of each parameter is worth, and what that means for a tune.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScreeningView {
    /// Games that were played.
    pub games: u64,
    /// Games of the tune that is planned.
    pub planned_games: u64,
    /// The parameters, in their order.
    pub parameters: Vec<ScreenedParameter>,
    /// The optimiser that is proposed.
    pub method: &'static str,
    /// Half the 95 % interval of a match of as many games as were played, in Elo.
    pub match_precision: f64,
    /// The same of a match of as many games as are planned.
    pub planned_match_precision: f64,
    /// Games after which an effect of 5 Elo a step is as large as its 95 % interval.
    pub games_for_five_elo: u64,
    /// What SPSA does with the proposed numbers.
    pub spsa: SpsaOutlook,
    /// Whether they are options of an engine.
    #[serde(skip)]
    is_option: bool,
}

/// What SPSA does with the numbers that are proposed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SpsaOutlook {
    /// Its iterations, of a pair of games each.
    pub iterations: u64,
    /// A of its schedule.
    pub stability: f64,
    /// The share of its distance from the optimum that a parameter still has at the end, where its step loses what it should.
    pub distance_left: f64,
    /// Elo that the noise of games leaves lost at the end, of all parameters.
    pub noise_elo: f64,
}

/// A parameter, what a step of it is worth, and what is proposed for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScreenedParameter {
    /// Its name.
    pub name: String,
    /// Where it starts.
    pub start: f64,
    /// The step that was tried.
    pub step: f64,
    /// Elo gained by a step up.
    pub slope: f64,
    /// Half its 95 % interval.
    pub slope_precision: f64,
    /// The same after the games that are planned.
    pub planned_precision: f64,
    /// Elo lost on average by a step either way.
    pub curvature: f64,
    /// Half its 95 % interval.
    pub curvature_precision: f64,
    /// Whether it is worth tuning.
    pub worth: Worth,
    /// The step that is proposed: c_end of SPSA.
    pub proposed_step: f64,
    /// The learning rate of SPSA that is proposed: r_end.
    pub proposed_rate: f64,
    #[serde(skip)]
    parameter: TunedParameter,
}

/// Whether a parameter is worth tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Worth {
    /// It has an effect.
    Yes,
    /// The games do not tell.
    Unclear,
    /// Its effect is small at most.
    No,
}

impl Worth {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Unclear => "unclear",
            Self::No => "no",
        }
    }

    /// By the effect of a step, in Elo.
    fn of(effect: &Effect) -> Self {
        let Effect { slope, slope_deviation, curvature, curvature_deviation } = *effect;
        let [slope_ratio, curvature_ratio] = [slope / slope_deviation, curvature / curvature_deviation];
        // The chance that two independent normal numbers are together as large.
        let chance = libm::exp(-(slope_ratio * slope_ratio + curvature_ratio * curvature_ratio) / 2.0);
        let is_small = |value: f64, deviation: f64| value.abs() + INTERVAL * deviation < SMALL;
        if is_small(slope, slope_deviation) && is_small(curvature, curvature_deviation) {
            Self::No
        } else if chance < CHANCE {
            Self::Yes
        } else {
            Self::Unclear
        }
    }
}

/// What parameters are to lose by a step, and for how long SPSA is to run.
#[derive(Debug, Clone, Copy)]
struct Aim {
    loss: f64,
    iterations: f64,
}

impl Aim {
    fn new(parameters: usize, games: u64) -> Self {
        let [least, most] = LOSS_OF_ONE;
        Self {
            loss: (LOSS_OF_ALL / parameters.max(1) as f64).clamp(least, most),
            iterations: (games as f64 / 2.0).max(1.0),
        }
    }

    /// The factor by which a step is to be changed, and what the changed one loses.
    fn factor(&self, effect: &Effect) -> (f64, f64) {
        let Effect { curvature, curvature_deviation, .. } = *effect;
        let most = curvature + INTERVAL * curvature_deviation;
        if curvature > INTERVAL * curvature_deviation {
            let factor = (self.loss / curvature).sqrt().clamp(1.0 / MOST_CHANGE, MOST_CHANGE);
            (factor, curvature * factor * factor)
        } else if most < self.loss {
            ((self.loss / most.max(SMALL / MOST_CHANGE)).sqrt().clamp(1.0, MOST_CHANGE), self.loss)
        } else {
            (1.0, self.loss)
        }
    }

    /// By how much, as a power of e, a parameter approaches its optimum with this rate at the end.
    fn approach(&self, rate: f64, loss: f64) -> f64 {
        // Two points a step either side of one that is x steps from the optimum differ by 4 · loss · x.
        MEAN_RATE * self.iterations * rate * 4.0 * loss * 2.0 * ADVANTAGE_OF_ELO
    }

    fn rate(&self, loss: f64) -> f64 {
        let rate = APPROACH / self.approach(1.0, loss.max(SMALL));
        two_digits(rate.clamp(RATES[0], RATES[1]))
    }
}

/// Rounded to two digits that count.
fn two_digits(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

impl ScreeningView {
    /// What comparisons of parameters say, of so many games in all.
    fn new(
        space: &Space,
        is_option: bool,
        comparisons: &[Comparison],
        games: u64,
        planned_games: u64,
    ) -> Option<Self> {
        let effects = Effects::fit(comparisons).filter(|_| games > 0)?;
        let planned_games = if planned_games == 0 { 10 * games } else { planned_games };
        let share = (games as f64 / planned_games as f64).sqrt();
        let aim = Aim::new(effects.parameters.len(), planned_games);
        let starts = space.rounded(&space.defaults());
        let elo = |effect: &Effect| Effect {
            slope: effect.slope / ADVANTAGE_OF_ELO,
            slope_deviation: effect.slope_deviation / ADVANTAGE_OF_ELO,
            curvature: effect.curvature / ADVANTAGE_OF_ELO,
            curvature_deviation: effect.curvature_deviation / ADVANTAGE_OF_ELO,
        };
        let parameter = |(parameter, effect): (TunedParameter, &Effect)| {
            let effect = elo(effect);
            let (factor, loss) = aim.factor(&effect);
            let step = parameter.step.unwrap_or(1.0);
            let [min, max] = parameter.range;
            let least = if parameter.kind == Kind::Real { 0.0 } else { TunedParameter::SMALLEST_WHOLE_STEP };
            let proposed_step = two_digits((step * factor).min((max - min) / 4.0)).max(least);
            ScreenedParameter {
                name: parameter.name.clone(),
                start: parameter.start.unwrap_or_default(),
                step,
                slope: effect.slope,
                slope_precision: INTERVAL * effect.slope_deviation,
                planned_precision: INTERVAL * effect.slope_deviation * share,
                curvature: effect.curvature,
                curvature_precision: INTERVAL * effect.curvature_deviation,
                worth: Worth::of(&effect),
                proposed_step,
                proposed_rate: aim.rate(loss),
                parameter,
            }
        };
        let parameters: Vec<ScreenedParameter> =
            sought(space, &starts).into_iter().zip(&effects.parameters).map(parameter).collect();
        let games_of_one = games as f64 / comparisons.len() as f64;
        let deviation_of_game = effects.noise * games_of_one.sqrt();
        let precision = |games: u64| INTERVAL * deviation_of_game / (games as f64).sqrt() / ADVANTAGE_OF_ELO;
        let mut widths: Vec<f64> = parameters.iter().map(|one| one.slope_precision).collect();
        widths.sort_by(f64::total_cmp);
        let typical = widths[widths.len() / 2] / 5.0;
        let kept: Vec<&ScreenedParameter> = parameters.iter().filter(|one| one.worth != Worth::No).collect();
        // The deviation of wins − losses of a pair, and what is lost where noise and approach are in balance.
        let pair_variance = 4.0 * deviation_of_game * deviation_of_game / 2.0;
        let noise_elo =
            kept.iter().map(|one| one.proposed_rate).sum::<f64>() * pair_variance / (16.0 * ADVANTAGE_OF_ELO);
        let spsa = SpsaOutlook {
            iterations: aim.iterations as u64,
            stability: 0.1 * aim.iterations,
            distance_left: libm::exp(-aim.approach(aim.rate(aim.loss), aim.loss)),
            noise_elo,
        };
        Some(Self {
            games,
            planned_games,
            method: usual_optimizer(kept.len()),
            match_precision: precision(games),
            planned_match_precision: precision(planned_games),
            games_for_five_elo: (games as f64 * typical * typical).ceil() as u64,
            spsa,
            parameters,
            is_option,
        })
    }

    /// The parameters with what is proposed for them, as a file of ours to edit.
    pub fn file(&self) -> String {
        let mut text = format!(
            "# Proposed after a dry run of {} games, for a tune of {}. Edit what you know better, and tune with\n\
             # -method pairs, which looks at step only, or -method spsa a_ratio=0.1: step is its c_end, rate its r_end.\n",
            self.games, self.planned_games
        );
        for (one, parameter) in self.parameters.iter().zip(self.proposed()) {
            let ScreenedParameter { slope, slope_precision, curvature, curvature_precision, worth, .. } = one;
            let line = text_of(&[parameter], self.is_option, "TOML");
            let _ = writeln!(
                text,
                "\n# worth it: {}; a step of {} up: {slope:+.1} ± {slope_precision:.1} Elo, either way: {:+.1} ± {curvature_precision:.1}\n{}",
                worth.as_str(),
                one.step,
                -curvature,
                line.trim_end()
            );
        }
        text
    }

    /// The same as lines for OpenBench.
    pub fn openbench(&self) -> String {
        text_of(&self.proposed().collect::<Vec<_>>(), self.is_option, "OpenBench")
    }

    /// The parameters with what is proposed for them; those that are not worth it are kept as they are.
    fn proposed(&self) -> impl Iterator<Item = TunedParameter> {
        self.parameters.iter().map(|one| {
            let mut parameter = one.parameter.clone();
            (parameter.step, parameter.rate) = (Some(one.proposed_step), Some(one.proposed_rate));
            if one.worth == Worth::No {
                parameter.range = [one.start; 2];
            }
            parameter
        })
    }
}

/// Parameters in one of the forms in which people write them.
fn text_of(parameters: &[TunedParameter], is_option: bool, form: &str) -> String {
    let texts = value_texts(parameters, is_option);
    texts.into_iter().find(|text| text.form == form).map_or_else(String::new, |text| text.text)
}

impl LabView<'_> {
    /// What the comparisons of an experiment say of its parameters; nothing where it does not compare them by games.
    pub(super) fn screening(
        &self,
        experiment: &Experiment,
        runs: &[RunView],
    ) -> Result<Option<ScreeningView>, ViewError> {
        let table = experiment.table();
        let is = |key: &str, word: &str| table.get(key).and_then(toml::Value::as_str) == Some(word);
        let (Ok(space), [run]) = (experiment.method.space(), runs) else { return Ok(None) };
        if !is("optimizer", "screen") || !is("objective", "match") {
            return Ok(None);
        }
        let problem = Problem::new(&space);
        let start = space.point(&space.defaults());
        let steps = |genome: &[f64]| -> Vec<f64> {
            let point = space.point(genome);
            let from = point.iter().zip(&start).enumerate();
            from.map(|(place, (at, start))| (at - start) / problem.step_guess(place)).collect()
        };
        let mut comparisons = Vec::new();
        for generation in run.generations.iter().filter(|generation| generation.number > 0) {
            let individuals = self.store.individuals(run.number, generation.number)?;
            for pair in individuals.chunks_exact(2) {
                comparisons.extend(pair[0].fitness.map(|advantage| Comparison {
                    point: steps(&pair[0].genome),
                    rival: steps(&pair[1].genome),
                    advantage,
                }));
            }
        }
        let games = run.generations.iter().map(|generation| generation.games).sum();
        let own = table.get("screen").and_then(|own| own.get("planned_games"));
        let planned = own.and_then(toml::Value::as_integer).unwrap_or(0).max(0) as u64;
        let is_option = experiment.method.engine(None).is_some();
        let places = places(experiment);
        Ok(ScreeningView::new(&space, is_option, &comparisons, games, planned).map(|mut view| {
            view.parameters.sort_by_key(|one| places.get(&one.name));
            view
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(slope: f64, curvature: f64, deviation: f64) -> Effect {
        Effect { slope, slope_deviation: deviation, curvature, curvature_deviation: deviation }
    }

    #[test]
    fn parameters_are_worth_it_where_games_show_an_effect() {
        assert_eq!(Worth::of(&effect(20.0, 0.0, 5.0)), Worth::Yes);
        assert_eq!(Worth::of(&effect(0.0, -20.0, 5.0)), Worth::Yes);
        assert_eq!(Worth::of(&effect(5.0, 5.0, 5.0)), Worth::Unclear);
        assert_eq!(Worth::of(&effect(1.0, 0.5, 0.4)), Worth::No, "seen, but small");
    }

    #[test]
    fn steps_are_to_lose_what_games_can_show_and_rates_are_for_as_many_games_as_there_are() {
        let aim = Aim::new(8, 20_000);
        assert_eq!((aim.loss, aim.iterations), (5.0, 10_000.0));
        let (factor, loss) = aim.factor(&effect(0.0, 20.0, 2.0));
        assert!((factor - 0.5).abs() < 1e-12 && (loss - 5.0).abs() < 1e-9, "twice too large");
        assert_eq!(aim.factor(&effect(0.0, 3.0, 5.0)).0, 1.0, "nobody knows");
        assert!(aim.factor(&effect(0.0, 0.1, 0.5)).0 > 2.0, "too small to be seen");
        assert_eq!(aim.factor(&effect(0.0, 500.0, 5.0)).0, 1.0 / 3.0);
        // 2 / (1.70 · 10,000 · 4 · 5 · 2 · ln 10 / 800)
        assert_eq!(aim.rate(5.0), 0.001);
        assert_eq!(Aim::new(8, 2_000).rate(5.0), 0.01);
        assert!((aim.approach(aim.rate(5.0), 5.0) - APPROACH).abs() < 0.05);
    }
}
