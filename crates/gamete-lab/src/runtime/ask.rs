use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};

use gamete_arena::{
    ExpertOutcome, ExpertTask, GameOutcome, GameTask, Listener, OutcomeReceipt, ScoreOutcome, ScoreTask,
    SolveOutcome, SolveTask, Task, TaskError, TaskKey, TaskOutcome, Termination,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::writer::Writer;
use super::{LabError, State};
use crate::concern::GameWatch;
use crate::store::{Entry, GameRecord};
use crate::view::Event;

/// A task that a method can ask for.
pub trait Ask: Into<Task> {
    /// What it hears of it.
    type Answer: TaskAnswer;

    /// Whether it comes to the same every time and may be asked for again: a run does it once, and remembers what came of it.
    fn is_done_once(&self) -> bool {
        false
    }
}

/// What a method hears of a task, and what the journal keeps of it.
pub trait TaskAnswer: Serialize + DeserializeOwned + Send + 'static {
    /// What is kept of an outcome, if it is of this kind.
    fn of(outcome: &TaskOutcome) -> Option<Self>;

    /// The game, if it is one: games are counted.
    fn as_game(&self) -> Option<&GameResult> {
        None
    }
}

/// What a method receives of a game.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// How it ended.
    pub termination: Termination,
    /// How long it was, the opening left out.
    pub plies: u32,
}

impl Ask for GameTask {
    type Answer = GameResult;
}

impl TaskAnswer for GameResult {
    fn of(outcome: &TaskOutcome) -> Option<Self> {
        let TaskOutcome::Game(game) = outcome else { return None };
        Some(Self { termination: game.termination, plies: game.moves.len() as u32 })
    }

    fn as_game(&self) -> Option<&GameResult> {
        Some(self)
    }
}

impl Ask for SolveTask {
    type Answer = SolveOutcome;

    /// An elite solves the same positions in every generation.
    fn is_done_once(&self) -> bool {
        self.solver.is_repeatable()
    }
}

impl TaskAnswer for SolveOutcome {
    fn of(outcome: &TaskOutcome) -> Option<Self> {
        match outcome {
            TaskOutcome::Solve(outcome) => Some(outcome.clone()),
            _ => None,
        }
    }
}

impl Ask for ExpertTask {
    type Answer = ExpertOutcome;
}

impl TaskAnswer for ExpertOutcome {
    fn of(outcome: &TaskOutcome) -> Option<Self> {
        match outcome {
            TaskOutcome::Expert(outcome) => Some(outcome.clone()),
            _ => None,
        }
    }
}

impl Ask for ScoreTask {
    type Answer = ScoreOutcome;
}

impl TaskAnswer for ScoreOutcome {
    fn of(outcome: &TaskOutcome) -> Option<Self> {
        match outcome {
            TaskOutcome::Score(outcome) => Some(outcome.clone()),
            _ => None,
        }
    }
}

/// A task that was asked for.
pub struct Ticket<A = GameResult> {
    pub(super) awaited: Awaited<A>,
    /// Its key, if what comes of it is to be remembered.
    pub(super) remembered: Option<TaskKey>,
}

pub(super) enum Awaited<A> {
    /// The journal has it.
    Known(A),
    /// It is being done.
    Open(mpsc::Receiver<Result<A, LabError>>),
    /// The same was asked for before. This time it has this number and hash in the journal.
    Before { key: TaskKey, number: u64, hash: i64 },
}

/// Has the outcome of a task written down, and then tells who waits for it.
pub(super) struct Asked<A> {
    pub state: Arc<State>,
    pub writer: Writer,
    pub run: i64,
    pub number: u64,
    pub hash: i64,
    /// The generation under which a game is kept, if it is.
    pub keep: Option<u32>,
    /// Who looks at the games of the run.
    pub watch: Arc<GameWatch>,
    pub reply: mpsc::Sender<Result<A, LabError>>,
}

impl<A: TaskAnswer> Listener for Asked<A> {
    fn begin(&mut self) -> bool {
        !self.state.is_closed()
    }

    fn place(&self) -> Option<String> {
        Some(format!("{}-{}", self.run, self.number))
    }

    fn done(self: Box<Self>, task: Task, outcome: Result<TaskOutcome, TaskError>) {
        self.done_with_receipt(task, outcome, Box::new(|| ()));
    }

    fn done_with_receipt(
        self: Box<Self>,
        task: Task,
        outcome: Result<TaskOutcome, TaskError>,
        receipt: OutcomeReceipt,
    ) {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(TaskError::Interrupted) => return receipt(),
            Err(error) => {
                receipt();
                let error = match error {
                    TaskError::Panicked(message) => self.state.panicked(message),
                    error => LabError::Task(error.to_string()),
                };
                // Nobody listens after a stop.
                let _ = self.reply.send(Err(error));
                return;
            }
        };
        let Some(answer) = A::of(&outcome) else {
            receipt();
            let error = self.state.panicked("an outcome of another kind of task".to_owned());
            let _ = self.reply.send(Err(error));
            return;
        };
        let broken = self.broken(&task, &outcome);
        let game = self.see_game(task, outcome);
        let Self { state, writer, run, number, hash, reply, .. } = *self;
        let text = serde_json::to_string(&answer).expect("plain data");
        let entry = Entry::Outcome { run, number, task: hash, answer: text, game };
        writer.write(entry, move |written| {
            if written.is_ok() {
                receipt();
            }
            let answer = match broken {
                Some(broken) => {
                    state.close();
                    Err(LabError::Broken(broken))
                }
                None => written.map(|()| answer).map_err(LabError::from),
            };
            let _ = reply.send(answer);
        });
    }
}

impl<A: TaskAnswer> Asked<A> {
    /// What is wrong with a player that cannot play.
    fn broken(&self, task: &Task, outcome: &TaskOutcome) -> Option<String> {
        let (Task::Game(task), TaskOutcome::Game(game)) = (task, outcome) else { return None };
        self.watch.broken(task, game)
    }

    /// Counts a game; gives its record, if it is to be kept.
    fn see_game(&self, task: Task, outcome: TaskOutcome) -> Option<Box<GameRecord>> {
        let (Task::Game(task), TaskOutcome::Game(game)) = (task, outcome) else { return None };
        let meter = &self.state.meter;
        meter.played.fetch_add(1, Ordering::Relaxed);
        if let Some(concern) = self.watch.tell(&task, &game) {
            meter.tell_concern(concern);
        }
        let game = self.keep.map(|generation| Box::new(record(*task, game, generation)));
        if let Some(game) = &game {
            meter.tell(Event::Game { run: self.watch.path().to_owned(), game: game.clone() });
        }
        game
    }
}

fn record(task: GameTask, outcome: GameOutcome, generation: u32) -> GameRecord {
    GameRecord {
        generation,
        game: task.game,
        white: task.white.name,
        black: task.black.name,
        start: task.start,
        moves: task.book.into_iter().chain(outcome.moves).collect(),
        termination: outcome.termination,
    }
}
