//! Games that experiments have kept, to be looked at again.

use axum::Json as Answer;
use axum::extract::State;
use axum::response::Response;
use gamete_arena::{GameName, dispatch};
use gamete_game::{Thought, Transcript, result_text};
use gamete_lab::{GameRecord, LabView, Store, View};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::board::{BoardView, EndView};
use crate::error::ApiError;
use crate::extract::{Names, Params};
use crate::game_text::{download, game_text};

/// A game in a line of a list.
#[derive(Debug, Clone, Serialize)]
pub struct GameHead {
    /// Which game, from 1.
    pub number: u64,
    /// The run that it was played in.
    pub run: String,
    /// The generation, from 1; 0 for games of a play-off or a match.
    pub generation: u32,
    white: String,
    black: String,
    result: &'static str,
    termination: String,
    plies: usize,
    game: GameName,
}

impl GameHead {
    /// A game that was kept.
    pub fn new(number: u64, run: &str, record: &GameRecord) -> Self {
        Self {
            number,
            run: run.to_owned(),
            generation: record.generation,
            white: record.white.clone(),
            black: record.black.clone(),
            result: result_text(record.termination.outcome()),
            termination: record.termination.to_string(),
            plies: record.moves.len(),
            game: record.game,
        }
    }
}

/// A game to be replayed.
#[derive(Debug, Serialize)]
pub struct Replay {
    head: GameHead,
    #[serde(flatten)]
    board: BoardView,
    end: EndView,
    text: String,
    file_ending: &'static str,
}

impl Replay {
    /// A game as a file tells it.
    pub fn new<G: gamete_arena::Playable>(head: GameHead, game: &Transcript<G>) -> Self {
        let thought =
            |comment: &Option<String>| comment.as_deref().and_then(|text| text.parse::<Thought>().ok());
        let plies = game.plies.iter().map(|ply| (ply.mv, thought(&ply.comment)));
        Self {
            board: BoardView::new(&game.start, plies),
            end: EndView::new(game.outcome, head.termination.clone()),
            head,
            text: game_text(game),
            file_ending: G::FILE_ENDING,
        }
    }
}

/// The kept games of an experiment or a pipeline with the paths of their runs, and when it was begun.
fn games(store: &Store, id: &str) -> Result<(u64, Vec<(String, GameRecord)>), ApiError> {
    let lab = LabView::new(store).thinned(2);
    Ok(match lab.find(id)? {
        View::Experiment(view) => (view.created, lab.games(&view.id)?),
        View::Pipeline(view) => (view.created, lab.pipeline_games(&view)?),
    })
}

#[derive(Deserialize)]
pub struct Wanted {
    run: Option<String>,
}

#[derive(Serialize)]
pub struct GameList {
    games: Vec<GameHead>,
}

/// `GET /api/experiments/{id}/games`.
pub async fn list(
    State(app): State<App>,
    Names(id): Names<String>,
    Params(wanted): Params<Wanted>,
) -> Result<Answer<GameList>, ApiError> {
    app.read(move |_, store| {
        let (_, games) = games(store, &id)?;
        let heads = games
            .iter()
            .enumerate()
            .map(|(index, (run, record))| GameHead::new(index as u64 + 1, run, record));
        let is_wanted = |head: &GameHead| wanted.run.as_ref().is_none_or(|run| *run == head.run);
        Ok(Answer(GameList { games: heads.filter(is_wanted).collect() }))
    })
    .await
}

/// What is answered where there is no such game.
pub fn no_game(number: u64, count: usize) -> ApiError {
    ApiError::not_found(format!("there is no game {number}; games are numbered from 1 to {count}"))
}

fn replay(store: &Store, id: &str, number: u64) -> Result<Replay, ApiError> {
    let (created, games) = games(store, id)?;
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let Some((run, record)) = index.and_then(|index| games.get(index)) else {
        return Err(no_game(number, games.len()));
    };
    let head = GameHead::new(number, run, record);
    let replay = dispatch!(record.game, G => record.transcript::<G>(id, created, run).map(|game| Replay::new(head, &game)));
    replay.ok_or_else(|| {
        ApiError::unavailable(format!("game {number} of {id}: its moves do not fit its start position"))
    })
}

/// `GET /api/experiments/{id}/games/{number}`.
pub async fn one(
    State(app): State<App>,
    Names((id, number)): Names<(String, u64)>,
) -> Result<Answer<Replay>, ApiError> {
    app.read(move |_, store| replay(store, &id, number).map(Answer)).await
}

/// `GET /api/experiments/{id}/games/{number}/text`.
pub async fn text(
    State(app): State<App>,
    Names((id, number)): Names<(String, u64)>,
) -> Result<Response, ApiError> {
    app.read(move |_, store| {
        let replay = replay(store, &id, number)?;
        Ok(replay.download(&format!("{id}-{number}")))
    })
    .await
}

impl Replay {
    /// The game as a file.
    pub fn download(self, name: &str) -> Response {
        download(&format!("{name}.{}", self.file_ending), self.text)
    }
}
