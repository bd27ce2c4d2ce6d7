//! Matches by their journals.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use axum::Json as Answer;
use axum::extract::State;
use axum::response::Response;
use gamete_arena::dispatch;
use gamete_lab::{MatchView, match_journals};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;
use crate::events::{News, Topic, stream};
use crate::extract::{Names, Params};
use crate::kept_games::{GameHead, Replay, no_game};
use crate::numbers;

/// A match in a line of a list; one that cannot be read says why.
#[derive(Debug, Clone, Serialize)]
pub struct MatchHead {
    name: String,
    #[serde(flatten)]
    found: Option<Value>,
    error: Option<String>,
}

#[derive(Serialize)]
pub struct Matches {
    matches: Vec<MatchHead>,
}

fn head(path: &Path) -> MatchHead {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match MatchView::read(path) {
        Ok(view) => {
            let first = view.contestants.first().filter(|_| view.contestants.len() == 2);
            let found = json!({
                "players": view.players(), "game": view.game, "event": view.event, "state": view.state,
                "finished": view.finished, "games": view.games, "planned_games": view.planned_games,
                "seconds": view.seconds, "created": view.created, "contestants": view.contestants.len(),
                "elo": first.map(|one| one.elo), "elo_low": first.map(|one| one.elo_low),
                "elo_high": first.map(|one| one.elo_high), "sprt": view.sprt,
            });
            MatchHead { name, found: Some(found), error: None }
        }
        Err(error) => MatchHead { name, found: None, error: Some(error.to_string()) },
    }
}

/// The journals there are.
fn journals(directory: &Path) -> Result<Vec<PathBuf>, ApiError> {
    match_journals(directory)
        .map_err(|error| ApiError::unavailable(format!("{}: {error}", directory.display())))
}

/// `GET /api/matches`.
pub async fn list(State(app): State<App>) -> Result<Answer<Matches>, ApiError> {
    app.blocking(|app| {
        let matches = app.matches.of(&journals(&app.journals)?, head);
        Ok(Answer(Matches { matches }))
    })
    .await
}

/// What was found in journals when they were read last.
pub struct Known<T>(Mutex<BTreeMap<PathBuf, (SystemTime, T)>>);

/// Matches in a line each.
pub type KnownMatches = Known<MatchHead>;

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Known<T> {
    /// What is found in each of some journals, which are all there are. A journal is read again only if it was written since.
    pub fn of(&self, journals: &[PathBuf], read: impl Fn(&Path) -> T) -> Vec<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|path, _| journals.contains(path));
        let of = |path: &PathBuf| {
            let written = written(path);
            if let Some((then, found)) = known.get(path)
                && Some(*then) == written
            {
                return found.clone();
            }
            let found = read(path);
            if let Some(written) = written {
                known.insert(path.clone(), (written, found.clone()));
            }
            found
        };
        journals.iter().map(of).collect()
    }
}

/// The match of a journal in the directory: it is one of those that are listed, and so no name leads elsewhere.
fn find(app: &App, name: &str) -> Result<MatchView, ApiError> {
    let path =
        journals(&app.journals)?.into_iter().find(|path| path.file_name().is_some_and(|own| own == name));
    let Some(path) = path else {
        let name: String = name.chars().take(80).collect();
        return Err(ApiError::not_found(format!("there is no match {name:?}; /api/matches lists all")));
    };
    Ok(MatchView::read(&path)?)
}

/// A match as JSON, without where its journal is on the machine.
fn value(view: &MatchView) -> Value {
    let mut value = numbers::json(view);
    if let Value::Object(object) = &mut value {
        object.insert("path".to_owned(), view.name().into());
        object.insert("name".to_owned(), view.name().into());
    }
    value
}

/// `GET /api/matches/{name}`.
pub async fn one(State(app): State<App>, Names(name): Names<String>) -> Result<Answer<Value>, ApiError> {
    app.blocking(move |app| Ok(Answer(value(&find(app, &name)?)))).await
}

