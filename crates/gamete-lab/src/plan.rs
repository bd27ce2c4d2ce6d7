//! What a file has run: an experiment or a pipeline.

use gamete_arena::uci::EngineCatalog;
use toml::Table;

use crate::RunError;
use crate::beginning::with_model_hint;
use crate::engines;
use crate::experiment::{Experiment, ExperimentError, changed, id_of, read_source};
use crate::objective::fill_in;
use crate::pipeline::Pipeline;
use crate::presets;
use crate::store::Store;

/// What a file has run.
#[derive(Debug, Clone)]
pub enum Plan {
    /// One experiment, or a study.
    Experiment(Experiment),
    /// Experiments in a row.
    Pipeline(Pipeline),
}

impl Plan {
    /// The plan of a file or preset, with keys changed as in `population=12`, and its name in a lab. The file is read once.
    ///
    /// # Errors
    ///
    /// When there is no such thing, or something is wrong with it.
    pub fn load(
        source: &str,
        changes: &[String],
        seed: Option<u64>,
    ) -> Result<(Self, String), ExperimentError> {
        let file = read_source(source)?;
        let table = changed(file.clone(), presets::text(source).is_some(), changes, seed)?;
        let plan = Self::from_table(&table)?;
        // A file may make sense only with what is changed in it.
        let unchanged = if table == file { None } else { Self::from_stored(&file).ok() };
        let ours = plan.table_by_name();
        let id = id_of(&ours, &unchanged.map_or_else(|| ours.clone(), |file| file.table_by_name()));
        Ok((plan, id))
    }

    /// The plan of the lab that a file or preset was before player files of its opponents went away, with its name there.
    pub fn load_from_lab(
        source: &str,
        changes: &[String],
        seed: Option<u64>,
        store: &Store,
    ) -> Option<(Self, String)> {
        let file = read_source(source).ok()?;
        let table = changed(file, presets::text(source).is_some(), changes, seed).ok()?;
        store.experiments().ok()?.into_iter().find_map(|row| {
            let stored = Self::from_stored(&row.file.parse().ok()?).ok()?;
            let mut table = table.clone();
            fill_in(&mut table, &stored.table());
            let is_same = Self::from_table(&table).is_ok_and(|same| same.table() == stored.table());
            is_same.then_some((stored, row.id))
        })
    }

    /// The plan of a table.
    ///
    /// # Errors
    ///
    /// When something is wrong with it.
    pub fn from_table(table: &Table) -> Result<Self, ExperimentError> {
        if table.contains_key("stages") {
            Ok(Self::Pipeline(Pipeline::from_table(table)?))
        } else {
            let experiment = Experiment::from_table(table);
            Ok(Self::Experiment(experiment.map_err(|error| with_model_hint(table, error))?))
        }
    }

    /// The plan of a table, whether or not it can be run to its end.
    fn from_stored(table: &Table) -> Result<Self, ExperimentError> {
        if table.contains_key("stages") {
            Ok(Self::Pipeline(Pipeline::from_stored(table)?))
        } else {
            Ok(Self::Experiment(Experiment::from_stored(table)?))
        }
    }

    /// The plan that a lab has under this name, if it has come to its end there.
    pub fn finished(store: &Store, id: &str) -> Option<Self> {
        let row = store.find(id).ok()?.filter(|row| row.result.is_some())?;
        Self::from_stored(&row.file.parse().ok()?).ok()
    }

    /// The plan as it is run and stored under `id`: an experiment that begins with another one has the values that it keeps of
    /// that one.
    ///
    /// # Errors
    ///
    /// When it begins with a player that is not there, or nothing is sought besides it.
    pub fn with_its_beginning(self, store: &Store, id: &str) -> Result<Self, RunError> {
        match self {
            Self::Experiment(experiment) => Ok(Self::Experiment(experiment.with_its_beginning(store, id)?)),
            Self::Pipeline(pipeline) => Ok(Self::Pipeline(pipeline)),
        }
    }

    /// The name of the experiment whose champion is the answer: of a pipeline the last stage.
    pub fn last_id(&self, id: &str) -> String {
        match self {
            Self::Pipeline(pipeline) => {
                let last = pipeline.stages().last().map_or("", |stage| stage.name.as_str());
                format!("{id}/{last}")
            }
            Self::Experiment(_) => id.to_owned(),
        }
    }

    /// What it is for, in a line.
    pub fn about(&self) -> &str {
        match self {
            Self::Experiment(experiment) => &experiment.head.about,
            Self::Pipeline(pipeline) => &pipeline.about,
        }
    }

    /// Where all that is random comes from.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Experiment(experiment) => experiment.head.seed,
            Self::Pipeline(pipeline) => pipeline.seed,
        }
    }

    /// The file with every default in it, and behind each key what it means.
    pub fn annotated_text(&self) -> String {
        match self {
            Self::Experiment(experiment) => experiment.annotated_text(),
            Self::Pipeline(pipeline) => pipeline.annotated_text(),
        }
    }

    /// The experiment, or those of its stages as far as they are known.
    pub fn experiments(&self) -> &[Experiment] {
        match self {
            Self::Experiment(experiment) => std::slice::from_ref(experiment),
            Self::Pipeline(pipeline) => pipeline.drafts(),
        }
    }

    /// The experiments with what `--set` has before a key of each: nothing, or its stage.
    pub fn places(&self) -> Vec<(String, &Experiment)> {
        match self {
            Self::Experiment(experiment) => vec![(String::new(), experiment)],
            Self::Pipeline(pipeline) => {
                let places = pipeline.stages().iter().map(|stage| format!("stages.{}.", stage.name));
                places.zip(pipeline.drafts()).collect()
            }
        }
    }

    /// The engines that its tasks name, for whoever plays its games.
    pub fn engines(&self) -> EngineCatalog {
        engines::catalog(self.experiments())
    }

    fn table(&self) -> Table {
        match self {
            Self::Experiment(experiment) => experiment.table(),
            Self::Pipeline(pipeline) => pipeline.table(),
        }
    }

    fn table_by_name(&self) -> Table {
        match self {
            Self::Experiment(experiment) => experiment.table(),
            Self::Pipeline(pipeline) => pipeline.table_by_name(),
        }
    }
}
