use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gamete_game::{ByColor, Color, Line, Tactics, Thought};

use super::{Competitor, Contestant, MoveDetail};
use crate::uci::EngineCatalog;
use crate::{Engine, GameClock, Limits, Termination};

/// A contestant at the board.
pub trait Seat<G: Tactics>: Send {
    /// Forgets the last game and gets ready for one from this position. When `stop` is set, it need not.
    ///
    /// # Errors
    ///
    /// When it cannot.
    fn new_game(&mut self, start: &G, seed: u64, stop: &AtomicBool) -> Result<(), SeatFault>;

    /// Chooses a move at the end of a line. The clocks are as the move begins; whether it took too long is for others
    /// to say. When `stop` is set, any answer will do.
    ///
    /// # Errors
    ///
    /// When there is no legal move.
    fn think(
        &mut self,
        line: &Line<G>,
        clocks: &ByColor<Option<GameClock>>,
        stop: &AtomicBool,
    ) -> Result<Reply<G>, SeatFault>;

    /// What else it has to say of its last move, which it was asked for in this position.
    fn detail(&self, position: &G) -> MoveDetail {
        let _ = position;
        MoveDetail::default()
    }

    /// Becomes another contestant and keeps what memory it has, if it can; if not, it stays who it was.
    fn take_over(&mut self, contestant: &Contestant, engines: &EngineCatalog) -> bool {
        let _ = (contestant, engines);
        false
    }

    /// Leaves a game that will not be played to its end, at once.
    fn break_off(&mut self) {}
}

/// The move that a contestant chose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reply<G: Tactics> {
    /// The move, which is legal.
    pub mv: G::Move,
    /// The time that it took.
    pub time: Duration,
    /// What it said of it.
    pub thought: Option<Thought>,
}

/// What a contestant did that loses its game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeatFault {
    /// It had not moved after so much time, and was told to stop.
    #[error("no move within {:.1} s", .0.as_secs_f64())]
    Late(Duration),
    /// It answered a move that cannot be played, or none.
    #[error("{0}")]
    IllegalMove(String),
    /// It crashed or went away.
    #[error("{0}")]
    Disconnect(String),
    /// It does not answer.
    #[error("{0}")]
    Stall(String),
}

impl SeatFault {
    /// How a game ends by it.
    pub fn termination(&self, loser: Color) -> Termination {
        match *self {
            Self::Late(_) => Termination::TimeLoss { loser, overrun: Duration::ZERO },
            Self::IllegalMove(_) => Termination::IllegalMove { loser },
            Self::Disconnect(_) => Termination::Disconnect { loser },
            Self::Stall(_) => Termination::Stall { loser },
        }
    }

    /// What there is to say of it beyond its kind.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Late(_) => None,
            Self::IllegalMove(text) | Self::Disconnect(text) | Self::Stall(text) => Some(text),
        }
    }
}

/// What a move may cost besides thinking when the machine is busy.
const OVERHEAD: Duration = Duration::from_millis(5);

/// A player of our own at the board: no process, no pipe, no text.
pub struct PlayerSeat<G: Tactics> {
    engine: Box<dyn Engine<G>>,
    limits: Limits,
    /// Whether time has a part in the game. Where it has none it is not measured, so that games repeat to the byte.
    timed: bool,
    hashfull: u32,
    nps: Option<u64>,
    pv: Vec<G::Move>,
}

impl<G: Tactics> PlayerSeat<G> {
    /// Puts an engine to the board.
    pub fn new(engine: Box<dyn Engine<G>>, limits: Limits, timed: bool) -> Self {
        Self { engine, limits, timed, hashfull: 0, nps: None, pv: Vec::new() }
    }
}

impl<G: Tactics> Seat<G> for PlayerSeat<G> {
    fn new_game(&mut self, _start: &G, seed: u64, _stop: &AtomicBool) -> Result<(), SeatFault> {
        self.engine.new_game(seed);
        Ok(())
    }

    fn think(
        &mut self,
        line: &Line<G>,
        clocks: &ByColor<Option<GameClock>>,
        stop: &AtomicBool,
    ) -> Result<Reply<G>, SeatFault> {
        let started = self.timed.then(Instant::now);
        let limit = self.limits.of_move(clocks[line.position().turn()].as_ref(), OVERHEAD);
        let hashfull = &mut self.hashfull;
        let found = self.engine.search(line, &limit, stop, None, &mut |info| *hashfull = info.hashfull);
        let time = started.map_or(Duration::ZERO, |started| started.elapsed());
        self.nps = started.map(|_| (found.nodes as f64 / time.as_secs_f64().max(1e-6)) as u64);
        self.pv = found.pv;
        let mv = found.best.ok_or_else(|| SeatFault::IllegalMove("no move".to_owned()))?;
        let thought = Thought {
            score: found.score,
            depth: found.depth,
            selective_depth: Some(found.selective_depth),
            time,
            nodes: Some(found.nodes),
        };
        Ok(Reply { mv, time, thought: Some(thought) })
    }

    fn detail(&self, position: &G) -> MoveDetail {
        let mut position = position.clone();
        let mut texts = Vec::with_capacity(self.pv.len());
        for &mv in &self.pv {
            texts.push(position.move_text(mv));
            position.play(mv);
        }
        let (nps, pv) = (self.nps, Some(texts.join(" ")));
        MoveDetail { nps, hashfull: Some(self.hashfull), pv, ..MoveDetail::default() }
    }

    fn take_over(&mut self, contestant: &Contestant, _engines: &EngineCatalog) -> bool {
        let Competitor::Player(player) = &contestant.competitor else { return false };
        let can = self.engine.take_over(player);
        if can {
            self.limits = contestant.limits;
            self.timed = !contestant.is_repeatable();
        }
        can
    }
}
