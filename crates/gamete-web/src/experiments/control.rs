//! Starting experiments from presets, and stopping them.

use std::collections::BTreeMap;

use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gamete_lab::{Experiment, Plan, Playoff, Store, check_from};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Json, Names};
use crate::presets::changes;
use crate::runs::{RunStatus, RunTerms};
use crate::watch::{Live, owner};

/// An experiment to be started.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewExperiment {
    preset: String,
    #[serde(default)]
    set: BTreeMap<String, Value>,
    seed: Option<u64>,
    threads: Option<usize>,
    verify: Option<u64>,
    /// Whether workers of the grid play the games.
    #[serde(default)]
    grid: bool,
}

impl NewExperiment {
    fn plan(&self) -> Result<(Plan, String), ApiError> {
        let changes = changes(&self.preset, &self.set)?;
        let (plan, id) = Plan::load(&self.preset, &changes, self.seed)?;
        if !plan.engines().is_empty() {
            return Err(ApiError::invalid("experiments with other programs are started at the command line"));
        }
        Ok((plan, id))
    }

    fn terms(&self, app: &App) -> Result<RunTerms, ApiError> {
        let most = app.limits.threads;
        let threads = self.threads.unwrap_or(most);
        if threads == 0 || threads > most {
            return Err(ApiError::invalid(format!("threads: {threads}: give a number from 1 to {most}"))
                .about("threads"));
        }
        if self.verify.is_some_and(|pairs| pairs > Playoff::MAX_PAIRS as u64) {
            return Err(ApiError::invalid(format!("verify: give at most {} pairs", Playoff::MAX_PAIRS))
                .about("verify"));
        }
        if self.grid && app.grid.is_none() {
            return Err(ApiError::invalid("grid: this server knows none; start it with --grid nats://HOST")
                .about("grid"));
        }
        Ok(RunTerms { threads, on_grid: self.grid, verify: self.verify })
    }
}

/// What would be started, or why nothing would be.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Checked {
    Right { id: String, exists: bool, file: String, planned_games: u64, warnings: Vec<String> },
    Wrong(ApiError),
}

/// `POST /api/experiments/check`. That a form is wrong is what was asked for; browsers log other answers than 200 as errors.
pub async fn check(
    State(app): State<App>,
    Json(wanted): Json<NewExperiment>,
) -> Result<Answer<Checked>, ApiError> {
    let checked = app.read(move |app, store| checked(app, store, &wanted)).await;
    match checked {
        Err(error) if error.is_invalid() => Ok(Answer(Checked::Wrong(error))),
        checked => checked.map(Answer),
    }
}

fn checked(app: &App, store: &Store, wanted: &NewExperiment) -> Result<Checked, ApiError> {
    wanted.terms(app)?;
    let (plan, id) = wanted.plan()?;
    let mut warnings: Vec<String> = plan.experiments().iter().flat_map(Experiment::warnings).collect();
    warnings.dedup();
    let planned_games = plan.experiments().iter().map(Experiment::planned_games).fold(0, u64::saturating_add);
    if let Plan::Experiment(experiment) = &plan {
        check_from(store, experiment).map_err(|error| ApiError::from(error).of_form())?;
    }
    let exists = store.find(&id)?.is_some();
    Ok(Checked::Right { id, exists, file: plan.annotated_text(), planned_games, warnings })
}

#[derive(Serialize)]
pub struct Started {
    id: String,
    live: Live,
}

/// `POST /api/experiments`.
pub async fn start(State(app): State<App>, Json(wanted): Json<NewExperiment>) -> Result<Response, ApiError> {
    let started = app
        .read(move |app, store| {
            let terms = wanted.terms(app)?;
            let (plan, id) = wanted.plan()?;
            app.runs.start(app, &id, plan, terms)?;
            let live = await_begin(app, store, &id)?;
            Ok(Started { id, live })
        })
        .await?;
    Ok((StatusCode::CREATED, Answer(started)).into_response())
}

/// Waits until the lab has an experiment that was just started, or says why it never will.
fn await_begin(app: &App, store: &Store, id: &str) -> Result<Live, ApiError> {
    loop {
        if store.find(id)?.is_some() {
            return app.watch.live(app, store, id);
        }
        match app.runs.now(id) {
            Some(now) if !now.status.is_active() => {
                let error = now.error.unwrap_or_else(|| ApiError::invalid("it ended before it began"));
                return Err(error.of_form());
            }
            _ => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    }
}

#[derive(Serialize)]
pub struct Changed {
    live: Live,
}

/// `POST /api/experiments/{id}/pause`.
pub async fn pause(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<Changed>, ApiError> {
    halt(app, id, RunStatus::Pausing).await
}

/// `POST /api/experiments/{id}/stop`.
pub async fn stop(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<Changed>, ApiError> {
    halt(app, id, RunStatus::Stopping).await
}

async fn halt(app: App, id: String, status: RunStatus) -> Result<Answer<Changed>, ApiError> {
    app.read(move |app, store| {
        store.experiment(&id)?;
        app.runs.halt(owner(&id), status)?;
        Ok(Answer(Changed { live: app.watch.live(app, store, &id)? }))
    })
    .await
}

/// `POST /api/experiments/{id}/resume`.
pub async fn resume(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<Changed>, ApiError> {
    app.read(move |app, store| {
        store.experiment(&id)?;
        let owner = owner(&id);
        let row = store.experiment(owner)?;
        let plan = match row.is_pipeline() {
            true => row.pipeline().map(Plan::Pipeline),
            false => row.experiment().map(Plan::Experiment),
        };
        let plan = plan.map_err(ApiError::unavailable)?;
        if !plan.engines().is_empty() {
            let command = command(&plan);
            return Err(ApiError::invalid(format!(
                "{owner} plays with other programs, which this server does not start; resume it where it was started, with `{command}`"
            )));
        }
        let usual = || RunTerms { threads: app.limits.threads, on_grid: false, verify: None };
        app.runs.start(app, owner, plan, app.runs.terms(owner).unwrap_or_else(usual))?;
        Ok(Answer(Changed { live: app.watch.live(app, store, &id)? }))
    })
    .await
}

/// The command that resumes it, as far as the lab knows it.
fn command(plan: &Plan) -> String {
    let Plan::Experiment(experiment) = plan else { return "gamete evolve …".to_owned() };
    let command = if experiment.method.has_start_values() { "gamete tune …" } else { "gamete evolve …" };
    experiment.command().unwrap_or_else(|| command.to_owned())
}
