//! A machine that does tasks of others: a handle, and a thread that talks to the broker.

mod batch;
mod gathered;
mod hand;
mod lender;
mod offers;
mod options;
mod outcomes;
mod queue;
mod rest;
mod shared;

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use gamete_arena::{Executor, Local, LocalOptions, WorkspaceOptions};

use crate::GridError;
use crate::seal::Seal;
use lender::Lender;
use shared::Shared;

pub use options::WorkerOptions;
pub use shared::WorkerCounts;

/// Takes tasks of any experiment at a broker, does them on threads of this machine, and sends back what came of them.
///
/// It runs nothing but players of ours and the programs of its own catalogue, whatever a task says.
pub struct Worker {
    id: String,
    seal: Seal,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Connects, and takes tasks from then on.
    ///
    /// # Errors
    ///
    /// When there is no broker, it does not let us in, or there are no threads.
    pub fn start(options: WorkerOptions) -> Result<Self, GridError> {
        let workspace =
            WorkspaceOptions { engines: Arc::clone(&options.engines), ..WorkspaceOptions::default() };
        let threads = LocalOptions { threads: options.concurrency, workspace, ..LocalOptions::default() };
        let local = Local::with_options(threads)?;
        Self::with_executor(options, Box::new(local))
    }

    /// The same where tasks are done by somebody else than threads of this machine.
    ///
    /// # Errors
    ///
    /// When there is no broker, or it does not let us in.
    pub fn with_executor(options: WorkerOptions, executor: Box<dyn Executor>) -> Result<Self, GridError> {
        let shared = Arc::<Shared>::default();
        let id = format!("{:016x}", RandomState::new().hash_one(0));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (begun, is_begun) = mpsc::channel();
        let seal = Seal::new();
        let (of_thread, identity) = (Arc::clone(&shared), (id.clone(), seal.clone()));
        let run = move || {
            runtime.block_on(async move {
                match Lender::begin(options, identity, of_thread, executor).await {
                    Ok((lender, subscriptions)) => {
                        let _ = begun.send(Ok(()));
                        Arc::new(lender).run(subscriptions).await;
                    }
                    Err(error) => {
                        let _ = begun.send(Err(error));
                    }
                }
            });
        };
        let thread = std::thread::Builder::new().name("worker".to_owned()).spawn(run)?;
        let worker = Self { id, seal, shared, thread: Some(thread) };
        match is_begun.recv() {
            Ok(Ok(())) => Ok(worker),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(GridError::broker("be used", "the thread of the worker has ended")),
        }
    }

    /// What tells it from all others.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What its outcomes are sealed with.
    pub(crate) fn seal(&self) -> &Seal {
        &self.seal
    }

    /// Takes no more tasks; those in hand are finished.
    pub fn leave(&self) {
        self.shared.leaving.store(true, Ordering::Relaxed);
        self.shared.wake.notify_waiters();
    }

    /// Gives those in hand back at once, for others to do.
    pub fn give_back(&self) {
        self.shared.returning.store(true, Ordering::Relaxed);
        self.leave();
    }

    /// Whether it has left.
    pub fn has_left(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// What it has done so far.
    pub fn counts(&self) -> WorkerCounts {
        self.shared.counts()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.give_back();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
