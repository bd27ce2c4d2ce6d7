//! The coordinator of an experiment: a handle that is an executor, and a thread that talks to the broker.

mod comparison;
mod coordinator;
mod dispatch;
mod failures;
mod jetstream;
mod options;
mod outcomes;
mod presence;
mod shared;
mod unserved;

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use gamete_arena::{Contestant, Executor, Listener, Task, TaskKey};
use tokio::sync::Notify;

use crate::names::{Names, engines_of, engines_token};
use crate::table::{Compared, Submission, Table};
use crate::{GridError, Worker, WorkerReport, build_signature};
use coordinator::Coordinator;
use shared::{LEAVING, OVER, RUNNING, Shared};

pub use options::{GridOptions, Lease};
pub(crate) use presence::GONE_AFTER;

/// Has tasks done by workers, wherever they are, as the coordinator of an experiment.
///
/// What it has given out is at the broker: when it dies and comes back under the same name, outcomes wait for it there, and
/// what is still in the queue is not sent again. A result is told once, however often it is delivered.
pub struct Grid {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Grid {
    /// Connects, and finds what an earlier life has left.
    ///
    /// # Errors
    ///
    /// When there is no broker, it does not let us in, or cannot keep what it is given.
    pub fn start(options: GridOptions) -> Result<Self, GridError> {
        let life = format!("{:016x}", RandomState::new().hash_one(0));
        let home = options.home.as_ref().unwrap_or(&life);
        let names = Names::new(&options.experiment, home, build_signature());
        let shared = Arc::new(Shared {
            table: Mutex::new(Table::new(HashSet::new())),
            wake: Notify::new(),
            ending: AtomicU8::new(RUNNING),
            stop: Arc::clone(&options.stop),
            slots: AtomicUsize::new(0),
            busy: AtomicU64::new(0),
            told: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            sent_again: AtomicU64::new(0),
            ledger: Mutex::default(),
            slug: names.slug.clone(),
            passes: options.home.is_none(),
            life,
            submitted: AtomicU64::new(0),
            repeatable: AtomicU64::new(0),
            checked: options.checked,
            own: OnceLock::new(),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (begun, is_begun) = mpsc::channel();
        let of_thread = Arc::clone(&shared);
        let run = move || {
            runtime.block_on(async move {
                match Coordinator::begin(options, names, of_thread).await {
                    Ok((coordinator, outcomes)) => {
                        let _ = begun.send(Ok(()));
                        Arc::new(coordinator).run(outcomes).await;
                    }
                    Err(error) => {
                        let _ = begun.send(Err(error));
                    }
                }
            });
        };
        let thread = std::thread::Builder::new().name("grid".to_owned()).spawn(run)?;
        let grid = Self { shared, thread: Some(thread) };
        match is_begun.recv() {
            Ok(Ok(())) => Ok(grid),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(GridError::broker("be used", "the thread of the grid has ended")),
        }
    }

    /// Ends the experiment: removes all that there is of it at the broker.
    pub fn finish(mut self) {
        self.end(OVER);
    }

    /// The experiment as it is called at the broker.
    pub fn slug(&self) -> &str {
        &self.shared.slug
    }

    /// Believes what this worker says, as one of the same machine: where others differ, it decides.
    pub fn believe(&self, worker: &Worker) {
        let own = self.shared.own.get_or_init(|| (worker.id().to_owned(), worker.seal().clone()));
        self.shared.table().trust.believe(&own.0);
    }

    /// What is known of the workers that were heard of.
    pub fn workers(&self) -> Vec<WorkerReport> {
        self.shared.workers()
    }

    /// Outcomes that are there and nobody has asked for.
    pub fn unclaimed(&self) -> usize {
        self.shared.table().unclaimed()
    }

    fn end(&mut self, how: u8) {
        self.shared.ending.store(how, Ordering::Relaxed);
        let all = self.shared.table().stop();
        drop(all);
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end(if self.shared.passes { OVER } else { LEAVING });
        }
    }
}

impl Executor for Grid {
    fn submit(&self, key: TaskKey, task: Task, listener: Box<dyn Listener>) {
        let shared = &self.shared;
        let is_repeatable = task.contestants().all(Contestant::is_repeatable);
        shared.repeatable.fetch_add(u64::from(is_repeatable), Ordering::Release);
        let number = shared.submitted.fetch_add(1, Ordering::Release);
        // Two games under a clock are two games even if they have one key.
        let id = match listener.place() {
            _ if is_repeatable => key.to_string(),
            Some(place) => format!("{key}.{place}"),
            None => format!("{key}.{}.{number}", shared.life),
        };
        let compared = match shared.checked {
            checked if checked.is_none() || !is_repeatable => Compared::Never,
            checked if checked.takes(key) => Compared::Always,
            _ => Compared::IfNeeded,
        };
        let engines = engines_of(&task);
        let token = engines_token(&engines);
        let (refused, is_ready) = {
            let mut table = shared.table();
            let refused = table.submit(Submission { id, engines, token, task, compared, listener });
            (refused, table.ready(shared.slots.load(Ordering::Relaxed)) > 0)
        };
        // Where enough is given out, outcomes wake whoever gives out more.
        if is_ready {
            shared.wake.notify_one();
        }
        // Listeners may want to submit or close while they are dropped.
        drop(refused);
    }

    fn close(&self) {
        let waiting = self.shared.table().close();
        drop(waiting);
    }

    fn stop(&self) {
        let all = self.shared.table().stop();
        drop(all);
    }

    fn capacity(&self) -> usize {
        self.shared.slots.load(Ordering::Relaxed).max(1)
    }

    fn room(&self) -> usize {
        self.shared.table().room(self.capacity())
    }

    fn threads(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn busy(&self) -> Duration {
        Duration::from_micros(self.shared.busy.load(Ordering::Relaxed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
