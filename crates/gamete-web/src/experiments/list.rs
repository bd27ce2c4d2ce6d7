use axum::Json as Answer;
use axum::extract::State;
use gamete_arena::GameName;
use gamete_lab::{ExperimentSummary, LabView, Store};
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::error::ApiError;
use crate::numbers::json;
use crate::watch::Live;

/// An experiment in a line of the list.
#[derive(Debug, Serialize)]
pub struct Summary {
    #[serde(flatten)]
    stored: Value,
    is_pipeline: bool,
    is_study: bool,
    is_tune: bool,
    game: Option<GameName>,
    model: Option<String>,
    live: Option<Live>,
    /// What is wrong with what is stored, if anything is.
    error: Option<String>,
}

#[derive(Serialize)]
pub struct Summaries {
    experiments: Vec<Summary>,
}

/// An experiment in a line. One that is damaged has a line, too.
///
/// # Errors
///
/// When the lab cannot be read.
pub fn summary(app: &App, store: &Store, lab: LabView<'_>, id: &str) -> Result<Summary, ApiError> {
    let row = store.experiment(id)?;
    let live = app.watch.live(app, store, id)?;
    let experiment = row.experiment().ok();
    let breed = experiment.as_ref().and_then(|experiment| experiment.method.breed());
    let (stored, error) = match lab.summary_of(id) {
        Ok(found) => (stored(app, store, &found)?, None),
        Err(error) => (
            serde_json::json!({
                "id": row.id, "method": row.method, "about": row.about, "seed": row.seed, "created": row.created,
                "seconds": row.seconds, "finished": row.result.is_some(), "state": "damaged", "games": 0, "set": [],
                "verification": [],
            }),
            Some(error.to_string()),
        ),
    };
    Ok(Summary {
        stored,
        is_pipeline: row.is_pipeline(),
        is_study: experiment.as_ref().is_some_and(gamete_lab::Experiment::is_study),
        is_tune: experiment.as_ref().is_some_and(|experiment| experiment.method.has_start_values()),
        game: breed.map(|breed| breed.model().game),
        model: breed.map(|breed| breed.model.clone()),
        live: Some(live),
        error,
    })
}

/// What the lab has of it, with what happens to each stage.
fn stored(app: &App, store: &Store, summary: &ExperimentSummary) -> Result<Value, ApiError> {
    let mut found = serde_json::to_value(summary).expect("plain data");
    let lines = found.get_mut("stages").and_then(Value::as_array_mut).into_iter().flatten();
    for (line, stage) in lines.zip(&summary.stages) {
        line["live"] = json(&app.watch.live(app, store, &stage.id)?);
    }
    Ok(found)
}

/// All experiments, the oldest first; stages are in their pipelines.
pub fn summaries(app: &App, store: &Store) -> Result<Summaries, ApiError> {
    let lab = LabView::new(store);
    let ids = store.pulses()?.into_iter().map(|pulse| pulse.id).filter(|id| !id.contains('/'));
    let experiments = ids.map(|id| summary(app, store, lab, &id)).collect::<Result<_, _>>()?;
    Ok(Summaries { experiments })
}

/// `GET /api/experiments`.
pub async fn list(State(app): State<App>) -> Result<Answer<Summaries>, ApiError> {
    app.read(|app, store| summaries(app, store).map(Answer)).await
}
