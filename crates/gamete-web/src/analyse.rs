//! What a player thinks of positions: its best move, and what it evaluates them by.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::Json as Answer;
use axum::extract::State;
use gamete_arena::{GameName, Playable, Player, dispatch, line_text};
use gamete_engine::Limit;
use gamete_game::Line;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::board::{LegalMove, ScoreView, legal_move, of_white};
use crate::error::ApiError;
use crate::extract::Json;
use crate::limits::Limits;
use crate::play::thinker;
use crate::players::find_player;

/// The most that an analysis of a position takes.
const MOST_TIME: Duration = Duration::from_secs(5);

/// Positions that a player visits if nothing is said.
const USUAL_NODES: u64 = 20_000;

/// The most that the scores of a whole game take.
const MOST_TIME_OF_GAME: Duration = Duration::from_secs(30);

/// What a search has found.
#[derive(Debug, Serialize)]
pub struct Found {
    #[serde(rename = "move")]
    best: Option<LegalMove>,
    line: Vec<String>,
    /// Of the side to move.
    score: ScoreView,
    /// As White sees it.
    white_score: ScoreView,
    depth: u32,
    nodes: u64,
    player: String,
}

/// What a player evaluates a position by.
#[derive(Debug, Serialize)]
pub struct Why {
    /// As White sees it.
    score: ScoreView,
    terms: Vec<Term>,
    player: String,
    fen: String,
}

/// A part of an evaluation, for White.
#[derive(Debug, Serialize)]
struct Term {
    name: &'static str,
    about: &'static str,
    white_minus_black: f64,
    weight: f64,
    value: f64,
}

/// The best move of a player at the end of a line.
///
/// # Errors
///
/// When it plays another game.
pub fn search<G: Playable>(line: &Line<G>, player: &Player, limit: &Limit) -> Result<Found, ApiError> {
    let mut engine = G::engine(player, Limits::HASH_BYTES).map_err(ApiError::invalid)?;
    engine.new_game(0);
    let found = engine.search(line, limit, &AtomicBool::new(false), None, &mut |_| {});
    let position = line.position();
    Ok(Found {
        best: found.best.map(|mv| legal_move(position, mv)),
        line: line_text(position, &found.pv),
        score: found.score.into(),
        white_score: of_white(found.score, position.turn()).into(),
        depth: found.depth,
        nodes: found.nodes,
        player: player.name.clone(),
    })
}

/// What a player evaluates a position by, the largest part first.
///
/// # Errors
///
/// When it plays another game.
pub fn why<G: Playable>(position: &G, player: &Player) -> Result<Why, ApiError> {
    let engine = G::engine(player, 0).map_err(ApiError::invalid)?;
    let evaluation = engine.evaluate(position);
    let weights = player.model().weights;
    let mut terms: Vec<Term> = evaluation
        .terms
        .iter()
        .filter(|term| term.count != 0.0)
        .map(|term| Term {
            name: term.name,
            about: weights.iter().find(|weight| weight.name == term.name).map_or("", |weight| weight.about),
            white_minus_black: term.count,
            weight: player.weight(term.name).unwrap_or(0.0),
            value: term.millipawns / 1000.0,
        })
        .collect();
    terms.sort_by(|one, other| other.value.abs().total_cmp(&one.value.abs()));
    Ok(Why {
        score: of_white(evaluation.score, position.turn()).into(),
        terms,
        player: player.name.clone(),
        fen: position.to_string(),
    })
}

/// A position to be looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionBody {
    game: GameName,
    fen: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    player: Option<String>,
    nodes: Option<u64>,
    movetime_ms: Option<u64>,
}

#[derive(Serialize)]
pub struct Analysis {
    #[serde(flatten)]
    found: Found,
    #[serde(rename = "static")]
    at_rest: ScoreView,
    terms: Vec<Term>,
}

