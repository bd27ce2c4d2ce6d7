//! The grid, if there is one: who works, and what there is to do.

use std::sync::{Mutex, PoisonError, TryLockError};
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

/// Who asks. The others take the last answer rather than wait.
static ASKING: Mutex<()> = Mutex::new(());

static LAST: Mutex<Option<(Instant, GridView)>> = Mutex::new(None);

/// `GET /api/grid`.
pub async fn grid(State(app): State<App>) -> Result<Answer<GridView>, ApiError> {
    app.blocking(|app| {
        let Some(access) = &app.grid else {
            return Ok(Answer(GridView { url: None, status: None, error: None }));
        };
        let asking = match ASKING.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Ok(asking) => Some(asking),
        };
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_enough = |when: &Instant| asking.is_none() || when.elapsed() < FRESH;
        if let Some((_, view)) = last.filter(|(when, _)| is_enough(when)) {
            return Ok(Answer(view));
        }
        if asking.is_none() {
            return Ok(Answer(GridView { url: Some(access.shown()), status: None, error: None }));
        }
        let (status, error) = match GridStatus::ask(access, PATIENCE) {
            Ok(status) => (Some(status), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let view = GridView { url: Some(access.shown()), status, error };
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), view.clone()));
        Ok(Answer(view))
    })
    .await
}
