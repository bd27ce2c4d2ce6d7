//! Experiments that survive anything.
//!
//! An [`Experiment`] is a file; [`run`] runs it. Its method asks a [`Lab`] for games, and every game is in the [`Store`]
//! before the method hears of it. To resume after any interruption, the method is run again from the top: games that are
//! stored are handed back at once. No state of a method is ever saved, so none can be saved wrong.

mod beginning;
mod bred;
mod breed;
mod changes;
mod concern;
mod corpus_file;
mod cross_table;
mod earlier;
mod engines;
mod experiment;
mod expert_corpus;
mod generation;
mod held_out;
mod individual;
mod match_store;
mod match_tally;
mod measure;
mod methods;
mod model_slice;
mod objective;
mod paired_match;
mod params;
mod part;
mod phenotype;
mod pipeline;
mod plan;
pub mod presets;
mod run;
mod runtime;
mod signature;
mod start_values;
mod store;
mod stored;
mod study;
#[cfg(test)]
mod testing;
mod verification;
mod view;

pub use beginning::{Start, Take, check_from};
pub use bred::{Bred, BredError};
pub use breed::{Breed, WeightSource};
pub use changes::shell_word;
pub use concern::{Concern, ConcernKind};
pub use cross_table::CrossTable;
pub use earlier::{change, is_same_experiment, with_history};
pub use experiment::{Arm, Budget, Experiment, ExperimentError, Field, FieldKind, Head, Playoff, has_arms};
pub use gamete_corpus::{Differences, DifferencesBy, KindDifferences};
pub use generation::{Generation, MatchCounts, convergence, mean};
pub use held_out::HeldOut;
pub use individual::Individual;
pub use match_store::{MatchStore, StoredMatch};
pub use match_tally::{MatchTally, OpeningTally, OpponentTally};
pub use measure::{Measure, Reading, best_place};
pub use methods::{Answer, Finding, METHODS, Method, MethodInfo};
pub use model_slice::{ModelLandscape, ModelSlice};
pub use objective::{Candidate, OBJECTIVES, Objective, ObjectiveInfo};
pub use paired_match::{PairedMatch, play_pairs};
pub use params::{
    LineError, ParameterFile, ParameterFileError, ParameterFormat, TunedParameter, ValueText, value_texts,
};
pub use phenotype::Phenotype;
pub use pipeline::{Pipeline, Stage, run_pipeline};
pub use plan::Plan;
pub use run::{Conclusion, DATA_FOLDER, RunChampion, RunDifferences, Session, run};
pub use runtime::{Ask, GameResult, Lab, LabError, TaskAnswer, Ticket};
pub use store::{Claim, ExperimentRow, GameRecord, GenerationRow, Pulse, RunRow, Store, StoreError, Thinned};
pub use stored::Damaged;
pub use study::{ClassicalMatch, PlayoffMatch, RunFinding, arms, run_path};
pub use verification::{
    Baseline, BaselineMatch, Verdict, VerificationError, VerificationPlan, VerificationProgress,
    VerificationTerms, count_champions, usual_pairs, verify,
};
pub use view::{
    ArmView, BaselineView, ChampionResult, ClassicalResult, ContestantView, EngineView, Estimate, Event,
    ExperimentResult, ExperimentSummary, ExperimentView, Export, ExportedGeneration, ExportedResult,
    ExportedRun, HistoryPoint, LabView, MatchCommand, MatchExport, MatchGame, MatchScore, MatchState,
    MatchView, PipelineExport, PipelineResult, PipelineView, PlayersView, PlayoffResult, Progress, RankedArm,
    RankedBy, Ranking, Recommended, RunView, ScreenedParameter, ScreeningView, SprtView, SpsaOutlook,
    StageView, State, Stored, StudyResult, TerminationCount, TunedValue, TuningResult, TuningView, View,
    ViewError, WeightView, Worth, is_store_file, match_journals, player_identity, usual_optimizer,
};

/// Why an experiment was not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was run before with other settings.
    #[error(
        "{id} was begun with another experiment: {what}; give this one another name, or start over with \
         `gamete delete {}`",
        store::pipeline_of(id).unwrap_or(id)
    )]
    Changed {
        /// The experiment.
        id: String,
        /// What is different.
        what: String,
    },
    /// It is to begin with a population that it cannot have.
    #[error(
        "{place}: {from} is of another game, model or choice of weights; take = \"player\" keeps its values and seeks others"
    )]
    AnotherSpace {
        /// The key that says so.
        place: String,
        /// That experiment.
        from: String,
    },
    /// It is to begin with something that is not there.
    #[error("{place}: {from:?}: {reason}")]
    From {
        /// The key that says so.
        place: String,
        /// What was asked for.
        from: String,
        /// Why not.
        reason: String,
    },
    /// The population that it is to begin with is not the last one.
    #[error(
        "{place}: {from} is not finished, and so has neither a last population nor a champion; run it to its end first"
    )]
    Unfinished {
        /// The key that says so.
        place: String,
        /// That experiment.
        from: String,
    },
    /// There are many populations that it could begin with.
    #[error(
        "{place}: {from} is a study of several runs; name one of them, as in {example}, or take = \"champions\""
    )]
    FromStudy {
        /// The key that says so.
        place: String,
        /// That experiment.
        from: String,
        /// The first run there is.
        example: String,
    },
    /// The store does not work.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The method did not come to its end.
    #[error(transparent)]
    Lab(#[from] LabError),
}

impl RunError {
    /// The same error of a stage of a pipeline, from 0. What the first begins with is said outside of the stages.
    fn of_stage(self, index: usize, name: &str) -> Self {
        if index == 0 { self } else { self.inside(&format!("stages.{name}")) }
    }

    /// The same error of something inside.
    fn inside(mut self, outer: &str) -> Self {
        match &mut self {
            Self::AnotherSpace { place, .. }
            | Self::From { place, .. }
            | Self::Unfinished { place, .. }
            | Self::FromStudy { place, .. } => *place = format!("{outer}.{place}"),
            Self::Lab(LabError::Experiment(error)) => *error = error.clone().inside(outer),
            Self::Changed { .. } | Self::Store(_) | Self::Lab(_) => {}
        }
        self
    }
}
