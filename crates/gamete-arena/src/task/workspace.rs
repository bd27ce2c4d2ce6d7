use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gamete_game::ByColor;

use super::expert_task::compare;
use super::score_task::score;
use super::solve_task::solve;
use super::{Contestant, GameOutcome, GameTask, Seat, Task, TaskError, TaskOutcome, play};
use crate::games::{OfGame, PerGame};
use crate::uci::{EngineCatalog, EngineSetup};
use crate::{Engine, Playable, Player, Tablebase, Termination, WrongGame};

/// What one thread keeps between tasks: players at the board with their tables, programs that run.
///
/// It changes no outcome, only how soon it is there.
pub struct Workspace {
    games: PerGame<WorkspaceOptions>,
}

/// What tasks are done with, whatever they are.
#[derive(Debug, Clone)]
pub struct WorkspaceOptions {
    /// When it is set, tasks are broken off.
    pub stop: Arc<AtomicBool>,
    /// Endgame tables for the games that they decide.
    pub tables: Option<Arc<Tablebase>>,
    /// The programs that tasks may name.
    pub engines: Arc<EngineCatalog>,
    /// How they are run.
    pub setup: EngineSetup,
    /// How many players and programs are kept for later games: more than a game needs, so that a few that take turns need
    /// not be started again.
    pub max_seats: usize,
}

impl Default for WorkspaceOptions {
    fn default() -> Self {
        Self {
            stop: Arc::default(),
            tables: None,
            engines: Arc::default(),
            setup: EngineSetup::default(),
            max_seats: 8,
        }
    }
}

impl Workspace {
    /// An empty one.
    pub fn new(options: &WorkspaceOptions) -> Self {
        Self { games: PerGame::new(options) }
    }

    /// Does a task.
    ///
    /// # Errors
    ///
    /// When it makes no sense, or was broken off.
    pub fn run(&mut self, task: &Task) -> Result<TaskOutcome, TaskError> {
        dispatch!(task.game(), G => G::own(&mut self.games).run(task))
    }
}

impl OfGame for WorkspaceOptions {
    type Of<G: Playable> = GameWorkspace<G>;

    fn make<G: Playable>(&self) -> GameWorkspace<G> {
        GameWorkspace { options: self.clone(), seats: Vec::new(), engine: None }
    }
}

/// The part of a workspace for one game.
pub struct GameWorkspace<G: Playable> {
    pub(super) options: WorkspaceOptions,
    /// Those of the last games, the latest last.
    seats: Vec<(Contestant, Box<dyn Seat<G>>)>,
    /// The last one that worked alone, with the size of its table.
    engine: Option<(Player, usize, Box<dyn Engine<G>>)>,
}

impl<G: Playable> GameWorkspace<G> {
    fn run(&mut self, task: &Task) -> Result<TaskOutcome, TaskError> {
        match task {
            Task::Game(task) => {
                let game = self.play(task)?;
                if game.termination == Termination::Interrupted {
                    return Err(TaskError::Interrupted);
                }
                Ok(TaskOutcome::Game(game))
            }
            Task::Solve(task) => solve(task, self).map(TaskOutcome::Solve),
            Task::Expert(task) => compare(task, self).map(TaskOutcome::Expert),
            Task::Score(task) => score(task, self).map(TaskOutcome::Score),
        }
    }

    fn play(&mut self, task: &GameTask) -> Result<GameOutcome, TaskError> {
        let mut white = self.take_seat(&task.white)?;
        let mut black = self.take_seat(&task.black)?;
        let WorkspaceOptions { tables, stop, .. } = &self.options;
        let outcome = play(task, ByColor { white: &mut white, black: &mut black }, tables.as_deref(), stop);
        self.keep_seat(&task.white, white);
        self.keep_seat(&task.black, black);
        outcome
    }

    /// The contestant's own seat, or one that it can take over, or a new one.
    pub(super) fn take_seat(&mut self, contestant: &Contestant) -> Result<Box<dyn Seat<G>>, TaskError> {
        if let Some(own) = self.seats.iter().rposition(|(known, _)| known == contestant) {
            return Ok(self.seats.remove(own).1);
        }
        let engines = &self.options.engines;
        match self.seats.iter_mut().position(|(_, seat)| seat.take_over(contestant, engines)) {
            Some(other) => Ok(self.seats.remove(other).1),
            None => G::seat(contestant, engines, &self.options.setup),
        }
    }

    /// Keeps a seat for later, and lets go of the one that was not needed for longest.
    pub(super) fn keep_seat(&mut self, contestant: &Contestant, seat: Box<dyn Seat<G>>) {
        self.seats.push((contestant.clone(), seat));
        let too_many = self.seats.len().saturating_sub(self.options.max_seats);
        self.seats.drain(..too_many);
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

    pub(super) fn is_stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
    }
}
