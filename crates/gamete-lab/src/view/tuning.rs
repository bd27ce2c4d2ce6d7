use std::collections::BTreeMap;

use gamete_game::Kind;
use gamete_optim::{Dimension, Space};
use gamete_stats::elo_of_score;
use serde::Serialize;
use toml::Value;

use super::{BaselineView, ExperimentView};
use crate::experiment::Experiment;
use crate::measure::Measure;
use crate::objective::OPTIONS;
use crate::params::{TunedParameter, ValueText, value_texts};
use crate::verification::{Baseline, Verdict};

/// Values that were sought from a start: what they were, and what they came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuningView {
    /// The parameters that were sought.
    pub parameters: Vec<TunedValue>,
    /// Those that kept their values.
    pub kept: Vec<TunedValue>,
    /// What was found, in the forms in which people paste it back.
    #[serde(skip)]
    pub texts: Vec<ValueText>,
    /// Whether the search is over; if not, values are those of its last generation.
    #[serde(skip)]
    pub is_finished: bool,
    /// Whether trials were games against the start, so that fitness is a score against it.
    #[serde(skip)]
    is_score: bool,
}

/// A parameter that was sought.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TunedValue {
    /// Its name, without the table of the file that it stands in.
    pub name: String,
    /// Where it started.
    pub start: f64,
    /// What it came to.
    pub value: f64,
    /// The smallest number that it could be.
    pub min: f64,
    /// The largest number that it could be.
    pub max: f64,
    /// The deviation of its best value, where the search has a model that tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// Whether it is a whole number, or a switch.
    pub is_whole: bool,
    /// Which number of a genome it is; nothing if it is kept.
    #[serde(skip)]
    pub gene: Option<usize>,
}

/// Which values of a tune are to be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Recommended {
    /// Those that were found: games show that they are better.
    Tuned,
    /// Those that the search started from.
    Original,
}

impl TunedValue {
    /// How much it changed, in per cent of its start; nothing where that is 0.
    pub fn change(&self) -> Option<f64> {
        (self.start != 0.0).then(|| 100.0 * (self.value - self.start) / self.start.abs())
    }
}

impl TuningView {
    /// What a genome of an experiment came to, with what was measured of it; nothing where no start was given.
    pub(crate) fn new(
        experiment: &Experiment,
        genome: &[f64],
        measures: &[Measure],
        is_finished: bool,
    ) -> Option<Self> {
        let method = experiment.method.as_ref();
        let space = method.space().ok().filter(|_| method.has_start_values())?;
        let starts = space.rounded(&space.defaults());
        let mut found = sought(&space, &space.settled(genome));
        let deviations: Vec<Option<f64>> = space
            .sought()
            .map(|one| {
                let name = format!("{}{}", Measure::DEVIATION, one.parameter.name);
                measures.iter().find(|measure| measure.name == name).map(|measure| measure.best)
            })
            .collect();
        let value = |one: &TunedParameter, start: f64, gene: Option<usize>| TunedValue {
            name: one.name.clone(),
            start,
            value: one.start.unwrap_or(start),
            min: one.range[0],
            max: one.range[1],
            deviation: gene.and_then(|gene| deviations[gene]),
            is_whole: one.kind != Kind::Real,
            gene,
        };
        let values = found.iter().zip(&starts).enumerate();
        let mut values: Vec<TunedValue> =
            values.map(|(gene, (one, start))| value(one, *start, Some(gene))).collect();
        let kept_parameters = kept(experiment);
        let mut kept: Vec<TunedValue> =
            kept_parameters.iter().map(|one| value(one, one.range[0], None)).collect();
        found.extend(kept_parameters);
        let places = places(experiment);
        values.sort_by_key(|one| places.get(&one.name));
        kept.sort_by_key(|one| places.get(&one.name));
        found.sort_by_key(|one| places.get(&one.name));
        let opponents = experiment.table().get("match").and_then(|own| own.get("opponents").cloned());
        let is_score = method.plays_games()
            && opponents.is_some_and(|opponents| {
                opponents
                    .as_array()
                    .is_some_and(|names| names.iter().all(|name| name.as_str() == Some("start")))
            });
        let texts = value_texts(&found, method.engine(None).is_some());
        Some(Self { parameters: values, kept, texts, is_finished, is_score })
    }
}

