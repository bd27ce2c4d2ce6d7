use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// Batches that take less than this are fetched ahead.
const SHORT: Duration = Duration::from_secs(1);

/// How many batches a worker has: one for each thread, and as many again where they are short.
pub(super) struct Hand {
    threads: usize,
    state: Mutex<HandState>,
    pub freed: Notify,
}

#[derive(Default)]
struct HandState {
    held: usize,
    /// What the latest batches took.
    time: Option<Duration>,
}

impl Hand {
    pub fn new(threads: usize) -> Self {
        Self { threads, state: Mutex::default(), freed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, HandState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room, and takes all of it.
    pub async fn reserve(&self) -> usize {
        loop {
            let freed = self.freed.notified();
            {
                let mut state = self.state();
                let is_short = state.time.is_none_or(|time| time < SHORT);
                let most = if is_short { 2 * self.threads } else { self.threads };
                let free = most.saturating_sub(state.held);
                if free > 0 {
                    state.held += free;
                    return free;
                }
            }
            freed.await;
        }
    }

    pub fn release(&self, count: usize) {
        self.state().held -= count;
        self.freed.notify_waiters();
    }

    pub fn learn(&self, time: Duration) {
        let mut state = self.state();
        state.time = Some(state.time.map_or(time, |known| (3 * known + time) / 4));
    }

    pub fn is_empty(&self) -> bool {
        self.state().held == 0
    }
}
