use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::Notify;

/// What a worker has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WorkerCounts {
    /// Tasks that it did.
    pub done: u64,
    /// Those of them that it had no outcome of, and games in which a player failed.
    pub failed: u64,
    /// Tasks that it has in hand.
    pub in_hand: u64,
    /// Experiments that it takes tasks of.
    pub experiments: usize,
    /// Tasks a second, of late.
    pub rate: f64,
}

/// What the thread of a worker shares with who started it.
#[derive(Default)]
pub(super) struct Shared {
    /// No more tasks are taken.
    pub leaving: AtomicBool,
    /// Those in hand are given back.
    pub returning: AtomicBool,
    pub wake: Notify,
    pub done: AtomicU64,
    pub failed: AtomicU64,
    pub in_hand: AtomicU64,
    pub experiments: AtomicU64,
    /// Thousandths of a task a second.
    pub rate: AtomicU64,
}

impl Shared {
    pub fn counts(&self) -> WorkerCounts {
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
        WorkerCounts {
            done: get(&self.done),
            failed: get(&self.failed),
            in_hand: get(&self.in_hand),
            experiments: get(&self.experiments) as usize,
            rate: get(&self.rate) as f64 / 1000.0,
        }
    }

    pub fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    pub fn is_returning(&self) -> bool {
        self.returning.load(Ordering::Relaxed)
    }
}
