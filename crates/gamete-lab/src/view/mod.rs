//! Experiments as data, for whoever shows them: terminal, report, export, dashboard.
//!
//! Everything here can be serialised and nothing is stored. A [`LabView`] reads it from the store, and [`Event`]s tell of an
//! experiment while it runs.

mod arm;
mod baseline;
mod engine;
mod event;
mod experiment;
mod export;
mod kept_game;
mod lab_view;
mod match_view;
mod next;
mod pipeline;
mod progress;
mod ranking;
mod result;
mod score;
mod screening;
mod summary;
#[cfg(test)]
mod tests;
mod tuning;

pub use arm::{ArmView, PlayersView, RunView, WeightView};
pub use baseline::BaselineView;
pub use engine::EngineView;
pub use event::Event;
pub use experiment::ExperimentView;
pub use export::{Export, ExportedGeneration, ExportedResult, ExportedRun};
pub use lab_view::{LabView, Stored, ViewError};
pub use match_view::{
    ContestantView, HistoryPoint, MatchCommand, MatchExport, MatchGame, MatchState, MatchView, SprtView,
    TerminationCount, is_store_file, match_journals, player_identity,
};
pub use pipeline::{PipelineExport, PipelineResult, PipelineView, StageView, View};
pub use progress::Progress;
pub use ranking::{Estimate, RankedArm, RankedBy, Ranking};
pub use result::{
    ChampionResult, ClassicalResult, ExperimentResult, PlayoffResult, StudyResult, TuningResult,
};
pub use score::MatchScore;
pub use screening::{ScreenedParameter, ScreeningView, SpsaOutlook, Worth, usual_optimizer};
pub use summary::{ExperimentSummary, State};
pub use tuning::{Recommended, TunedValue, TuningView};
