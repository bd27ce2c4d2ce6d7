use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::list::summaries;
use crate::app::App;
use crate::error::ApiError;
use crate::events::{News, Topic, stream};
use crate::extract::Names;

/// `GET /api/events`.
pub async fn list_events(State(app): State<App>) -> Result<Response, ApiError> {
    let own = app.clone();
    let now = move || {
        let app = own.clone();
        async move {
            let all = app.read(summaries).await?;
            let hello = json!({ "version": env!("CARGO_PKG_VERSION") });
            Ok(vec![News::new(Topic::Lists, "hello", &hello), News::new(Topic::Lists, "experiments", &all)])
        }
    };
    stream(&app, &Topic::Lists, now).await
}

/// `GET /api/experiments/{id}/events`.
pub async fn events(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let topic = Topic::Experiment(id.clone());
    let own = app.clone();
    let now = move || {
        let (app, id) = (own.clone(), id.clone());
        async move {
            app.read(move |app, store| {
                let state = app.watch.state(app, store, &id)?;
                Ok(vec![News::new(Topic::Experiment(id), "state", &state)])
            })
            .await
        }
    };
    stream(&app, &topic, now).await
}
