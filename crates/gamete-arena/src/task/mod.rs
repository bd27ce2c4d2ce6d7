//! Tasks as plain data, games above all: what is to be done, the doing of it, and what comes of it.

mod contestant;
mod expert_task;
mod game_outcome;
mod game_task;
mod key;
mod move_detail;
mod named_engine;
mod play;
mod replay;
mod score_task;
mod seat;
mod solve_task;
mod study;
#[cfg(test)]
pub(crate) mod tests;
mod workspace;

use serde::{Deserialize, Serialize};

use crate::GameName;

pub use contestant::{Competitor, Contestant};
pub use expert_task::{ExpertMove, ExpertOutcome, ExpertTask};
pub use game_outcome::{GameOutcome, Timing};
pub(crate) use game_task::parse_moves;
pub use game_task::{GameTask, TaskError};
pub(crate) use key::KeyWriter;
pub use key::TaskKey;
pub use move_detail::MoveDetail;
pub use named_engine::NamedEngine;
pub use play::play;
pub use score_task::{ScoreOutcome, ScoreTask, ScoredPosition};
pub use seat::{PlayerSeat, Reply, Seat, SeatFault};
pub use solve_task::{Puzzle, Solution, SolveOutcome, SolveTask};
pub use workspace::{Workspace, WorkspaceOptions};

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
    /// Score positions.
    Score(ScoreTask),
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
    /// Of positions to be scored.
    Score(ScoreOutcome),
}

impl Task {
    /// Which game it is about.
    pub fn game(&self) -> GameName {
        match self {
            Self::Game(task) => task.game,
            Self::Solve(task) => task.game,
            Self::Expert(task) => task.game,
            Self::Score(task) => task.game,
        }
    }

    /// Who does it.
    pub fn contestants(&self) -> impl Iterator<Item = &Contestant> {
        let (first, second) = match self {
            Self::Game(task) => (&task.white, Some(&task.black)),
            Self::Solve(task) => (&task.solver, None),
            Self::Expert(task) => (&task.player, None),
            Self::Score(task) => (&task.mentor, None),
        };
        std::iter::once(first).chain(second)
    }

    /// Other programs that have a part in it, to say what they are.
    pub fn engines_mut(&mut self) -> impl Iterator<Item = &mut NamedEngine> {
        self.contestants_mut().filter_map(|contestant| match &mut contestant.competitor {
            Competitor::Player(_) => None,
            Competitor::Engine(engine) => Some(engine),
        })
    }

    /// Who does it, to say how much each may think.
    pub fn contestants_mut(&mut self) -> impl Iterator<Item = &mut Contestant> {
        let (first, second) = match self {
            Self::Game(task) => (&mut task.white, Some(&mut task.black)),
            Self::Solve(task) => (&mut task.solver, None),
            Self::Expert(task) => (&mut task.player, None),
            Self::Score(task) => (&mut task.mentor, None),
        };
        std::iter::once(first).chain(second)
    }

    /// Its key.
    pub fn key(&self) -> TaskKey {
        TaskKey::of(self)
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

impl From<ScoreTask> for Task {
    fn from(task: ScoreTask) -> Self {
        Self::Score(task)
    }
}
