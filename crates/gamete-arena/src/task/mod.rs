//! Tasks as plain data, games above all: what is to be done, the doing of it, and what comes of it.

mod contestant;
mod expert_task;
mod game_outcome;
mod game_task;
mod move_detail;
mod play;
mod seat;
mod solve_task;
mod study;
#[cfg(test)]
mod tests;
mod workspace;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::executor::{News, Worker, execute};
use crate::{GameName, Termination};
use expert_task::compare;
use solve_task::solve;

pub use contestant::{Competitor, Contestant};
pub use expert_task::{ExpertMove, ExpertOutcome, ExpertTask};
pub use game_outcome::{GameOutcome, Timing};
pub(crate) use game_task::parse_moves;
pub use game_task::{GameTask, TaskError};
pub use move_detail::MoveDetail;
pub use play::{play, play_detailed};
pub use seat::{PlayerSeat, Reply, Seat, SeatFault};
pub use solve_task::{Puzzle, Solution, SolveOutcome, SolveTask};
pub use workspace::Workspace;

/// A piece of work, as plain data: its outcome is the same wherever it is done, unless a clock has a part in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Play a game.
    Game(Box<GameTask>),
    /// Solve positions.
    Solve(SolveTask),
    /// Agree with experts.
    Expert(ExpertTask),
}

/// What came of a [`Task`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOutcome {
    /// Of a game.
    Game(GameOutcome),
    /// Of positions to be solved.
    Solve(SolveOutcome),
    /// Of a comparison with experts.
    Expert(ExpertOutcome),
}

impl Task {
    /// Which game it is about.
    pub fn game(&self) -> GameName {
        match self {
            Self::Game(task) => task.game,
            Self::Solve(task) => task.game,
            Self::Expert(task) => task.game,
        }
    }
}

impl From<GameTask> for Task {
    fn from(task: GameTask) -> Self {
        Self::Game(Box::new(task))
    }
}

impl From<SolveTask> for Task {
    fn from(task: SolveTask) -> Self {
        Self::Solve(task)
    }
}

impl From<ExpertTask> for Task {
    fn from(task: ExpertTask) -> Self {
        Self::Expert(task)
    }
}

/// Does a task.
///
/// # Errors
///
/// When it makes no sense, or was broken off.
pub fn run(task: &Task, workspace: &mut Workspace<'_>) -> Result<TaskOutcome, TaskError> {
    match task {
        Task::Game(task) => {
            let game = workspace.play(task)?;
            if game.termination == Termination::Interrupted {
                return Err(TaskError::Interrupted);
            }
            Ok(TaskOutcome::Game(game))
        }
        Task::Solve(task) => Ok(TaskOutcome::Solve(dispatch!(
            task.game, G => solve(task, workspace.of_game::<G>())?
        ))),
        Task::Expert(task) => Ok(TaskOutcome::Expert(dispatch!(
            task.game, G => compare(task, workspace.of_game::<G>())?
        ))),
    }
}

/// Does tasks side by side, one thread to a workspace, and gives their outcomes in order. `on_done` hears of each as it
/// comes, by its number.
///
/// # Errors
///
/// When a task makes no sense or was broken off; then no more are begun.
pub fn run_all(
    workspaces: &mut [Workspace<'_>],
    tasks: impl IntoIterator<Item = Task, IntoIter: Send>,
    mut on_done: impl FnMut(usize, &TaskOutcome),
) -> Result<Vec<TaskOutcome>, TaskError> {
    let threads = workspaces.len();
    let free = Mutex::new(workspaces.iter_mut().collect::<Vec<_>>());
    let take = || free.lock().ok().and_then(|mut free| free.pop()).expect("a workspace for each thread");
    let (mut outcomes, mut result) = (BTreeMap::new(), Ok(()));
    execute(threads, tasks.into_iter().enumerate(), take, |News::Done((number, _), answer)| {
        match answer {
            Ok(outcome) => {
                on_done(number, &outcome);
                outcomes.insert(number, outcome);
            }
            Err(error) => result = Err(error),
        }
        if result.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    result.map(|()| outcomes.into_values().collect())
}

/// A thread of [`execute`](super::execute) that does numbered tasks.
impl Worker for Workspace<'_> {
    type Job = (usize, Task);
    type Event = Infallible;
    type Answer = Result<TaskOutcome, TaskError>;

    fn work(&mut self, (_, task): &(usize, Task), _: &mut dyn FnMut(Infallible)) -> Self::Answer {
        run(task, self)
    }
}
