//! Experiments: the list, one of them, its generations and individuals, and what makes it run.

mod control;
mod details;
mod events;
mod family;
mod generations;
mod list;
mod squares;

pub use control::{check, pause, resume, start, stop};
pub use details::{file, one, player, report};
pub use events::{events, list_events};
pub use family::family;
pub use generations::{generations, population};
pub use list::{list, summary};

use gamete_lab::{RunRow, Store};

use crate::error::ApiError;

/// The run of an experiment with this path; empty for the only one.
fn find_run(store: &Store, id: &str, path: &str) -> Result<RunRow, ApiError> {
    let row = store.experiment(id)?;
    if row.is_pipeline() {
        let stage = row
            .pipeline()
            .ok()
            .and_then(|pipeline| pipeline.stages().first().map(|stage| stage.name.clone()));
        let stage = stage.unwrap_or_default();
        return Err(ApiError::invalid(format!(
            "{id} is a pipeline; name one of its stages, as in {id}/{stage}"
        )));
    }
    let runs = store.runs(id)?;
    runs.into_iter().find(|run| run.path == path).ok_or_else(|| {
        let path: String = path.chars().take(80).collect();
        ApiError::not_found(format!("{id} has no run {path:?} with a generation"))
    })
}

/// The name by which individuals of a run can be made to play, without a generation.
fn player_name(id: &str, run: &str) -> String {
    if run.is_empty() { id.to_owned() } else { format!("{id}/{run}") }
}
