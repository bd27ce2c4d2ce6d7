//! All addresses. `openapi.rs` describes them, and a test compares the two.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};

use crate::app::App;
use crate::assets::asset;
use crate::error::ApiError;
use crate::guard::guard;
use crate::{
    analyse, experiments, grid, kept_games, matches, openapi, play, players, presets, ratings, server_info,
};

/// Every address of the API with what it does.
pub fn routes() -> Vec<(&'static str, MethodRouter<App>)> {
    vec![
        ("/api/server", get(server_info::server)),
        ("/api/events", get(experiments::list_events)),
        ("/api/openapi.json", get(openapi::openapi)),
        ("/api/experiments", get(experiments::list).post(experiments::start)),
        ("/api/experiments/check", post(experiments::check)),
        ("/api/experiments/{id}", get(experiments::one)),
        ("/api/experiments/{id}/events", get(experiments::events)),
        ("/api/experiments/{id}/generations", get(experiments::generations)),
        ("/api/experiments/{id}/population", get(experiments::population)),
        ("/api/experiments/{id}/family", get(experiments::family)),
        ("/api/experiments/{id}/file", get(experiments::file)),
        ("/api/experiments/{id}/report", get(experiments::report)),
        ("/api/experiments/{id}/player", get(experiments::player)),
        ("/api/experiments/{id}/pause", post(experiments::pause)),
        ("/api/experiments/{id}/resume", post(experiments::resume)),
        ("/api/experiments/{id}/stop", post(experiments::stop)),
        ("/api/experiments/{id}/games", get(kept_games::list)),
        ("/api/experiments/{id}/games/{number}", get(kept_games::one)),
        ("/api/experiments/{id}/games/{number}/text", get(kept_games::text)),
        ("/api/presets", get(presets::list)),
        ("/api/presets/{name}", get(presets::one)),
        ("/api/players", get(players::list)),
        ("/api/analyse", post(analyse::position)),
        ("/api/analyse/game", post(analyse::game)),
        ("/api/play", get(play::list).post(play::create)),
        ("/api/play/{id}", get(play::one).delete(play::delete)),
        ("/api/play/{id}/events", get(play::events)),
        ("/api/play/{id}/text", get(play::text)),
        ("/api/play/{id}/move", post(play::play_move)),
        ("/api/play/{id}/takeback", post(play::take_back)),
        ("/api/play/{id}/resign", post(play::resign)),
        ("/api/play/{id}/draw", post(play::draw)),
        ("/api/play/{id}/hint", post(play::hint)),
        ("/api/play/{id}/why", post(play::why)),
        ("/api/play/{id}/pause", post(play::pause)),
        ("/api/play/{id}/go", post(play::go)),
        ("/api/play/{id}/step", post(play::step)),
        ("/api/play/{id}/now", post(play::now)),
        ("/api/play/{id}/again", post(play::again)),
        ("/api/matches", get(matches::list)),
        ("/api/matches/{name}", get(matches::one)),
        ("/api/matches/{name}/events", get(matches::events)),
        ("/api/matches/{name}/games", get(matches::games)),
        ("/api/matches/{name}/games/{number}", get(matches::game)),
        ("/api/matches/{name}/games/{number}/text", get(matches::game_text)),
        ("/api/ratings", get(ratings::ratings)),
        ("/api/grid", get(grid::grid)),
    ]
}

/// The whole server without its socket.
pub fn router(app: App) -> Router {
    let mut router = Router::new();
    for (path, methods) in routes() {
        router = router.route(path, methods.fallback(|| async { ApiError::method() }));
    }
    router.fallback(asset).layer(from_fn_with_state(app.clone(), guard)).with_state(app)
}