/// The line of a start position and moves.
fn line<G: Playable>(fen: Option<&str>, moves: &[String]) -> Result<Line<G>, ApiError> {
    let start = match fen {
        None => G::start(),
        Some(fen) => fen.parse().map_err(|error| ApiError::invalid(format!("fen: {error}")).about("fen"))?,
    };
    if moves.len() > Limits::PLIES {
        return Err(
            ApiError::invalid(format!("a game has at most {} plies here", Limits::PLIES)).about("moves")
        );
    }
    let mut line = Line::new(start);
    for (index, text) in moves.iter().enumerate() {
        let mv = line.position().parse_move(text);
        let mv = mv.map_err(|error| {
            ApiError::invalid(format!("moves: {error} at {}: {text:?}", index + 1)).about("moves")
        })?;
        line.play(mv);
    }
    Ok(line)
}

fn player(app: &App, game: GameName, name: Option<&str>) -> Result<Player, ApiError> {
    let Some(name) = name else { return Ok(Player::new(gamete_arena::ModelInfo::default_for(game))) };
    let found = app.lab.with(|store| find_player(app.lab.directory(), store, name));
    let found = found.map_err(|error| error.about("player"))?;
    let plays = found.model().game;
    match plays == game {
        true => Ok(found),
        false => Err(ApiError::invalid(format!("{name} plays {plays}, not {game}")).about("player")),
    }
}

/// `POST /api/analyse`.
pub async fn position(
    State(app): State<App>,
    Json(body): Json<PositionBody>,
) -> Result<Answer<Analysis>, ApiError> {
    let place = thinker(&app).await?;
    app.blocking(move |app| {
        let _place = place;
        let nodes = body.nodes.unwrap_or(USUAL_NODES).clamp(1, app.limits.nodes);
        let time = body.movetime_ms.map_or(MOST_TIME, |ms| Duration::from_millis(ms).min(MOST_TIME));
        let limit = Limit { nodes: Some(nodes), time: Some(time), ..Limit::INFINITE };
        let player = player(app, body.game, body.player.as_deref())?;
        dispatch!(body.game, G => {
            let line = line::<G>(body.fen.as_deref(), &body.moves)?;
            let Why { score, terms, .. } = why(line.position(), &player)?;
            Ok(Answer(Analysis { found: search(&line, &player, &limit)?, at_rest: score, terms }))
        })
    })
    .await
}

#[derive(Serialize)]
pub struct Scores {
    /// As White sees them.
    scores: Vec<Option<ScoreView>>,
    player: String,
}

/// `POST /api/analyse/game`.
pub async fn game(
    State(app): State<App>,
    Json(body): Json<PositionBody>,
) -> Result<Answer<Scores>, ApiError> {
    let place = thinker(&app).await?;
    app.blocking(move |app| {
        let _place = place;
        let nodes = body.nodes.unwrap_or(1_000).clamp(1, app.limits.position_nodes);
        if body.moves.len() >= app.limits.positions {
            let message = format!("at most {} positions are looked at", app.limits.positions);
            return Err(ApiError::invalid(message).about("moves"));
        }
        let player = player(app, body.game, body.player.as_deref())?;
        let scores =
            dispatch!(body.game, G => scores::<G>(&line(body.fen.as_deref(), &body.moves)?, &player, nodes))?;
        Ok(Answer(Scores { scores, player: player.name }))
    })
    .await
}

/// What a player sees in each position of a line; nothing where time is up.
fn scores<G: Playable>(
    whole: &Line<G>,
    player: &Player,
    nodes: u64,
) -> Result<Vec<Option<ScoreView>>, ApiError> {
    let started = std::time::Instant::now();
    let mut engine = G::engine(player, Limits::HASH_BYTES / 4).map_err(ApiError::invalid)?;
    engine.new_game(0);
    let mut line = Line::new(whole.start().clone());
    let mut moves = whole.moves();
    let mut scores = Vec::new();
    loop {
        let position = line.position();
        let is_late = started.elapsed() > MOST_TIME_OF_GAME;
        scores.push((!is_late).then(|| {
            let found =
                engine.search(&line, &Limit::nodes(nodes), &AtomicBool::new(false), None, &mut |_| {});
            of_white(found.score, position.turn()).into()
        }));
        match moves.next() {
            Some(mv) => line.play(mv),
            None => return Ok(scores),
        }
    }
}
