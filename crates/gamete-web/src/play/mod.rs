//! Games on the page: between people, between computers, or between both.

mod record;
mod session;
mod sessions;
mod think;
mod view;

use std::sync::Arc;
use std::time::Duration;

use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gamete_arena::{GameName, dispatch, now as seconds_now};
use gamete_game::{Color, Outcome};
use serde::{Deserialize, Serialize};

use crate::analyse::{Found, Why, search, why as terms};
use crate::app::App;
use crate::error::ApiError;
use crate::events::{News, Topic, stream};
use crate::extract::{Json, Names};
use crate::game_text::{download, game_text};
use crate::players::find_player;
use record::{Chair, Clocks, PlayLimit, Record};
use session::{Session, understand};
pub use sessions::Sessions;
use view::{SessionSummary, SessionView};

/// How long a hint waits for others that think.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reads the games of the lab, and lets computers go on whose turn it is.
pub fn start(app: &App) {
    for session in app.sessions.load() {
        // What makes no sense says so when it is asked for.
        let _ = session.wake(app);
    }
}

/// A game to be begun.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    game: GameName,
    #[serde(default = "human")]
    white: String,
    #[serde(default = "human")]
    black: String,
    white_name: Option<String>,
    black_name: Option<String>,
    #[serde(default)]
    limit: PlayLimit,
    fen: Option<String>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    auto: bool,
}

/// The name of people.
const HUMAN: &str = "human";

fn human() -> String {
    HUMAN.to_owned()
}

/// `POST /api/play`.
pub async fn create(State(app): State<App>, Json(wanted): Json<NewGame>) -> Result<Response, ApiError> {
    let session = app.blocking(move |app| begin(app, &wanted)).await?;
    Ok((StatusCode::CREATED, Answer(session)).into_response())
}

fn begin(app: &App, wanted: &NewGame) -> Result<SessionView, ApiError> {
    let NewGame { game, limit, fen, seed, auto, .. } = wanted;
    app.lab.check()?;
    let limit = limit.checked(&app.limits)?;
    let start = dispatch!(*game, G => match fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty()) {
        None => <G as gamete_game::Game>::start().to_string(),
        Some(fen) => fen.parse::<G>().map_err(|error| ApiError::invalid(format!("fen: {error}")).about("fen"))?.to_string(),
    });
    let white = chair(app, *game, "white", &wanted.white, wanted.white_name.as_deref())?;
    let black = chair(app, *game, "black", &wanted.black, wanted.black_name.as_deref())?;
    let clock = limit.clock.map(|terms| Clocks { white_ms: terms.base_ms, black_ms: terms.base_ms });
    let record = Record {
        id: String::new(),
        game: *game,
        created: seconds_now(),
        updated: seconds_now(),
        version: 0,
        paused: white.computer.is_some() && black.computer.is_some() && !auto,
        white,
        black,
        limit,
        seed: *seed,
        start,
        moves: Vec::new(),
        end: None,
        draw_offer: None,
        clock,
        turn_clocks: Vec::new(),
    };
    app.sessions.add(record, app.limits.sessions)?.change(app, |_| Ok(()))
}

/// Who sits at a colour.
fn chair(app: &App, game: GameName, key: &str, player: &str, name: Option<&str>) -> Result<Chair, ApiError> {
    const LONGEST: usize = 60;
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let name =
        name.map(|name| name.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect::<String>());
    if player == HUMAN {
        return Ok(Chair {
            player: human(),
            name: name.unwrap_or_else(|| "Human".to_owned()),
            computer: None,
        });
    }
    let found = app.lab.with(|store| find_player(app.lab.directory(), store, player));
    let found = found.map_err(|error| error.about(key))?;
    let plays = found.model().game;
    if plays != game {
        return Err(ApiError::invalid(format!("{player} plays {plays}, not {game}")).about(key));
    }
    let name = name.unwrap_or_else(|| found.name.clone());
    Ok(Chair { player: player.to_owned(), name, computer: Some(found) })
}

#[derive(Serialize)]
pub struct SessionList {
    sessions: Vec<SessionSummary>,
}

/// `GET /api/play`.
pub async fn list(State(app): State<App>) -> Result<Answer<SessionList>, ApiError> {
    app.blocking(|app| {
        let all = app.sessions.all();
        let mut sessions: Vec<SessionSummary> =
            all.iter().filter_map(|session| session.summary().ok()).collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.updated));
        Ok(Answer(SessionList { sessions }))
    })
    .await
}

