//! What is said and done as the games of a match begin and end.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use anyhow::{Result, anyhow};
use gamete_arena::{GameOutcome, Listener, Task, TaskError, TaskOutcome, Termination};
use gamete_game::Color;
use gamete_stats::report;
use indicatif::ProgressBar;

use super::super::log_options::Log;
use super::super::signals::Signals;
use crate::terminal::outln;

/// Says that games begin and counts those that are over. That is done where they are played, so that what is said of a game
/// does not come after what its players were told.
pub struct Announcer {
    pub bar: ProgressBar,
    pub json: bool,
    pub log: Option<Log>,
    /// Games of the whole match.
    pub total: AtomicU64,
}

impl Announcer {
    fn started(&self, number: u64, [white, black]: [&str; 2]) -> Result<()> {
        let line = report::started_game(number, self.total.load(Ordering::Relaxed), white, black);
        if let Some(log) = &self.log {
            log.info(&line);
        }
        if !self.json {
            self.bar.suspend(|| outln!("{line}"))?;
        }
        Ok(())
    }
}

/// A contestant failed in a match that does not go on then.
#[derive(Debug)]
pub struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; the match stops there, as -recover off says, and the same command plays it again",
            self.0
        )
    }
}

impl std::error::Error for Failure {}

/// A game by its place in the match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of its encounter.
    pub encounter: u64,
    /// Which game of the encounter, from 0.
    pub game: usize,
}

/// Waits for a game.
pub struct GameListener {
    pub place: Place,
    /// The number of the game in the match, from 1.
    pub number: u64,
    /// Who has White, and who has Black.
    pub names: [String; 2],
    /// Whether the match goes on after faults.
    pub recover: bool,
    pub signals: Arc<Signals>,
    pub announcer: Arc<Announcer>,
    pub sender: Sender<(Place, Result<GameOutcome>)>,
}

impl GameListener {
    fn tell(&self, game: Result<GameOutcome>) {
        // Whoever listens does so until all games are heard of.
        let _ = self.sender.send((self.place, game));
    }

    /// Whether the match was told to end.
    fn is_ending(&self) -> bool {
        self.signals.finish.load(Ordering::Relaxed)
    }

    fn failure(&self, game: &GameOutcome) -> Option<Failure> {
        let color = game.termination.at_fault().filter(|_| !self.recover)?;
        let culprit = &self.names[usize::from(color == Color::Black)];
        let detail = game.fault.as_ref().map_or_else(String::new, |fault| format!(": {fault}"));
        Some(Failure(format!("game {}: {culprit}: {}{detail}", self.number, game.termination)))
    }
}

fn is_crash(game: &GameOutcome) -> bool {
    matches!(game.termination, Termination::Disconnect { .. })
}

impl Listener for GameListener {
    fn begin(&mut self) -> bool {
        let [white, black] = &self.names;
        match self.signals.begin_game(|| self.announcer.started(self.number, [white, black])) {
            Ok(begins) => begins,
            Err(error) => {
                self.tell(Err(error));
                false
            }
        }
    }

    fn done(self: Box<Self>, _task: Task, outcome: Result<TaskOutcome, TaskError>) {
        match outcome {
            // A signal to everybody may have reached an engine that was just being started. It is played again.
            Ok(TaskOutcome::Game(game)) if self.is_ending() && is_crash(&game) => {}
            Ok(TaskOutcome::Game(game)) => match self.failure(&game) {
                Some(failure) => {
                    self.signals.stop.store(true, Ordering::Relaxed);
                    self.tell(Err(failure.into()));
                }
                None => {
                    self.announcer.bar.inc(1);
                    self.tell(Ok(game));
                }
            },
            Ok(TaskOutcome::Solve(_) | TaskOutcome::Expert(_)) => unreachable!("the outcome of a game"),
            Err(TaskError::Interrupted) => {}
            Err(TaskError::Panicked(_)) => {
                let encounter = self.place.encounter + 1;
                self.tell(Err(anyhow!(
                    "internal error in encounter {encounter}; what is in the journal is safe"
                )));
            }
            Err(error) => self.tell(Err(error.into())),
        }
    }
}
