use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use super::{MatchControl, MatchError, MatchEvent, MatchFailure, MatchObserver};
use crate::Termination;
use crate::executor::{Listener, OutcomeReceipt, no_receipt};
use crate::task::{GameOutcome, Task, TaskError, TaskOutcome};

/// A game by its place in the match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of its encounter.
    pub encounter: u64,
    /// Which game of the encounter, from 0.
    pub game: usize,
}

/// What came of a game.
pub(super) struct Report {
    pub place: Place,
    pub game: Result<GameOutcome, MatchError>,
    pub receipt: OutcomeReceipt,
}

/// Waits for a game.
pub(super) struct GameListener {
    pub place: Place,
    /// The number of the game in the match, from 1.
    pub number: u64,
    /// Games of the whole match.
    pub planned: Arc<AtomicU64>,
    /// Who has White, and who has Black.
    pub names: [String; 2],
    /// Whether the match goes on after faults.
    pub recover: bool,
    pub control: Arc<MatchControl>,
    pub observer: Arc<dyn MatchObserver>,
    pub sender: Sender<Report>,
}

impl GameListener {
    fn tell(&self, game: Result<GameOutcome, MatchError>, receipt: OutcomeReceipt) {
        // Whoever listens does so until all games are heard of.
        let _ = self.sender.send(Report { place: self.place, game, receipt });
    }

    fn internal_error(&self) -> MatchError {
        MatchError::Internal(self.place.encounter + 1)
    }

    fn over(&self, game: GameOutcome) -> Result<GameOutcome, MatchError> {
        if let Some(failure) = MatchFailure::of(self.number, &self.names, &game).filter(|_| !self.recover) {
            self.control.stop();
            return Err(failure.into());
        }
        self.observer.event(&MatchEvent::GameOver { number: self.number })?;
        Ok(game)
    }
}

fn is_crash(game: &GameOutcome) -> bool {
    matches!(game.termination, Termination::Disconnect { .. })
}

impl Listener for GameListener {
    fn begin(&mut self) -> bool {
        let [white, black] = &self.names;
        let planned_games = self.planned.load(Ordering::Relaxed);
        let event = MatchEvent::GameBegun { number: self.number, planned_games, white, black };
        self.control.begin_game(|| self.observer.event(&event)).unwrap_or_else(|error| {
            self.tell(Err(error.into()), no_receipt());
            false
        })
    }

    fn place(&self) -> Option<String> {
        Some(self.number.to_string())
    }

    fn done(self: Box<Self>, task: Task, outcome: Result<TaskOutcome, TaskError>) {
        self.done_with_receipt(task, outcome, no_receipt());
    }

    fn done_with_receipt(
        self: Box<Self>,
        _task: Task,
        outcome: Result<TaskOutcome, TaskError>,
        receipt: OutcomeReceipt,
    ) {
        let game = match outcome {
            // A signal to everybody may have reached an engine that was just being started. It is played again.
            Ok(TaskOutcome::Game(game)) if self.control.is_finishing() && is_crash(&game) => {
                return receipt();
            }
            Ok(TaskOutcome::Game(game)) => self.over(game),
            Ok(_) | Err(TaskError::Panicked(_)) => Err(self.internal_error()),
            Err(TaskError::Interrupted) => return receipt(),
            Err(error) => Err(error.into()),
        };
        self.tell(game, receipt);
    }
}

impl Drop for GameListener {
    /// A panic ends the match: nobody would ever hear of the game.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.tell(Err(self.internal_error()), no_receipt());
        }
    }
}
