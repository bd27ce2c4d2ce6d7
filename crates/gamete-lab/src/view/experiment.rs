use serde::Serialize;

use super::{ArmView, BaselineView, EngineView, PlayersView, RunView, ScreeningView, TuningView};
use crate::experiment::Budget;
use crate::model_slice::ModelLandscape;
use crate::run::Conclusion;
use crate::signature::split_engines;

/// All there is of an experiment but its individuals and games, which are asked for one by one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExperimentView {
    /// Its name in the lab.
    pub id: String,
    /// Its own name, that of its file.
    pub name: String,
    /// How it is done.
    pub method: String,
    /// What it is for.
    pub about: String,
    /// Its seed.
    pub seed: u64,
    /// What the engine was that played.
    pub signature: String,
    /// When it was begun, in seconds since 1970.
    pub created: u64,
    /// How long it has run, all sessions together.
    pub seconds: f64,
    /// Its file, with every default in it.
    pub file: String,
    /// The command that runs the same experiment, where it takes no file.
    pub command: Option<String>,
    /// The settings of its method that say most, with their names.
    pub facts: Vec<(String, String)>,
    /// When a run is over.
    pub budget: Budget,
    /// Pairs of games that the champions of every two arms play.
    pub playoff_pairs: u32,
    /// How often each arm is run.
    pub replicates: u32,
    /// Whether several runs belong to it.
    pub is_study: bool,
    /// Whether it has variants, which have names.
    pub has_arms: bool,
    /// What the champion of a run is, in words.
    pub answer: String,
    /// What its players have in common; nothing where genomes are no players.
    pub players: Option<PlayersView>,
    /// The champion as a UCI engine with options, if it is one.
    pub engine: Option<EngineView>,
    /// What values came to that were sought from a start, if that is what it is.
    pub tuning: Option<TuningView>,
    /// What a step of each parameter is worth, if it is there to find that out.
    pub screening: Option<ScreeningView>,
    /// The method of the experiment whose settings are sought, if it is that.
    pub inner_method: Option<String>,
    /// How the players of that experiment differ from those of the preset of its method, as `--set` takes it.
    pub inner_changes: Vec<String>,
    /// The names of the genes of its own space; arms may have others.
    pub genes: Vec<String>,
    /// Its variants, at least one.
    pub arms: Vec<ArmView>,
    /// What came out, if it is finished.
    pub conclusion: Option<Conclusion>,
    /// What the model of a tune that is not finished had found when that was stored last, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landscape: Option<ModelLandscape>,
    /// Its champions against their baselines, as far as that is played.
    pub verification: Vec<BaselineView>,
}

impl ExperimentView {
    /// Its signature as people read it, without the contents of the programs that it plays with.
    pub fn short_signature(&self) -> &str {
        split_engines(&self.signature).0
    }

    /// All runs of all arms.
    pub fn runs(&self) -> impl Iterator<Item = &RunView> {
        self.arms.iter().flat_map(|arm| &arm.runs)
    }

    /// What to call an arm: its name, or that of the experiment where it has none.
    pub fn title<'a>(&'a self, arm: &'a ArmView) -> &'a str {
        if arm.name.is_empty() { &self.name } else { &arm.name }
    }

    /// The only run of an experiment that is no study, with its arm.
    pub fn single(&self) -> Option<(&ArmView, &RunView)> {
        let arm = self.arms.first().filter(|_| !self.is_study)?;
        Some((arm, arm.runs.first()?))
    }
}
