//! What an experiment runs on: the lab that a method sees, the journal, and what all runs share.

mod ask;
mod branches;
mod done_once;
mod error;
mod game_points;
mod journal;
mod lab;
mod meter;
#[cfg(test)]
mod tests;
mod writer;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gamete_arena::Executor;

use crate::store::Store;

pub use ask::{Ask, GameResult, TaskAnswer, Ticket};
pub use error::LabError;
pub(crate) use journal::{KeyVersion, TaskIdentity, hash_bytes};
pub use lab::Lab;
pub(crate) use meter::Meter;
pub(crate) use writer::{Inbox, Writer};

/// What all runs of an experiment share.
pub(crate) struct Runtime<'a> {
    pub experiment: &'a str,
    pub identity: TaskIdentity,
    pub executor: &'a dyn Executor,
    pub started: Instant,
    clock: RunningTime,
    reader: Mutex<Store>,
    /// It goes when nothing more is to be written.
    writer: Mutex<Option<Writer>>,
    /// Whoever holds it computes on all threads.
    computing: Mutex<()>,
    state: Arc<State>,
}

/// What is shared with tasks that are being done elsewhere.
#[derive(Default)]
pub(crate) struct State {
    pub meter: Meter,
    /// Nobody waits for tasks any more.
    closed: AtomicBool,
    /// What went wrong where nothing can go wrong.
    panic: Mutex<Option<String>>,
}

/// How long an experiment has run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunningTime {
    /// Seconds that were stored.
    pub earlier: f64,
    /// Whether time still counts: not where everything is finished.
    pub counts: bool,
}

impl State {
    /// Lets nobody wait for tasks any more. Those in hand are finished and written.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Ends the whole run: nobody waits for what will not come.
    pub fn panicked(&self, message: String) -> LabError {
        let mut panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        panic.get_or_insert_with(|| message.clone());
        drop(panic);
        self.close();
        LabError::Panicked(message)
    }
}

impl<'a> Runtime<'a> {
    pub fn new(
        experiment: &'a str,
        identity: TaskIdentity,
        executor: &'a dyn Executor,
        reader: Store,
        clock: RunningTime,
    ) -> (Self, Inbox) {
        let (writer, inbox) = Writer::new();
        let runtime = Self {
            experiment,
            identity,
            executor,
            started: Instant::now(),
            clock,
            reader: Mutex::new(reader),
            writer: Mutex::new(Some(writer)),
            computing: Mutex::default(),
            state: Arc::default(),
        };
        (runtime, inbox)
    }

    pub fn meter(&self) -> &Meter {
        &self.state.meter
    }

    /// Seconds that the experiment has run, all sessions together.
    pub fn seconds(&self) -> f64 {
        let RunningTime { earlier, counts } = self.clock;
        if counts { earlier + self.started.elapsed().as_secs_f64() } else { earlier }
    }

    /// Does something; a panic in it ends the whole run.
    pub fn guarded<T>(&self, act: impl FnOnce() -> Result<T, LabError>) -> Result<T, LabError> {
        catch_unwind(AssertUnwindSafe(act))
            .unwrap_or_else(|payload| Err(self.state.panicked(panic_message(payload.as_ref()))))
    }

    /// The first panic of the run, if there was one.
    pub fn panicked(&self) -> Option<String> {
        self.state.panic.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A place where tests make a thread panic, by the name of the experiment.
    pub fn test_panic_point(&self, place: &str) {
        #[cfg(test)]
        assert!(self.experiment != format!("panic-in-{place}"), "a test panics in {place}");
        let _ = place;
    }

    /// Lets nobody wait for tasks any more. Those in hand are finished and written.
    pub fn close(&self) {
        self.state.close();
    }

    /// Whether nobody waits for tasks any more.
    pub fn is_closed(&self) -> bool {
        self.state.is_closed()
    }

    /// What is set when nobody waits for tasks any more.
    pub fn stop(&self) -> &AtomicBool {
        &self.state.closed
    }

    /// What is stored, for reading.
    pub fn reader(&self) -> MutexGuard<'_, Store> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other run computes.
    pub fn wait_to_compute(&self) -> MutexGuard<'_, ()> {
        self.computing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has entries written.
    pub fn writer(&self) -> Result<Writer, LabError> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(LabError::Stopped)
    }

    /// Lets the writing thread go when it has written all that is in hand.
    pub fn finish_writing(&self) {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}
