use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::{Lab, LabError};

/// Work in a thread of its own.
pub(crate) struct Spawned<'scope, T>(thread::ScopedJoinHandle<'scope, Result<T, LabError>>);

impl<T> Spawned<'_, T> {
    /// What came of it.
    pub fn join(self) -> Result<T, LabError> {
        self.0.join().unwrap_or_else(|_| Err(LabError::Panicked("a thread has ended".to_owned())))
    }
}

impl<'a> Lab<'a> {
    /// Does things in branches, side by side, and gives what comes out in the order of the branches.
    ///
    /// # Errors
    ///
    /// When something goes wrong in one of them.
    pub fn side_by_side<T: Send>(
        &self,
        branches: Vec<Lab<'a>>,
        work: impl Fn(usize, &mut Lab<'a>) -> Result<T, LabError> + Sync,
    ) -> Result<Vec<T>, LabError> {
        /// Branches only wait, so there may be more than cores.
        const MAX: usize = 64;
        let next = AtomicUsize::new(0);
        let threads = branches.len().min(MAX);
        let branches: Vec<_> = branches.into_iter().map(|branch| Mutex::new(Some(branch))).collect();
        let results: Vec<Mutex<Option<Result<T, LabError>>>> =
            branches.iter().map(|_| Mutex::new(None)).collect();
        let work_off = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(branch) = branches.get(index) else { break };
                let branch = branch.lock().unwrap_or_else(PoisonError::into_inner).take();
                let mut branch = branch.expect("a branch that nobody else took");
                let result = self.runtime.guarded(|| {
                    self.runtime.test_panic_point("a-branch");
                    work(index, &mut branch)
                });
                if result.is_err() {
                    self.give_up();
                }
                *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // Fewer threads take longer and come to the same.
                let _ = thread::Builder::new().spawn_scoped(scope, work_off);
            }
            work_off();
        });
        let mut results: Vec<_> = results
            .into_iter()
            .map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner).expect("a result"))
            .collect();
        // That one was stopped says less than what went wrong elsewhere.
        let worst = results.iter().position(|result| matches!(result, Err(error) if !error.is_stop()));
        match worst {
            Some(index) => Err(results.swap_remove(index).err().expect("an error")),
            None => results.into_iter().collect(),
        }
    }

    /// Does something in a thread of its own.
    ///
    /// # Errors
    ///
    /// When there cannot be another thread.
    pub(crate) fn spawn<'scope, T: Send + 'scope>(
        &self,
        scope: &'scope thread::Scope<'scope, '_>,
        work: impl FnOnce() -> Result<T, LabError> + Send + 'scope,
    ) -> Result<Spawned<'scope, T>, LabError>
    where
        'a: 'scope,
    {
        let runtime = self.runtime;
        let handle = thread::Builder::new().spawn_scoped(scope, move || runtime.guarded(work));
        handle.map(Spawned).map_err(|error| LabError::Thread(Arc::new(error)))
    }

    /// Lets nobody wait for tasks any more, as one run of the experiment has failed.
    pub(crate) fn give_up(&self) {
        self.runtime.close();
    }
}
