//! Pipelines: experiments in a row, each of which begins with what an earlier one came to.
//!
//! A stage is an experiment of the lab like any other, under the name `PIPELINE/STAGE`. Its file is written when it begins and
//! is complete then, so that whatever can be done with experiments can be done with stages.

mod file;
mod run;
#[cfg(test)]
mod tests;

use gamete_arena::{Rng, suggest};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::beginning::{Take, is_same_space, with_kept_values, with_model_hint, with_player};
use crate::experiment::{Experiment, ExperimentError, include, merge, remove_leaves};
use crate::part::Place;
use crate::study::arms;
pub(crate) use file::change_stages;
pub use run::run_pipeline;

/// The method of a pipeline in lists: its stages have others.
pub(crate) const METHOD: &str = "pipeline";

/// Experiments in a row.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// What to call it.
    pub name: String,
    /// What it is for, in a line.
    pub about: String,
    /// Where all that is random comes from.
    pub seed: u64,
    /// The keys that all stages have, and how the first begins.
    base: Table,
    /// The stages, at least one.
    stages: Vec<Stage>,
    /// Their experiments, where players of earlier ones are not known yet.
    drafts: Vec<Experiment>,
}

/// An experiment of a pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// What to call it.
    pub name: String,
    /// The earlier stage that it begins with, or a run of it; empty for the first stage.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// What is taken over from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub take: Option<Take>,
    /// What its champion is called as a player that it leaves as a file; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub player: String,
    /// Its keys, compared with those of all stages.
    #[serde(default)]
    pub set: Table,
}

impl Stage {
    /// The name of the stage that it begins with, and of the run, if one is meant.
    fn source(&self) -> (&str, &str) {
        self.from.split_once('/').unwrap_or((&self.from, ""))
    }
}

impl Pipeline {
    /// Its stages.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Its stages as experiments, with weights and settings in the middle of their ranges where those of earlier players are
    /// not known yet.
    pub fn drafts(&self) -> &[Experiment] {
        &self.drafts
    }

    /// Whether a stage has values of a player that is not known before it begins.
    fn has_unknown_values(&self, index: usize) -> bool {
        let stage = &self.stages[index];
        let take = stage.take.map(Take::as_str).or_else(|| self.base.get("take")?.as_str());
        let (name, _) = stage.source();
        let source = self.stages[..index].iter().position(|other| other.name == name);
        take == Some(Take::Player.as_str()) || source.is_some_and(|source| self.has_unknown_values(source))
    }

    /// What a stage begins with, as a part of a sentence.
    pub fn beginning(&self, index: usize) -> String {
        match &self.stages[index] {
            Stage { from, take, .. } if !from.is_empty() => {
                format!("the {} of {from}", take.unwrap_or_default().as_str())
            }
            _ => match self.base.get("from").and_then(Value::as_str).filter(|from| !from.is_empty()) {
                Some(from) => {
                    let take = self.base.get("take").and_then(Value::as_str);
                    format!("the {} of {from}", take.unwrap_or(Take::default().as_str()))
                }
                None => "a random population".to_owned(),
            },
        }
    }

    /// How many games it takes, if only generations end its stages.
    pub fn planned_games(&self) -> u64 {
        self.drafts.iter().map(Experiment::planned_games).fold(0, u64::saturating_add)
    }

    /// The file of a stage in the pipeline of this name, in which the values that it keeps of an earlier one are still missing.
    ///
    /// The first stage has the seed of the pipeline, the others seeds of their own.
    pub(crate) fn stage_table(&self, index: usize, id: &str) -> Table {
        let stage = &self.stages[index];
        let mut table = self.base.clone();
        let mut own = Table::new();
        own.insert("name".to_owned(), format!("{}-{}", self.name, stage.name).into());
        let about =
            format!("stage {} of {}: begins with {}", index + 1, self.stages.len(), self.beginning(index));
        own.insert("about".to_owned(), about.into());
        let mut seed = self.seed as i64;
        if index > 0 {
            seed = (Rng::new(self.seed).fork(&format!("stage {}", stage.name)).next_u64() >> 32) as i64;
            own.insert("from".to_owned(), format!("{id}/{}", stage.from).into());
            own.insert("take".to_owned(), stage.take.unwrap_or_default().as_str().into());
        }
        own.insert("seed".to_owned(), seed.into());
        if stage.set.contains_key("model") {
            // Ranges are those of a model.
            table.remove("weights");
        }
        merge(&mut table, &own);
        merge(&mut table, &stage.set);
        table
    }

    /// Reads all stages as far as that can be done before the first is run. Contents of files take the place of their names.
    fn make_drafts(&mut self) -> Result<(), ExperimentError> {
        for index in 0..self.stages.len() {
            let draft = self.draft(index).map_err(|error| self.of_stage(index, error))?;
            let contents = draft.method.contents();
            let set = &mut self.stages[index].set;
            let mut shared = contents.clone();
            remove_leaves(&mut shared, set);
            include(&mut self.base, &shared);
            include(set, &contents);
            self.drafts.push(draft);
        }
        Ok(())
    }

