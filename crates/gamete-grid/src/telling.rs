//! Telling those who wait for tasks what came of them, and whoever did them when all have stored it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gamete_arena::{Listener, OutcomeReceipt, Task, TaskError, TaskOutcome};

use crate::message::Refusal;
use crate::recent::short;
use crate::trust::{Author, Heard};

/// What is to be said when nobody needs the outcomes of a message any more, on whatever thread.
pub(crate) trait Receipt: Send + Sync + 'static {
    /// One of them is stored, or not needed.
    fn told(&self);
}

/// A receipt for tests: how many outcomes were told.
#[cfg(test)]
pub(crate) type Count = Arc<AtomicUsize>;

#[cfg(test)]
impl Receipt for Count {
    fn told(&self) {
        self.fetch_add(1, Ordering::Relaxed);
    }
}

/// Tasks whose outcomes were told and are not stored yet.
#[derive(Clone, Default)]
pub(crate) struct Unstored(Arc<Mutex<HashSet<[u8; 16]>>>);

impl Unstored {
    /// Whether somebody still has to store the outcome of this task.
    pub fn contains(&self, id: &str) -> bool {
        self.ids().contains(&short(id))
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<[u8; 16]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who is to be told, when nothing is locked.
pub(crate) struct Telling<R> {
    task: Task,
    listeners: Vec<Box<dyn Listener>>,
    result: Result<TaskOutcome, Refusal>,
    receipt: Option<StoredReceipt<R>>,
    /// Who did it, if anybody.
    pub author: Option<Author>,
    /// How long it took.
    pub micros: u64,
}

/// The receipt of an outcome that was told, for when all who were told have stored it.
struct StoredReceipt<R> {
    id: [u8; 16],
    unstored: Unstored,
    receipt: R,
}

impl<R: Receipt> StoredReceipt<R> {
    fn stored(&self) {
        self.receipt.told();
        self.unstored.ids().remove(&self.id);
    }
}

impl<R: Receipt> Telling<R> {
    /// What a worker found; its receipt is kept until all listeners have stored the outcome.
    pub fn found(
        heard: Heard<R>,
        task: Task,
        listeners: Vec<Box<dyn Listener>>,
        unstored: &Unstored,
    ) -> Self {
        let Heard { answer, author, receipt, .. } = heard;
        let id = short(&answer.id);
        unstored.ids().insert(id);
        let receipt = Some(StoredReceipt { id, unstored: unstored.clone(), receipt });
        Self { task, listeners, result: answer.result, receipt, author: Some(author), micros: answer.micros }
    }

    /// That there is no outcome.
    pub fn failed(task: Task, listeners: Vec<Box<dyn Listener>>, reason: String) -> Self {
        let result = Err(Refusal::Refused(reason));
        Self { task, listeners, result, receipt: None, author: None, micros: 0 }
    }

    /// What came of which task.
    pub fn outcome(&self) -> (&Task, &Result<TaskOutcome, Refusal>) {
        (&self.task, &self.result)
    }

    /// Tells them.
    pub fn tell(self) {
        let Self { task, mut listeners, result, receipt, .. } = self;
        let shared = Arc::new((AtomicUsize::new(listeners.len()), receipt));
        let receipt = || -> OutcomeReceipt {
            let shared = Arc::clone(&shared);
            Box::new(move || {
                let (left, receipt) = &*shared;
                if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    receipt.iter().for_each(StoredReceipt::stored);
                }
            })
        };
        let last = listeners.pop();
        for listener in listeners {
            listener.done_with_receipt(task.clone(), in_words(result.clone()), receipt());
        }
        if let Some(last) = last {
            last.done_with_receipt(task, in_words(result), receipt());
        }
    }
}

fn in_words(result: Result<TaskOutcome, Refusal>) -> Result<TaskOutcome, TaskError> {
    result.map_err(|refusal| match refusal {
        Refusal::Refused(reason) => TaskError::Elsewhere(reason),
        Refusal::Panicked(message) => TaskError::Panicked(message),
    })
}
