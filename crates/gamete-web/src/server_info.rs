//! What kind of server this is.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use gamete_arena::{GameName, ModelInfo, dispatch};
use gamete_game::BoardGame;
use serde::Serialize;

use crate::app::App;
use crate::guard::may_change;
use crate::limits::Limits;

/// What kind of server this is, and what it has.
#[derive(Serialize)]
pub struct ServerInfo {
    version: &'static str,
    lab: String,
    token_required: bool,
    may_change: bool,
    games: Vec<GameInfo>,
    limits: Limits,
    has_grid: bool,
}

#[derive(Serialize)]
struct GameInfo {
    name: GameName,
    file_ending: &'static str,
    move_examples: &'static str,
    default_model: &'static str,
    starter: gamete_game::Color,
    start_fen: String,
}

impl GameInfo {
    fn new(game: GameName) -> Self {
        Self {
            name: game,
            file_ending: game.file_ending(),
            move_examples: dispatch!(game, G => G::MOVE_EXAMPLES),
            default_model: ModelInfo::default_for(game).name,
            starter: game.starter(),
            start_fen: dispatch!(game, G => <G as gamete_game::Game>::start().to_string()),
        }
    }
}

/// `GET /api/server`.
pub async fn server(State(app): State<App>, headers: HeaderMap) -> Json<ServerInfo> {
    Json(ServerInfo {
        version: env!("CARGO_PKG_VERSION"),
        // Only its name: where it is on the machine is nobody's business.
        lab: app.lab.directory().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        token_required: app.token.is_some(),
        may_change: may_change(app.token.as_ref(), &headers),
        games: GameName::ALL.iter().map(|&game| GameInfo::new(game)).collect(),
        limits: app.limits,
        has_grid: app.grid.is_some(),
    })
}