    /// The experiment of a stage, with numbers in the middle of their ranges for those of a player.
    fn draft(&self, index: usize) -> Result<Experiment, ExperimentError> {
        let mut table = self.stage_table(index, &self.name);
        if index == 0 {
            if table.get("take").and_then(Value::as_str) == Some(Take::Player.as_str()) {
                // Whose player it is the lab knows.
                table.remove("from");
                table.remove("take");
            }
            return Experiment::from_stored(&table).map_err(|error| with_model_hint(&self.base, error));
        }
        let stage = &self.stages[index];
        let (name, run) = stage.source();
        let earlier = self.stages[..index].iter().position(|other| other.name == name);
        let Some(source) = earlier.map(|earlier| &self.drafts[earlier]) else {
            let known = self.stages[..index].iter().map(|other| other.name.as_str());
            let names: Vec<&str> = known.clone().collect();
            let reason = format!(
                "{name:?}: no stage before this one has that name, but {}{}",
                names.join(", "),
                suggest(name, known)
            );
            return Err(ExperimentError::value("from", reason));
        };
        if !run.is_empty() && !source.is_study() {
            let reason = format!("{:?}: stage {name} has one run only; leave out {run:?}", stage.from);
            return Err(ExperimentError::value("from", reason));
        }
        let place = if run.is_empty() { Some(Place::Whole) } else { Place::find(source, run) };
        let Some(place) = place else {
            let reason = format!("{:?}: stage {name} has no arm or run {run:?}", stage.from);
            return Err(ExperimentError::value("from", reason));
        };
        let variant = match place {
            Place::Whole => source.clone(),
            Place::Arm(arm) | Place::Run(arm, _) => arms(source).swap_remove(arm),
        };
        let take = stage.take.unwrap_or_default();
        if take != Take::Population
            && place == Place::Whole
            && let Some(arm) = source.head.arms.first()
            && !arms(source).iter().all(|arm| is_same_space(source, arm))
        {
            let reason = format!(
                "{name:?}: the arms of the stage seek different things, and so have no mean; name one of them, as in \
                 \"{name}/{}\"",
                arm.name
            );
            return Err(ExperimentError::value("from", reason));
        }
        if take == Take::Player {
            let space = variant.method.space()?;
            let middle = space.at(&vec![0.5; space.names().len()]);
            return Experiment::from_stored(&with_player(&table, &stage.from, &variant, &middle)?);
        }
        if take == Take::Population && source.is_study() && !matches!(place, Place::Run(..)) {
            let example = crate::study::run_path(source, 0, 0);
            let reason = format!(
                "{:?}: the stage is a study of several runs; name one of them, as in \"{name}/{example}\", or take = \
                 \"champions\"",
                stage.from
            );
            return Err(ExperimentError::value("from", reason));
        }
        let own = Experiment::from_stored(&table)?;
        let draft = Experiment::from_stored(&with_kept_values(&table, &own, &variant))?;
        for own in arms(&draft) {
            if !is_same_space(&variant, &own) {
                let reason = format!(
                    "{:?}: stage {name} seeks {}, and this one {}; take = \"player\" keeps the values of that stage and seeks \
                     others",
                    take.as_str(),
                    sought(&variant),
                    sought(&own)
                );
                return Err(ExperimentError::value("take", reason));
            }
        }
        Ok(draft)
    }

    /// An error in the file of a stage, by the key of the pipeline's file.
    fn of_stage(&self, index: usize, error: ExperimentError) -> ExperimentError {
        let stage = &self.stages[index];
        let place = format!("stages.{}", stage.name);
        let (ExperimentError::Value { key, .. } | ExperimentError::UnknownKey { key, .. }) = &error else {
            return error;
        };
        let first = key.split('.').next().unwrap_or_default();
        if stage.set.contains_key(first) {
            return error.inside(&format!("{place}.set"));
        }
        if index > 0 && ["from", "take"].contains(&first) {
            return error.inside(&place);
        }
        match error {
            ExperimentError::UnknownKey { key, .. } => {
                let reason = format!(
                    "stage {} has no such key; give it to the stages that have, in their set",
                    stage.name
                );
                ExperimentError::value(&key, reason)
            }
            ExperimentError::Value { key, reason } => {
                ExperimentError::value(&key, format!("{reason} (in stage {})", stage.name))
            }
            other => other,
        }
    }
}

/// What an experiment seeks, in a few words.
fn sought(experiment: &Experiment) -> String {
    const MOST: usize = 4;
    let genes = experiment.genes();
    let names = genes.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if genes.len() > MOST { format!(" and {} more", genes.len() - MOST) } else { String::new() };
    let model = experiment.method.breed().map_or_else(String::new, |breed| format!(" of {}", breed.model));
    format!("{names}{more}{model}")
}