/// The parameters that are sought in a space, with the values of a genome.
pub(super) fn sought(space: &Space, genome: &[f64]) -> Vec<TunedParameter> {
    let parameter = |(dimension, &value): (&Dimension, &f64)| {
        let Dimension { parameter, rate, .. } = dimension;
        let name = parameter.name.strip_prefix(OPTIONS).unwrap_or(&parameter.name).to_owned();
        let (start, step) = (Some(value), Some(parameter.step));
        TunedParameter { name, kind: parameter.kind, start, range: dimension.range(), step, rate: *rate }
    };
    space.sought().zip(genome).map(parameter).collect()
}

/// The places of parameters in the order in which people list them, by name; empty where that is their order already.
pub(super) fn places(experiment: &Experiment) -> BTreeMap<String, i64> {
    let table = experiment.table();
    let entries = table.get("parameters").and_then(Value::as_table).into_iter().flatten();
    let place = |(path, entry): (&String, &Value)| {
        let name = path.strip_prefix(OPTIONS).unwrap_or(path).to_owned();
        Some((name, entry.get("place")?.as_integer()?))
    };
    entries.filter_map(place).collect()
}

/// The parameters that a tune keeps, with the kinds of their values.
fn kept(experiment: &Experiment) -> Vec<TunedParameter> {
    let table = experiment.table();
    let entries = table.get("parameters").and_then(Value::as_table).into_iter().flatten();
    let kept = entries.filter(|(_, entry)| entry.get("kept").and_then(Value::as_bool) == Some(true));
    let parameter = |(path, entry): (&String, &Value)| {
        let number = entry.get("start")?.as_float()?;
        let value = path.split_once('.').and_then(|(place, name)| table.get(place)?.get(name));
        let kind = match value {
            Some(Value::Boolean(_)) => Kind::Flag,
            Some(Value::Integer(_)) => Kind::Integer,
            _ => Kind::Real,
        };
        let name = path.strip_prefix(OPTIONS).unwrap_or(path).to_owned();
        Some(TunedParameter { name, kind, start: Some(number), range: [number; 2], step: None, rate: None })
    };
    kept.filter_map(parameter).collect()
}

impl ExperimentView {
    /// The Elo over the start that the search itself found, by the games in which the champion was chosen; nothing where it is not
    /// ranked by games against the start.
    pub fn training_elo(&self) -> Option<f64> {
        self.tuning.as_ref().filter(|tuning| tuning.is_score)?;
        let (_, run) = self.single()?;
        run.fitness.filter(|score| (0.0..=1.0).contains(score)).map(elo_of_score)
    }

    /// The match of the tuned values against the original ones, with the limits of the search.
    pub fn verified(&self) -> Option<&BaselineView> {
        let is_it = |one: &&BaselineView| one.against == Baseline::Start && one.score.pairs > 0;
        self.verification.iter().find(is_it).filter(|_| self.tuning.is_some())
    }

    /// By how much the search thought its result to be stronger than the verification found it.
    pub fn overfit_gap(&self) -> Option<f64> {
        let gap = self.training_elo()? - self.verified()?.score.elo;
        gap.is_finite().then_some(gap)
    }

    /// Which values of a tune are to be used: what games did not show to be better is never recommended. Nothing before these games.
    pub fn recommended(&self) -> Option<Recommended> {
        let is_weaker = self.verification.iter().any(|one| one.tuning_verdict() == WEAKER);
        match self.tuning_verdict() {
            NO_GAIN | WEAKER => Some(Recommended::Original),
            STRONGER if is_weaker => Some(Recommended::Original),
            STRONGER if self.verification.iter().all(BaselineView::is_complete) => Some(Recommended::Tuned),
            _ => None,
        }
    }

    /// What became of a tune, in words.
    pub fn tuning_verdict(&self) -> &'static str {
        let is_changed = |tuning: &TuningView| tuning.parameters.iter().any(|one| one.value != one.start);
        match self.verified() {
            _ if self.conclusion.is_none() => "not finished",
            None if !self.tuning.as_ref().is_some_and(is_changed) => NO_GAIN,
            None => "not verified",
            Some(one) => one.tuning_verdict(),
        }
    }
}

impl BaselineView {
    /// What these games say of tuned values, in words.
    pub fn tuning_verdict(&self) -> &'static str {
        match self.verdict {
            _ if !self.is_complete() => NOT_VERIFIED_TO_THE_END,
            Verdict::Stronger => STRONGER,
            Verdict::Weaker => WEAKER,
            Verdict::Undecided => NO_GAIN,
        }
    }
}

const STRONGER: &str = "stronger";
const WEAKER: &str = "weaker: no gain found";
const NO_GAIN: &str = "no gain found";

/// What is said of a verification with games that are still to be played.
pub(super) const NOT_VERIFIED_TO_THE_END: &str = "not verified to the end";
