use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::pool::{Pool, Work};
use super::{Executor, Listener};
use crate::task::{Task, TaskKey, Workspace, WorkspaceOptions};

/// Does tasks on threads of this machine, each with a [`Workspace`]. Dropping it closes it and waits for its threads.
pub struct Local {
    pool: Pool,
    workspace: WorkspaceOptions,
}

/// How tasks are done on this machine.
#[derive(Clone, Default)]
pub struct LocalOptions {
    /// How many at a time; at least one.
    pub threads: usize,
    /// What each thread has for them.
    pub workspace: WorkspaceOptions,
    /// What a thread waits between two tasks.
    pub pause: Duration,
    /// What each thread does first, as to bind itself to a processor.
    pub on_start: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Local {
    /// So many threads with workspaces as they are by default.
    ///
    /// # Errors
    ///
    /// When there cannot be a single thread.
    pub fn new(threads: usize) -> io::Result<Self> {
        Self::with_options(LocalOptions { threads, ..LocalOptions::default() })
    }

    /// Threads. Where there cannot be as many, fewer do the work.
    ///
    /// # Errors
    ///
    /// When there cannot be a single one.
    pub fn with_options(options: LocalOptions) -> io::Result<Self> {
        let LocalOptions { threads, workspace, pause, on_start } = options;
        let of_threads = workspace.clone();
        let make = move || -> Work {
            if let Some(on_start) = &on_start {
                on_start();
            }
            let mut workspace = Workspace::new(&of_threads);
            Box::new(move |task| workspace.run(task))
        };
        Ok(Self { pool: Pool::start(threads, pause, make)?, workspace })
    }
}

impl Executor for Local {
    fn submit(&self, _key: TaskKey, task: Task, listener: Box<dyn Listener>) {
        self.pool.submit(task, listener);
    }

    fn close(&self) {
        self.pool.close();
    }

    fn stop(&self) {
        self.workspace.stop.store(true, Ordering::Relaxed);
        self.pool.close();
    }

    fn capacity(&self) -> usize {
        self.pool.threads()
    }

    fn busy(&self) -> Duration {
        self.pool.busy()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    use super::super::submit_all;
    use super::*;
    use crate::task::tests::tasks;
    use crate::task::{Task, TaskError};

    #[test]
    fn outcomes_are_the_same_on_any_number_of_threads() {
        let mut alone = Workspace::new(&WorkspaceOptions::default());
        let expected: Vec<_> = tasks().iter().map(|task| alone.run(task).expect("an outcome")).collect();
        for threads in [1, 3] {
            let executor = Local::new(threads).expect("threads");
            let mut heard = 0;
            for _ in 0..2 {
                submit_all(
                    &executor,
                    tasks().into_iter().enumerate(),
                    &AtomicBool::new(false),
                    |number, outcome| {
                        heard += 1;
                        assert_eq!(outcome.expect("an outcome"), expected[number]);
                        ControlFlow::Continue(())
                    },
                );
            }
            assert_eq!(heard, 2 * expected.len());
            assert!(executor.busy() > Duration::ZERO && executor.capacity() == threads);
        }
    }

    #[test]
    fn after_a_break_tasks_in_hand_are_told_of_and_no_more_are_begun() {
        let mut told = 0;
        let many = tasks().into_iter().cycle().take(100_000).enumerate();
        let executor = Local::new(2).expect("threads");
        submit_all(&executor, many, &AtomicBool::new(false), |_, outcome| {
            assert!(outcome.is_ok());
            told += 1;
            if told > 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        // Four are given out at a time, and on a busy machine all of them may be done when the sixth is told of.
        assert!((6..=9).contains(&told), "{told}");
        let stop = AtomicBool::new(true);
        submit_all(&executor, tasks().into_iter().enumerate(), &stop, |_, _| panic!("a task is begun"));
    }

    #[test]
    fn a_stopped_executor_breaks_off_what_is_in_hand() {
        let executor = Local::new(1).expect("a thread");
        let endless: Task = {
            let Some(Task::Game(task)) = tasks().into_iter().next() else { panic!("a game") };
            let limits = crate::Limits::nodes(u64::MAX);
            let [white, black] = [task.white.clone(), task.black.clone()]
                .map(|contestant| crate::Contestant { limits, ..contestant });
            Task::Game(Box::new(crate::GameTask { white, black, ..*task }))
        };
        struct Begun(std::sync::mpsc::Sender<Option<Result<(), TaskError>>>);
        impl Listener for Begun {
            fn begin(&mut self) -> bool {
                self.0.send(None).is_ok()
            }
            fn done(self: Box<Self>, _: Task, outcome: Result<crate::TaskOutcome, TaskError>) {
                let _ = self.0.send(Some(outcome.map(|_| ())));
            }
        }
        let (sender, receiver) = std::sync::mpsc::channel();
        executor.submit(endless.key(), endless, Box::new(Begun(sender)));
        assert!(receiver.recv().expect("a task that is begun").is_none());
        executor.stop();
        let outcome = receiver.recv().expect("an outcome").expect("the end of the task");
        assert!(matches!(outcome, Err(TaskError::Interrupted)), "{outcome:?}");
    }
}