/// `GET /api/play/{id}`.
pub async fn one(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<SessionView>, ApiError> {
    app.blocking(move |app| app.sessions.find(&id)?.view().map(Answer)).await
}

/// `DELETE /api/play/{id}`.
pub async fn delete(State(app): State<App>, Names(id): Names<String>) -> Result<StatusCode, ApiError> {
    app.blocking(move |app| {
        app.sessions.remove(&id)?;
        app.events.tell([
            News::new(Topic::Session(id.clone()), "gone", &serde_json::json!({})),
            News::new(Topic::Lists, "play", &serde_json::json!({ "gone": id })),
        ]);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// `GET /api/play/{id}/events`.
pub async fn events(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let session = app.sessions.find(&id)?;
    let topic = Topic::Session(id);
    let own = (app.clone(), topic.clone());
    let now = move || {
        let ((app, topic), session) = (own.clone(), Arc::clone(&session));
        async move { app.blocking(move |_| Ok(vec![News::new(topic, "session", &session.view()?)])).await }
    };
    stream(&app, &topic, now).await
}

/// `GET /api/play/{id}/text`.
pub async fn text(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    app.blocking(move |app| {
        let record = app.sessions.find(&id)?.record();
        let text = dispatch!(record.game, G => game_text(&record.transcript::<G>()?));
        Ok(download(&format!("gamete-{id}.{}", record.game.file_ending()), text))
    })
    .await
}

async fn change(
    app: App,
    id: String,
    act: impl FnOnce(&App, &Arc<Session>) -> Result<SessionView, ApiError> + Send + 'static,
) -> Result<Answer<SessionView>, ApiError> {
    app.blocking(move |app| act(app, &app.sessions.find(&id)?).map(Answer)).await
}

/// A move of a person.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveBody {
    #[serde(rename = "move")]
    text: String,
    ply: Option<usize>,
}

/// `POST /api/play/{id}/move`.
pub async fn play_move(
    State(app): State<App>,
    Names(id): Names<String>,
    Json(body): Json<MoveBody>,
) -> Result<Answer<SessionView>, ApiError> {
    change(app, id, move |app, session| {
        session.change(app, |table| {
            let turn = table.open_turn()?;
            if table.record.is_computer(turn) {
                return Err(ApiError::conflict(format!(
                    "it is the turn of {}",
                    table.record.chair(turn).name
                )));
            }
            if let Some(ply) = body.ply
                && ply != table.record.moves.len()
            {
                return Err(gone_on());
            }
            let played = dispatch!(table.record.game, G => understand::<G>(&table.record, &body.text))?;
            table.play(played)
        })
    })
    .await
}

/// `POST /api/play/{id}/takeback`.
pub async fn take_back(
    State(app): State<App>,
    Names(id): Names<String>,
) -> Result<Answer<SessionView>, ApiError> {
    change(app, id, |app, session| session.change(app, session::Table::take_back)).await
}

/// Whose wish it is.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ColorBody {
    color: Option<Color>,
}

fn gone_on() -> ApiError {
    ApiError::conflict("the game has gone on in the meantime")
}

/// The person who means it: the one that is named, the only one there is, or whose turn it is.
fn person(record: &Record, named: Option<Color>, turn: Color) -> Result<Color, ApiError> {
    let only = Color::ALL.into_iter().find(|&color| !record.is_computer(color) && record.is_computer(!color));
    let color = named.or(only).unwrap_or(turn);
    match record.is_computer(color) {
        true => Err(ApiError::conflict(format!("{} is no person", record.chair(color).name))),
        false => Ok(color),
    }
}

/// `POST /api/play/{id}/resign`.
pub async fn resign(
    State(app): State<App>,
    Names(id): Names<String>,
    Json(body): Json<ColorBody>,
) -> Result<Answer<SessionView>, ApiError> {
    change(app, id, move |app, session| {
        session.change(app, |table| {
            let turn = table.open_turn()?;
            let loser = person(&table.record, body.color, turn)?;
            table.end(Outcome::Win(!loser), format!("{loser} resigned"))
        })
    })
    .await
}

/// `POST /api/play/{id}/draw`.
pub async fn draw(
    State(app): State<App>,
    Names(id): Names<String>,
    Json(body): Json<ColorBody>,
) -> Result<Answer<SessionView>, ApiError> {
    let own = id.clone();
    let offered = app.blocking(move |app| app.sessions.find(&own)?.offer_to_computer(body.color)).await?;
    // A computer thinks about it, and meanwhile others may look at the game.
    let answer = match offered {
        None => None,
        Some(record) => {
            let place = thinker(&app).await?;
            let think = move |app: &App| {
                let _place = place;
                let answer = dispatch!(record.game, G => think::answer_offer::<G>(&record, &app.limits))?;
                Ok((record.version, answer.accepted))
            };
            Some(app.blocking(think).await?)
        }
    };
    change(app, id, move |app, session| {
        let mut view = session.change(app, |table| {
            let turn = table.open_turn()?;
            let color = person(&table.record, body.color, turn)?;
            let is_agreed = match answer {
                Some((version, _)) if version != table.record.version => return Err(gone_on()),
                Some((_, accepted)) => accepted,
                None => table.record.draw_offer.is_some_and(|by| by != color),
            };
            if is_agreed {
                return table.end(Outcome::Draw, "by agreement".to_owned());
            }
            if answer.is_none() {
                table.record.draw_offer = Some(color);
            }
            Ok(())
        })?;
        view.draw_answer = answer.filter(|(_, accepted)| !accepted).map(|_| "refused");
        Ok(view)
    })
    .await
}

/// `POST /api/play/{id}/pause`.
pub async fn pause(
    State(app): State<App>,
    Names(id): Names<String>,
) -> Result<Answer<SessionView>, ApiError> {
    change(app, id, |app, session| {
        session.change(app, |table| {
            table.open_turn()?;
            table.record.paused = true;
            Ok(())
        })
    })
    .await
}

/// `POST /api/play/{id}/go`.
pub async fn go(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<SessionView>, ApiError> {
    change(app, id, |app, session| {
        session.change(app, |table| {
            table.open_turn()?;
            table.record.paused = false;
            Ok(())
        })
    })
    .await
}

/// `POST /api/play/{id}/step`.
pub async fn step(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<SessionView>, ApiError> {
    change(app, id, |app, session| session.change(app, session::Table::set_step)).await
}

/// `POST /api/play/{id}/now`.
pub async fn now(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<SessionView>, ApiError> {
    change(app, id, |_, session| {
        session.move_now()?;
        session.view()
    })
    .await
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgainBody {
    swap: bool,
}

/// `POST /api/play/{id}/again`.
pub async fn again(
    State(app): State<App>,
    Names(id): Names<String>,
    Json(body): Json<AgainBody>,
) -> Result<Response, ApiError> {
    let view = app
        .blocking(move |app| {
            let mut record = app.sessions.find(&id)?.record();
            if body.swap {
                std::mem::swap(&mut record.white, &mut record.black);
            }
            (record.created, record.version, record.paused) = (seconds_now(), 0, record.is_watched());
            record.moves.clear();
            record.turn_clocks.clear();
            (record.end, record.draw_offer) = (None, None);
            record.seed = record.seed.wrapping_add(1);
            record.clock =
                record.limit.clock.map(|terms| Clocks { white_ms: terms.base_ms, black_ms: terms.base_ms });
            app.sessions.add(record, app.limits.sessions)?.change(app, |_| Ok(()))
        })
        .await?;
    Ok((StatusCode::CREATED, Answer(view)).into_response())
}

/// Waits for a place among those who think.
///
/// # Errors
///
/// When none gets free in time.
pub async fn thinker(app: &App) -> Result<tokio::sync::OwnedSemaphorePermit, ApiError> {
    let place = tokio::time::timeout(PATIENCE, Arc::clone(&app.thinkers).acquire_owned()).await;
    match place {
        Ok(Ok(place)) => Ok(place),
        _ => Err(ApiError::limit("all that may think here do so already; try again in a moment")),
    }
}

/// A game as it is stored.
async fn record(app: &App, id: String) -> Result<Record, ApiError> {
    app.blocking(move |app| Ok(app.sessions.find(&id)?.record())).await
}

/// `POST /api/play/{id}/hint`.
pub async fn hint(State(app): State<App>, Names(id): Names<String>) -> Result<Answer<Found>, ApiError> {
    let record = record(&app, id).await?;
    let place = thinker(&app).await?;
    app.blocking(move |app| {
        let _place = place;
        let limit = record.limit.of_advice(&app.limits);
        dispatch!(record.game, G => {
            let line = record.line::<G>(usize::MAX)?;
            if record.ending(&line).is_some() {
                return Err(ApiError::conflict("the game is over"));
            }
            search(&line, &record.adviser(), &limit).map(Answer)
        })
    })
    .await
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WhyBody {
    ply: Option<usize>,
}

/// `POST /api/play/{id}/why`.
pub async fn why(
    State(app): State<App>,
    Names(id): Names<String>,
    Json(body): Json<WhyBody>,
) -> Result<Answer<Why>, ApiError> {
    let record = record(&app, id).await?;
    app.blocking(move |_| {
        dispatch!(record.game, G => {
            let line = record.line::<G>(body.ply.unwrap_or(usize::MAX))?;
            terms(line.position(), &record.adviser()).map(Answer)
        })
    })
    .await
}
