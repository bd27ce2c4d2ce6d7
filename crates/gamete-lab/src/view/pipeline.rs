use serde::Serialize;

use super::{BaselineView, ExperimentResult, ExperimentView, Export, LabView, RunView, ViewError};
use crate::measure::Measure;
use crate::run::Conclusion;
use crate::store::{ExperimentRow, GameRecord};

/// All there is of a pipeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PipelineView {
    /// Its name in the lab.
    pub id: String,
    /// Its own name, that of its file.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// Its seed.
    pub seed: u64,
    /// When it was begun, in seconds since 1970.
    pub created: u64,
    /// How long it has run, all stages and sessions together.
    pub seconds: f64,
    /// Its file.
    pub file: String,
    /// The command that runs the same pipeline, where it takes no file.
    pub command: Option<String>,
    /// Its stages, in their order.
    pub stages: Vec<StageView>,
    /// What came out, if it is finished.
    pub conclusion: Option<Conclusion>,
}

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageView {
    /// Its own name.
    pub name: String,
    /// What it begins with, as a part of a sentence.
    pub beginning: String,
    /// How it is done.
    pub method: String,
    /// What its champion is called as a player that it leaves as a file; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub player: String,
    /// The experiment, if it has begun.
    pub experiment: Option<ExperimentView>,
}

/// What is called by a name: an experiment or a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub enum View {
    /// An experiment, or a stage of a pipeline.
    Experiment(Box<ExperimentView>),
    /// A pipeline.
    Pipeline(Box<PipelineView>),
}

impl From<ExperimentView> for View {
    fn from(view: ExperimentView) -> Self {
        Self::Experiment(Box::new(view))
    }
}

impl View {
    /// Its name in the lab.
    pub fn id(&self) -> &str {
        match self {
            Self::Experiment(view) => &view.id,
            Self::Pipeline(view) => &view.id,
        }
    }

    /// The fitness of its champion, where the method ranks; of a pipeline that of the last stage.
    pub fn fitness(&self) -> Option<f64> {
        self.single_run()?.fitness
    }

    fn single_run(&self) -> Option<&RunView> {
        let last = match self {
            Self::Experiment(view) => Some(view.as_ref()),
            Self::Pipeline(view) => view.last(),
        };
        last?.single().map(|(_, run)| run)
    }

    /// Numbers of the last generation beside fitness; of a pipeline those of the last stage, and nothing of a study.
    pub fn measures(&self) -> &[Measure] {
        self.single_run().map_or(&[], |run| &run.last().measures)
    }

    /// Its champions against their baselines; of a pipeline those of the last stage.
    pub fn verification(&self) -> &[BaselineView] {
        match self {
            Self::Experiment(view) => &view.verification,
            Self::Pipeline(view) => view.last().map_or(&[], |last| &last.verification),
        }
    }

    /// Commands to type next, each with what it is for; none before it is finished.
    pub fn next_commands(&self, lab: &str) -> Vec<(String, &'static str)> {
        match self {
            Self::Experiment(view) => view.next_commands(lab),
            Self::Pipeline(view) => view.next_commands(lab),
        }
    }
}

/// What came out of a pipeline, as `show --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PipelineResult {
    /// What came out as a whole; `method` is `pipeline`.
    #[serde(flatten)]
    pub whole: ExperimentResult,
    /// What came out of each stage that has begun.
    pub stages: Vec<ExperimentResult>,
}

/// Everything that a lab has of a pipeline, as `export --json` writes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PipelineExport {
    /// Its name in the lab.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Its seed.
    pub seed: u64,
    /// How long it has run, all stages and sessions together.
    pub seconds: f64,
    /// The digest of all stages, if it is finished.
    pub digest: Option<String>,
    /// Every stage that has begun.
    pub stages: Vec<Export>,
}

impl PipelineView {
    /// The experiments of the stages that have begun.
    pub fn experiments(&self) -> impl Iterator<Item = &ExperimentView> {
        self.stages.iter().filter_map(|stage| stage.experiment.as_ref())
    }

    /// The experiment of the last stage, if it has begun.
    pub fn last(&self) -> Option<&ExperimentView> {
        self.stages.last()?.experiment.as_ref()
    }

