//! A computer's thinking about its move.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gamete_arena::{
    Competitor, ComputerError, DrawAnswer, GameSession, Playable, SessionOptions, SessionSeat, line_text,
};
use gamete_engine::{Info, Limit};
use gamete_game::{ByColor, Color};

use super::record::{Played, Record};
use super::view::ThinkingView;
use crate::app::App;
use crate::board::of_white;
use crate::error::ApiError;
use crate::events::{News, Topic};
use crate::limits::Limits;

/// How often everybody is told of it.
const PACE: Duration = Duration::from_millis(150);

/// A computer that thinks.
pub struct Thinking {
    session: String,
    /// For whom.
    pub color: Color,
    /// Set when it is to stop.
    pub stop: AtomicBool,
    found: Mutex<ThinkingView>,
}

impl Thinking {
    /// One that has just begun.
    pub fn new(session: String, color: Color) -> Self {
        Self { session, color, stop: AtomicBool::new(false), found: Mutex::new(ThinkingView::begun(color)) }
    }

    /// What it has found so far.
    pub fn view(&self) -> ThinkingView {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn found<G: Playable>(&self, position: &G, info: &Info<'_, G>) {
        let view = ThinkingView {
            color: self.color,
            depth: info.depth,
            score: Some(of_white(info.score, self.color).into()),
            line: line_text(position, info.pv),
            nodes: info.nodes,
            time_ms: u64::try_from(info.time.as_millis()).unwrap_or(u64::MAX),
        };
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = view;
    }
}

/// The game with its computers at the board.
fn board<G: Playable>(record: &Record, limit: Limit, stop: &AtomicBool) -> Result<GameSession<G>, ApiError> {
    let chairs = record.chairs();
    let seat = |color: Color| SessionSeat {
        name: chairs[color].name.clone(),
        competitor: chairs[color].computer.clone().map(Competitor::Player),
    };
    let seats = ByColor { white: seat(Color::White), black: seat(Color::Black) };
    // Players with noise are new at the board for each move, and would draw the same noise for each.
    let seed = record.seed.wrapping_add(2 * record.moves.len() as u64);
    let options = SessionOptions { limit, seed, hash_bytes: Limits::HASH_BYTES };
    let mut game = record.transcript::<G>()?;
    game.outcome = None;
    let mut board = GameSession::resume(game, seats, options).map_err(ApiError::invalid)?;
    board.begin(stop).map_err(ApiError::invalid)?;
    Ok(board)
}

/// The move of the computer whose turn it is.
///
/// # Errors
///
/// When it has none, in words.
pub fn think<G: Playable>(
    app: &App,
    record: &Record,
    thinking: &Thinking,
    limit: Limit,
) -> Result<Played, String> {
    let mut board = board::<G>(record, limit, &thinking.stop).map_err(|error| error.message().to_owned())?;
    let position = board.position().clone();
    let mut told = Instant::now();
    let mut on_iteration = |info: &Info<'_, G>| {
        thinking.found(&position, info);
        if told.elapsed() >= PACE {
            told = Instant::now();
            let topic = Topic::Session(thinking.session.clone());
            app.events.tell([News::new(topic, "thinking", &thinking.view())]);
        }
    };
    let moved = match board.let_computer_move(&thinking.stop, &mut on_iteration) {
        // It was to move before it had looked at anything.
        Err(ComputerError::NoMove { .. }) if thinking.stop.load(Ordering::Relaxed) => {
            let never = AtomicBool::new(false);
            let mut board = self::board::<G>(record, Limit::depth(1), &never)
                .map_err(|error| error.message().to_owned())?;
            let moved = board.let_computer_move(&never, &mut |_| {});
            moved.map(|moved| (moved, board.line().moves().last()))
        }
        moved => moved.map(|moved| (moved, board.line().moves().last())),
    };
    match moved {
        Ok((moved, Some(mv))) => Ok(Played {
            text: position.move_text(mv),
            thought: moved.thought.map(|thought| thought.to_string()),
        }),
        Ok((_, None)) => Err("the computer has no move".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// What the computer whose turn it is not says to the offer of a draw.
///
/// # Errors
///
/// When it cannot be asked.
pub fn answer_offer<G: Playable>(record: &Record, limits: &Limits) -> Result<DrawAnswer, ApiError> {
    let never = AtomicBool::new(false);
    let limit = record.limit.of_advice(limits);
    board::<G>(record, limit, &never)?.offer_draw(&never, &mut |_| {}).map_err(ApiError::conflict)
}
