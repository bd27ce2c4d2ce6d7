//! A game as the page shows it.

use gamete_arena::{GameName, Playable, dispatch};
use gamete_game::{Color, Game as _};
use serde::Serialize;

use super::record::{Chair, Clocks, PlayLimit, Record};
use crate::board::{BoardView, EndView, LegalMove, ScoreView, legal_moves};
use crate::error::ApiError;

/// All that the page needs to show a game and to go on with it.
#[derive(Debug, Clone, Serialize)]
pub struct SessionView {
    id: String,
    game: GameName,
    created: u64,
    updated: u64,
    /// How often it was changed.
    pub version: u64,
    seats: SeatsView,
    limit: PlayLimit,
    #[serde(flatten)]
    board: BoardView,
    turn: Color,
    legal: Vec<LegalMove>,
    forced: Option<&'static str>,
    status: Status,
    thinking: Option<ThinkingView>,
    clock: Option<ClockView>,
    draw_offer: Option<Color>,
    /// What a computer said to an offer just now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw_answer: Option<&'static str>,
    end: Option<EndView>,
    file_ending: &'static str,
}

/// A game in a line of a list.
#[derive(Debug, Clone, Serialize)]
pub struct SessionSummary {
    id: String,
    game: GameName,
    white: String,
    black: String,
    ply: usize,
    status: Status,
    result: Option<&'static str>,
    created: u64,
    /// When it was changed last.
    pub updated: u64,
    version: u64,
}

#[derive(Debug, Clone, Serialize)]
struct SeatsView {
    white: SeatView,
    black: SeatView,
}

#[derive(Debug, Clone, Serialize)]
struct SeatView {
    player: String,
    name: String,
    computer: bool,
}

impl From<&Chair> for SeatView {
    fn from(chair: &Chair) -> Self {
        Self { player: chair.player.clone(), name: chair.name.clone(), computer: chair.computer.is_some() }
    }
}

/// Who is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A person.
    YourTurn,
    /// A computer.
    Thinking,
    /// Somebody who lets the computers go on.
    Paused,
    /// Nobody.
    Over,
}

/// What a computer has found so far.
#[derive(Debug, Clone, Serialize)]
pub struct ThinkingView {
    /// For whom it thinks.
    pub color: Color,
    /// Plies that it has looked ahead.
    pub depth: u32,
    /// What it sees, as White sees it.
    pub score: Option<ScoreView>,
    /// What it expects.
    pub line: Vec<String>,
    /// Positions that it has visited.
    pub nodes: u64,
    /// How long it has thought.
    pub time_ms: u64,
}

impl ThinkingView {
    /// Nothing yet.
    pub fn begun(color: Color) -> Self {
        Self { color, depth: 0, score: None, line: Vec::new(), nodes: 0, time_ms: 0 }
    }
}

/// The clocks.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ClockView {
    white_ms: u64,
    black_ms: u64,
    running: Option<Color>,
}

/// What is so at this moment and not stored.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    /// What the computer that thinks has found.
    pub thinking: Option<ThinkingView>,
    /// What is left on the clocks now.
    pub clocks: Option<Clocks>,
    /// Whose clock runs.
    pub running: Option<Color>,
}

impl SessionView {
    /// The game at this moment.
    ///
    /// # Errors
    ///
    /// When what is stored makes no sense.
    pub fn new(record: &Record, moment: Moment) -> Result<Self, ApiError> {
        dispatch!(record.game, G => session_view::<G>(record, moment))
    }
}

impl SessionSummary {
    /// The game in a line.
    ///
    /// # Errors
    ///
    /// When what is stored makes no sense.
    pub fn new(record: &Record) -> Result<Self, ApiError> {
        let (status, end) = dispatch!(record.game, G => {
            let line = record.line::<G>(usize::MAX)?;
            let end = record.ending(&line);
            (status(record, line.position().turn(), end.is_some()), end)
        });
        Ok(Self {
            id: record.id.clone(),
            game: record.game,
            white: record.white.name.clone(),
            black: record.black.name.clone(),
            ply: record.moves.len(),
            status,
            result: end.map(|end| gamete_game::result_text(Some(end.outcome))),
            created: record.created,
            updated: record.updated,
            version: record.version,
        })
    }
}

fn status(record: &Record, turn: Color, is_over: bool) -> Status {
    match (is_over, record.is_computer(turn), record.paused) {
        (true, _, _) => Status::Over,
        (false, false, _) => Status::YourTurn,
        (false, true, true) => Status::Paused,
        (false, true, false) => Status::Thinking,
    }
}

fn session_view<G: Playable>(record: &Record, moment: Moment) -> Result<SessionView, ApiError> {
    let line = record.line::<G>(usize::MAX)?;
    let end = record.ending(&line);
    let position = line.position();
    let turn = position.turn();
    let status = match (status(record, turn, end.is_some()), &moment.thinking) {
        // One step of games that wait.
        (Status::Paused, Some(_)) => Status::Thinking,
        (status, _) => status,
    };
    let is_open = status == Status::YourTurn;
    Ok(SessionView {
        id: record.id.clone(),
        game: record.game,
        created: record.created,
        updated: record.updated,
        version: record.version,
        seats: SeatsView { white: (&record.white).into(), black: (&record.black).into() },
        limit: record.limit,
        board: BoardView::new(line.start(), line.moves().zip(record.thoughts())),
        turn,
        legal: if is_open { legal_moves(position) } else { Vec::new() },
        forced: position.is_forced().then_some(G::FORCED),
        status,
        thinking: moment.thinking,
        clock: moment.clocks.map(|clocks| ClockView {
            white_ms: clocks.white_ms,
            black_ms: clocks.black_ms,
            running: moment.running,
        }),
        draw_offer: record.draw_offer,
        draw_answer: None,
        end: end.map(|end| EndView::new(Some(end.outcome), end.reason)),
        file_ending: G::FILE_ENDING,
    })
}