    /// Commands to type next, each with what it is for; none before it is finished.
    pub fn next_commands(&self, lab: &str) -> Vec<(String, &'static str)> {
        let mut commands = match (&self.conclusion, self.last()) {
            (Some(_), Some(last)) => last.next_commands(lab),
            _ => Vec::new(),
        };
        if let Some((report, _)) = commands.last_mut() {
            *report = format!("gamete report {}{lab}", self.id);
        }
        commands
    }

    /// What came out, without the generations.
    pub fn result(&self) -> PipelineResult {
        let found = self.conclusion.as_ref();
        let whole = ExperimentResult {
            id: self.id.clone(),
            method: crate::pipeline::METHOD.to_owned(),
            about: self.about.clone(),
            seed: self.seed,
            seconds: self.seconds,
            signature: String::new(),
            finished: found.is_some(),
            champion: found.map(|found| found.champion.iter().cloned().collect()),
            fitness: self.last().filter(|_| found.is_some()).and_then(|last| last.single()?.1.fitness),
            measures: self.last().map_or_else(Vec::new, |last| last.result().measures),
            digest: found.map(|found| found.digest.clone()),
            games: found.map(|found| found.games),
            tuning: None,
            verification: self.last().map_or_else(Vec::new, |last| last.verification.clone()),
            study: None,
        };
        PipelineResult { whole, stages: self.experiments().map(ExperimentView::result).collect() }
    }
}

impl LabView<'_> {
    /// What is called by this name.
    ///
    /// # Errors
    ///
    /// When there is nothing of that name, it is damaged, or the lab cannot be read.
    pub fn find(&self, id: &str) -> Result<View, ViewError> {
        let row = self.store.experiment(id)?;
        if row.is_pipeline() {
            return Ok(View::Pipeline(Box::new(self.pipeline(row)?)));
        }
        Ok(View::Experiment(Box::new(self.experiment(id)?)))
    }

    fn pipeline(&self, row: ExperimentRow) -> Result<PipelineView, ViewError> {
        let pipeline = row.pipeline()?;
        let mut stages = Vec::new();
        for (index, stage) in pipeline.stages().iter().enumerate() {
            let id = format!("{}/{}", row.id, stage.name);
            let experiment = match self.store.find(&id)? {
                Some(_) => Some(self.experiment(&id)?),
                None => None,
            };
            stages.push(StageView {
                name: stage.name.clone(),
                beginning: pipeline.beginning(index),
                method: pipeline.drafts()[index].head.method.clone(),
                player: stage.player.clone(),
                experiment,
            });
        }
        Ok(PipelineView {
            name: pipeline.name.clone(),
            command: pipeline.command().filter(|_| pipeline.text() == row.file),
            conclusion: row.conclusion()?,
            // That of the row is written down only after each stage.
            seconds: stages.iter().filter_map(|stage| Some(stage.experiment.as_ref()?.seconds)).sum(),
            stages,
            id: row.id,
            about: row.about,
            seed: row.seed,
            created: row.created,
            file: row.file,
        })
    }

    /// Everything there is of a pipeline.
    ///
    /// # Errors
    ///
    /// When the lab cannot be read.
    pub fn export_pipeline(&self, view: &PipelineView) -> Result<PipelineExport, ViewError> {
        Ok(PipelineExport {
            id: view.id.clone(),
            file: view.file.clone(),
            seed: view.seed,
            seconds: view.seconds,
            digest: view.conclusion.as_ref().map(|found| found.digest.clone()),
            stages: view.experiments().map(|stage| self.export(stage)).collect::<Result<_, _>>()?,
        })
    }

    /// All games of a pipeline that were kept, each with the path of its run, which begins with its stage.
    ///
    /// # Errors
    ///
    /// When the lab cannot be read.
    pub fn pipeline_games(&self, view: &PipelineView) -> Result<Vec<(String, GameRecord)>, ViewError> {
        let mut games = Vec::new();
        for stage in &view.stages {
            let Some(experiment) = &stage.experiment else { continue };
            for (run, game) in self.games(&experiment.id)? {
                let run = if run.is_empty() { stage.name.clone() } else { format!("{}/{run}", stage.name) };
                games.push((run, game));
            }
        }
        Ok(games)
    }
}