/// `GET /api/matches/{name}/events`.
pub async fn events(State(app): State<App>, Names(name): Names<String>) -> Result<Response, ApiError> {
    let topic = Topic::Match(name.clone());
    let own = (app.clone(), name);
    let now = move || {
        let (app, name) = own.clone();
        async move {
            app.blocking(move |app| {
                let view = find(app, &name)?;
                Ok(vec![News::new(Topic::Match(name), "match", &value(&view))])
            })
            .await
        }
    };
    stream(&app, &topic, now).await
}

/// Matches that somebody watches, with when their journals were written last.
#[derive(Default)]
pub struct WatchedMatches(BTreeMap<String, Option<SystemTime>>);

impl WatchedMatches {
    /// What is new of matches that somebody watches.
    pub fn news(&mut self, app: &App) -> Vec<News> {
        let heard = app.events.heard_matches();
        self.0.retain(|name, _| heard.contains(name));
        let mut news = Vec::new();
        for name in heard {
            let written = written(&app.journals.join(&name));
            let is_new = self.0.insert(name.clone(), written).is_none_or(|before| written > before);
            if is_new && let Ok(view) = find(app, &name) {
                news.push(News::new(Topic::Match(name), "match", &value(&view)));
            }
        }
        news
    }
}

/// When a journal or its log was written last.
fn written(journal: &Path) -> Option<SystemTime> {
    let mut log = journal.as_os_str().to_owned();
    log.push("-wal");
    let time = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
    time(journal).max(time(Path::new(&log)))
}

#[derive(Deserialize)]
pub struct Wanted {
    from: Option<u64>,
    limit: Option<usize>,
}

#[derive(Serialize)]
pub struct MatchGames {
    count: usize,
    games: Vec<GameHead>,
}

/// Games in an answer.
const USUAL_GAMES: usize = 100;
const MOST_GAMES: usize = 1000;

/// `GET /api/matches/{name}/games`.
pub async fn games(
    State(app): State<App>,
    Names(name): Names<String>,
    Params(wanted): Params<Wanted>,
) -> Result<Answer<MatchGames>, ApiError> {
    app.blocking(move |app| {
        let records = find(app, &name)?.records();
        let from = wanted.from.unwrap_or(1);
        let limit = wanted.limit.unwrap_or(USUAL_GAMES).clamp(1, MOST_GAMES);
        let heads = records.iter().filter(|(game, _)| game.number >= from).take(limit);
        let games = heads.map(|(game, record)| GameHead::new(game.number, "", record)).collect();
        Ok(Answer(MatchGames { count: records.len(), games }))
    })
    .await
}

fn replay(app: &App, name: &str, number: u64) -> Result<Replay, ApiError> {
    let view = find(app, name)?;
    let records = view.records();
    let Some((game, record)) = records.iter().find(|(game, _)| game.number == number) else {
        return Err(no_game(number, records.len()));
    };
    let head = GameHead::new(number, "", record);
    let damaged =
        || ApiError::unavailable(format!("game {number} of {name}: its moves do not fit its opening"));
    dispatch!(view.game, G => {
        let game = view.transcript::<G>(game).map_err(|_| damaged())?.ok_or_else(damaged)?;
        Ok(Replay::new(head, &game))
    })
}

/// `GET /api/matches/{name}/games/{number}`.
pub async fn game(
    State(app): State<App>,
    Names((name, number)): Names<(String, u64)>,
) -> Result<Answer<Replay>, ApiError> {
    app.blocking(move |app| replay(app, &name, number).map(Answer)).await
}

/// `GET /api/matches/{name}/games/{number}/text`.
pub async fn game_text(
    State(app): State<App>,
    Names((name, number)): Names<(String, u64)>,
) -> Result<Response, ApiError> {
    app.blocking(move |app| Ok(replay(app, &name, number)?.download(&format!("{name}-{number}")))).await
}
