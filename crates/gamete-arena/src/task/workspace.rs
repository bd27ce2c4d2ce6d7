use std::sync::atomic::AtomicBool;

use gamete_game::ByColor;

use super::{Contestant, GameOutcome, GameTask, Seat, TaskError, play};
use crate::games::{OfGame, PerGame};
use crate::{Engine, Playable, Player, Tablebase, WrongGame};

/// What one thread keeps between tasks: players at the board with their tables, programs that run.
///
/// It changes no outcome, only how soon it is there.
pub struct Workspace<'a> {
    stop: &'a AtomicBool,
    games: PerGame<Parts<'a>>,
}

/// What the parts of a workspace have in common.
struct Parts<'a> {
    stop: &'a AtomicBool,
    tables: Option<&'a Tablebase>,
}

impl<'a> OfGame for Parts<'a> {
    type Of<G: Playable> = GameWorkspace<'a, G>;

    fn make<G: Playable>(&self) -> GameWorkspace<'a, G> {
        GameWorkspace { stop: self.stop, tables: self.tables, seats: Vec::new(), engine: None }
    }
}

impl<'a> Workspace<'a> {
    /// An empty one. When `stop` is set, tasks are broken off.
    pub fn new(stop: &'a AtomicBool) -> Self {
        Self { stop, games: PerGame::new(&Parts { stop, tables: None }) }
    }

    /// An empty one with endgame tables for the games that they decide.
    pub fn with_tables(self, tables: &'a Tablebase) -> Self {
        let parts = Parts { stop: self.stop, tables: Some(tables) };
        Self { stop: self.stop, games: PerGame::new(&parts) }
    }

    /// Plays a game.
    ///
    /// # Errors
    ///
    /// When the task makes no sense.
    pub fn play(&mut self, task: &GameTask) -> Result<GameOutcome, TaskError> {
        dispatch!(task.game, G => self.of_game::<G>().play(task))
    }

    /// The part for one game.
    pub(super) fn of_game<G: Playable>(&mut self) -> &mut GameWorkspace<'a, G> {
        G::own(&mut self.games)
    }
}

/// The part of a workspace for one game.
pub(super) struct GameWorkspace<'a, G: Playable> {
    pub(super) stop: &'a AtomicBool,
    tables: Option<&'a Tablebase>,
    /// Those of the last games, the latest last.
    seats: Vec<(Contestant, Box<dyn Seat<G>>)>,
    /// The last one that worked alone, with the size of its table.
    engine: Option<(Player, usize, Box<dyn Engine<G>>)>,
}

/// More than a game needs, so that a few programs that take turns need not be started again.
const MAX_SEATS: usize = 8;

impl<'a, G: Playable> GameWorkspace<'a, G> {
    /// Plays a game.
    pub(super) fn play(&mut self, task: &GameTask) -> Result<GameOutcome, TaskError> {
        let mut white = self.take_seat(&task.white)?;
        let mut black = self.take_seat(&task.black)?;
        let outcome = play(task, ByColor { white: &mut white, black: &mut black }, self.tables, self.stop);
        self.seats.push((task.white.clone(), white));
        self.seats.push((task.black.clone(), black));
        let too_many = self.seats.len().saturating_sub(MAX_SEATS);
        self.seats.drain(..too_many);
        outcome
    }

    /// The contestant's own seat, or one that it can take over, or a new one.
    fn take_seat(&mut self, contestant: &Contestant) -> Result<Box<dyn Seat<G>>, WrongGame> {
        if let Some(own) = self.seats.iter().rposition(|(known, _)| known == contestant) {
            return Ok(self.seats.remove(own).1);
        }
        match self.seats.iter_mut().position(|(_, seat)| seat.take_over(contestant)) {
            Some(other) => Ok(self.seats.remove(other).1),
            None => G::seat(contestant),
        }
    }

    /// An engine for this player.
    pub(super) fn engine(
        &mut self,
        player: &Player,
        hash_bytes: usize,
    ) -> Result<&mut dyn Engine<G>, WrongGame> {
        let kept = self.engine.take().and_then(|(known, bytes, mut engine)| {
            let fits = bytes == hash_bytes && (known == *player || engine.take_over(player));
            fits.then_some(engine)
        });
        let engine = match kept {
            Some(engine) => engine,
            None => G::engine(player, hash_bytes)?,
        };
        let (.., engine) = self.engine.insert((player.clone(), hash_bytes, engine));
        Ok(engine.as_mut())
    }
}
