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
    stream(&app, now, |topic| *topic == Topic::Lists).await
}

/// `GET /api/experiments/{id}/events`.
pub async fn events(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let (own, name) = (app.clone(), id.clone());
    let now = move || {
        let (app, id) = (own.clone(), name.clone());
        async move {
            app.read(move |app, store| {
                let (live, seconds) = (app.watch.live(app, store, &id)?, store.experiment(&id)?.seconds);
                let state = json!({ "id": id, "live": live, "seconds": seconds });
                Ok(vec![News::new(Topic::Experiment(id), "state", &state)])
            })
            .await
        }
    };
    let inside = format!("{id}/");
    // A pipeline changes with its stages.
    let about = move |topic: &Topic| match topic {
        Topic::Experiment(other) => *other == id || other.starts_with(&inside),
        _ => false,
    };
    stream(&app, now, about).await
}
