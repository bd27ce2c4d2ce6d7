use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use gamete_game::{Color, Ending, Reason};

use super::{Executor, Listener, panicked};
use crate::task::{
    Competitor, GameOutcome, GameTask, Solution, SolveOutcome, SolveTask, Task, TaskError, TaskKey,
    TaskOutcome,
};
use crate::{Player, Rng};

/// Takes the outcomes of tasks from a function, at once and where they are submitted: for tests.
pub struct Fake {
    answer: Box<Answer>,
    closed: AtomicBool,
    tasks: AtomicU64,
}

type Answer = dyn Fn(&Task) -> Result<TaskOutcome, TaskError> + Send + Sync;

impl Fake {
    /// Outcomes by a function.
    pub fn new(answer: impl Fn(&Task) -> Result<TaskOutcome, TaskError> + Send + Sync + 'static) -> Self {
        Self { answer: Box::new(answer), closed: AtomicBool::new(false), tasks: AtomicU64::new(0) }
    }

    /// Outcomes of players of known strength, in units of 400 Elo: see [`outcome`](Self::outcome).
    pub fn by_strength(strength: impl Fn(&Player) -> f64 + Send + Sync + 'static) -> Self {
        Self::new(move |task| Ok(Self::outcome(task, &strength)))
    }

    /// The outcome of a task of players of known strength: a [`game`](Self::game), or positions that are [solved](Self::solve).
    ///
    /// # Panics
    ///
    /// When it is another kind of task.
    pub fn outcome(task: &Task, strength: impl Fn(&Player) -> f64) -> TaskOutcome {
        match task {
            Task::Game(task) => TaskOutcome::Game(Self::game(task, strength)),
            Task::Solve(task) => TaskOutcome::Solve(Self::solve(task, strength)),
            Task::Expert(_) | Task::Score(_) => panic!("a fake that knows strengths is asked for {task:?}"),
        }
    }

    /// A game of two players of known strength: White wins, draws or loses as the difference has it, by a number drawn from
    /// the key of the task.
    pub fn game(task: &GameTask, strength: impl Fn(&Player) -> f64) -> GameOutcome {
        let of = |competitor: &Competitor| strength_of(competitor, &strength);
        let difference = of(&task.white.competitor) - of(&task.black.competitor);
        let expected = 1.0 / (1.0 + 10_f64.powf(-difference));
        let key = TaskKey::of_game(task);
        let mut rng = Rng::new(key.short().cast_unsigned());
        let draw = expected.min(1.0 - expected);
        let number = rng.next_u64() as f64 / u64::MAX as f64;
        let termination = if number < expected - draw / 2.0 {
            Ending::win(Color::White, Reason::Checkmate).into()
        } else if number < expected + draw / 2.0 {
            Ending::draw(Reason::Stalemate).into()
        } else {
            Ending::win(Color::Black, Reason::Checkmate).into()
        };
        let plies = 20 + (rng.next_u64() % 60) as usize;
        GameOutcome {
            moves: (0..plies).map(|ply| format!("move {}", rng.next_u64() % 1000 + ply as u64)).collect(),
            thoughts: vec![None; plies],
            details: Vec::new(),
            termination,
            fault: None,
            timing: None,
        }
    }

    /// Positions that a player of known strength solves with a chance of one in two at strength 0, and with the fewer nodes the
    /// stronger it is, by numbers drawn from the key of the task.
    pub fn solve(task: &SolveTask, strength: impl Fn(&Player) -> f64) -> SolveOutcome {
        let strength = strength_of(&task.solver.competitor, &strength);
        let chance = 1.0 / (1.0 + 10_f64.powf(-strength));
        let mut rng = Rng::new(Task::from(task.clone()).key().short().cast_unsigned());
        let mut solution = || {
            let [luck, share] = [0, 1].map(|_: u8| rng.uniform());
            let nodes = (1_000.0 * (1.0 - chance) * share) as u64;
            Solution {
                solved: luck < chance,
                chosen: Some("a move".to_owned()),
                nodes: 1_000,
                settled: Some(nodes),
                fault: None,
            }
        };
        SolveOutcome { solutions: task.positions.iter().map(|_| solution()).collect() }
    }

    /// How many tasks it was asked for and answered.
    pub fn tasks(&self) -> u64 {
        self.tasks.load(Ordering::Relaxed)
    }
}

fn strength_of(competitor: &Competitor, strength: impl Fn(&Player) -> f64) -> f64 {
    match competitor {
        Competitor::Player(player) => strength(player),
        Competitor::Engine(_) => 0.0,
    }
}

impl Executor for Fake {
    fn submit(&self, _key: TaskKey, task: Task, mut listener: Box<dyn Listener>) {
        if self.closed.load(Ordering::Relaxed) || !listener.begin() {
            return;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.answer)(&task)));
        self.tasks.fetch_add(1, Ordering::Relaxed);
        listener.done(task, outcome.unwrap_or_else(|payload| Err(panicked(payload.as_ref()))));
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn stop(&self) {
        self.close();
    }

    fn capacity(&self) -> usize {
        1
    }

    fn busy(&self) -> Duration {
        Duration::ZERO
    }
}
