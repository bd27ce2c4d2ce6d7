//! All there is of an experiment but its generations.

use axum::Json as Answer;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use gamete_lab::{ArmView, Bred, ExperimentView, LabView, PipelineView, RunView, Store, View};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::player_name;
use super::squares::Squares;
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Names, Params};
use crate::game_text::plain;
use crate::numbers::json;
use crate::watch::Live;

/// An experiment or a pipeline.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Details {
    /// An experiment, or a stage of a pipeline.
    Experiment {
        /// What the lab has of it.
        experiment: Value,
        /// What happens to it.
        live: Live,
    },
    /// A pipeline.
    Pipeline {
        /// What the lab has of it.
        pipeline: Value,
        /// What happens to it.
        live: Live,
    },
}

/// What is known of a gene.
#[derive(Serialize)]
struct GeneInfo {
    name: String,
    about: String,
    min: Option<f64>,
    max: Option<f64>,
    classical: Option<f64>,
}

/// `GET /api/experiments/{id}`.
pub async fn one(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<Details>, ApiError> {
    app.read(move |app, store| {
        // The last generation of each run is enough here.
        let lab = LabView::new(store).thinned(2);
        let live = app.watch.live(app, store, &id)?;
        Ok(Answer(match lab.find(&id)? {
            View::Experiment(view) => Details::Experiment { experiment: experiment(store, &view)?, live },
            View::Pipeline(view) => Details::Pipeline { pipeline: pipeline(app, store, &view)?, live },
        }))
    })
    .await
}

fn pipeline(app: &App, store: &Store, view: &PipelineView) -> Result<Value, ApiError> {
    let mut found = object(view);
    let mut stages = Vec::new();
    for stage in &view.stages {
        let id = format!("{}/{}", view.id, stage.name);
        let mut entry = object(stage);
        let (details, live) = match &stage.experiment {
            Some(view) => (experiment(store, view)?, json(&app.watch.live(app, store, &id)?)),
            None => (Value::Null, Value::Null),
        };
        entry.insert("id".to_owned(), id.into());
        entry.insert("experiment".to_owned(), details);
        entry.insert("live".to_owned(), live);
        stages.push(Value::Object(entry));
    }
    found.insert("stages".to_owned(), stages.into());
    Ok(Value::Object(found))
}

fn experiment(store: &Store, view: &ExperimentView) -> Result<Value, ApiError> {
    let mut found = object(view);
    let arms: Vec<Value> = view.arms.iter().map(|arm| arm_value(view, arm)).collect();
    found.insert("arms".to_owned(), arms.into());
    let row = store.experiment(&view.id)?;
    found.insert("genes_info".to_owned(), json(&genes_info(view, row.experiment().ok().as_ref())));
    let squares = view.players.as_ref().and_then(Squares::of);
    found.insert("squares".to_owned(), json(&squares));
    let champion =
        view.conclusion.as_ref().and_then(|_| Bred::find(store, &view.id).ok()).map(|_| view.id.clone());
    found.insert("champion_player".to_owned(), json(&champion));
    Ok(Value::Object(found))
}

fn arm_value(view: &ExperimentView, arm: &ArmView) -> Value {
    let mut found = object(arm);
    let can_play = arm.players.is_some();
    let runs: Vec<Value> = arm.runs.iter().map(|run| run_value(view, run, can_play)).collect();
    found.insert("runs".to_owned(), runs.into());
    Value::Object(found)
}

fn run_value(view: &ExperimentView, run: &RunView, can_play: bool) -> Value {
    let mut found = object(run);
    found.remove("generations");
    let last = run.last();
    found.insert("generations_count".to_owned(), (u64::from(last.number) + 1).into());
    found.insert("last".to_owned(), json(last));
    let name = player_name(&view.id, &run.path);
    let name = if view.conclusion.is_some() { name } else { format!("{name}@{}", last.number) };
    found.insert("player".to_owned(), json(&can_play.then_some(name)));
    Value::Object(found)
}

/// Where genes lie at the start, and what they mean.
fn genes_info(view: &ExperimentView, experiment: Option<&gamete_lab::Experiment>) -> Vec<GeneInfo> {
    let space = experiment.and_then(|experiment| experiment.method.space().ok());
    let ranges = space.as_ref().map_or_else(Vec::new, gamete_optim::Space::ranges);
    let finite = |number: f64| Some(number).filter(|number| number.is_finite());
    let info = |(index, name): (usize, &String)| {
        let weight = view.players.as_ref().and_then(|players| players.weight(name));
        let [min, max] = ranges.get(index).map_or([None; 2], |range| range.map(finite));
        GeneInfo {
            name: name.clone(),
            about: weight.map_or_else(String::new, |weight| weight.about.clone()),
            min,
            max,
            classical: weight.map(|weight| weight.classical),
        }
    };
    view.genes.iter().enumerate().map(info).collect()
}

fn object(data: &impl Serialize) -> Map<String, Value> {
    match json(data) {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// `GET /api/experiments/{id}/file`.
pub async fn file(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    app.read(move |_, store| Ok(plain(LabView::new(store).thinned(2).stored(&id)?.file))).await
}

/// The page of a report has its style and script in itself.
const REPORT_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
                             base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts";

/// `GET /api/experiments/{id}/report`.
pub async fn report(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    app.read(move |_, store| {
        let lab = LabView::new(store);
        let page = match lab.find(&id)? {
            View::Experiment(view) => gamete_report::html(lab, *view)?,
            View::Pipeline(view) => gamete_report::pipeline_html(lab, *view)?,
        };
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_SECURITY_POLICY, REPORT_POLICY),
        ];
        Ok((headers, page).into_response())
    })
    .await
}

#[derive(Deserialize)]
pub struct Wanted {
    of: Option<String>,
}

/// `GET /api/experiments/{id}/player`.
pub async fn player(
    State(app): State<App>,
    Names(id): Names<String>,
    Params(wanted): Params<Wanted>,
) -> Result<Response, ApiError> {
    app.read(move |_, store| {
        let name = wanted.of.unwrap_or_else(|| id.clone());
        let is_own = name
            .strip_prefix(id.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '/']));
        if !is_own {
            return Err(ApiError::invalid(format!("{name:?} is not of {id}")).about("of"));
        }
        Ok(plain(Bred::find(store, &name)?.player.to_string()))
    })
    .await
}
