//! Who does tasks: threads of this machine, or a function in tests. Workers on other machines are a crate of their own.

mod fake;
mod in_order;
mod local;
mod pool;
mod submit_all;

use std::any::Any;
use std::time::Duration;

use crate::task::{Task, TaskError, TaskKey, TaskOutcome};

pub use fake::Fake;
pub use in_order::InOrder;
pub use local::{Local, LocalOptions};
pub use pool::STACK_BYTES;
pub use submit_all::{submit_all, submit_all_placed};

/// Does tasks, wherever and however many at a time.
///
/// Tasks are begun in the order in which they are submitted. What becomes of each is told to its [`Listener`]; a listener that
/// is dropped without having heard of an outcome will not hear of one.
pub trait Executor: Send + Sync {
    /// Takes a task. Two tasks with one key have the same outcome, unless a clock has a part in it.
    fn submit(&self, key: TaskKey, task: Task, listener: Box<dyn Listener>);

    /// Begins no more tasks, and drops the listeners of those that wait. Those in hand are finished.
    fn close(&self);

    /// The same, and those in hand are broken off.
    fn stop(&self);

    /// How many tasks it does at a time, as far as that is known.
    fn capacity(&self) -> usize;

    /// How many tasks are worth having submitted at a time, so that none of those who do them waits.
    fn room(&self) -> usize {
        2 * self.capacity()
    }

    /// How many threads of this machine there are for other work while no tasks are done.
    fn threads(&self) -> usize {
        self.capacity()
    }

    /// The time that went into tasks, all together.
    fn busy(&self) -> Duration;
}

/// Who waits for a task. It is called wherever the executor works, and so has to be quick.
pub trait Listener: Send {
    /// The task is about to be begun; `false` withdraws it.
    fn begin(&mut self) -> bool {
        true
    }

    /// Where what comes of the task is journalled, if it is: what tells it, in every session, from others with the same key that a clock has
    /// a part in.
    fn place(&self) -> Option<String> {
        None
    }

    /// What came of the task, which is handed back.
    fn done(self: Box<Self>, task: Task, outcome: Result<TaskOutcome, TaskError>);

    /// The same where whoever did the task keeps the outcome for a later session until it gets a receipt. One who journals outcomes
    /// gives it when this one is in the journal.
    fn done_with_receipt(
        self: Box<Self>,
        task: Task,
        outcome: Result<TaskOutcome, TaskError>,
        receipt: OutcomeReceipt,
    ) {
        self.done(task, outcome);
        receipt();
    }
}

/// Says that an outcome is stored, or that nobody needs it. Where it is dropped instead, a later session is told of the outcome again.
pub type OutcomeReceipt = Box<dyn FnOnce() + Send>;

/// The receipt for an outcome that nobody keeps.
pub(crate) fn no_receipt() -> OutcomeReceipt {
    Box::new(|| ())
}

impl<F: FnOnce(Task, Result<TaskOutcome, TaskError>) + Send> Listener for F {
    fn done(self: Box<Self>, task: Task, outcome: Result<TaskOutcome, TaskError>) {
        self(task, outcome);
    }
}

/// What a panic said.
fn panicked(payload: &(dyn Any + Send)) -> TaskError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    TaskError::Panicked(text.unwrap_or("no message").to_owned())
}
