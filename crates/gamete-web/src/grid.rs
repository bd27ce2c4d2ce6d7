//! The grid, if there is one: who works, and what there is to do.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json as Answer;
use axum::extract::State;
use gamete_grid::GridStatus;
use serde::Serialize;

use crate::app::App;
use crate::error::ApiError;

/// How long workers are waited for.
const PATIENCE: Duration = Duration::from_millis(800);

/// How long an answer holds, however many ask.
const FRESH: Duration = Duration::from_secs(2);

/// What a broker says.
#[derive(Debug, Clone, Serialize)]
pub struct GridView {
    url: Option<String>,
    status: Option<GridStatus>,
    error: Option<String>,
}

static LAST: Mutex<Option<(Instant, GridView)>> = Mutex::new(None);

/// `GET /api/grid`.
pub async fn grid(State(app): State<App>) -> Result<Answer<GridView>, ApiError> {
    app.blocking(|app| {
        let Some(access) = &app.grid else {
            return Ok(Answer(GridView { url: None, status: None, error: None }));
        };
        // One asks at a time, and the others take its answer.
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = last.as_ref().filter(|(when, _)| when.elapsed() < FRESH) {
            return Ok(Answer(view.clone()));
        }
        let (status, error) = match GridStatus::ask(access, PATIENCE) {
            Ok(status) => (Some(status), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let view = GridView { url: Some(access.shown()), status, error };
        *last = Some((Instant::now(), view.clone()));
        Ok(Answer(view))
    })
    .await
}
