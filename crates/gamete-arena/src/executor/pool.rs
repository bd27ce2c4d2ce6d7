//! Threads that take tasks from one queue.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::{Listener, panicked};
use crate::task::{Task, TaskError, TaskOutcome};

/// A search goes deeper than the usual stack of a thread.
pub const STACK_BYTES: usize = 64 << 20;

/// How one thread does tasks. It is made on the thread, and made anew after a panic.
pub(super) type Work = Box<dyn FnMut(&Task) -> Result<TaskOutcome, TaskError>>;

/// Threads and the queue that they take tasks from.
pub(super) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// There is something to do.
    submitted: Condvar,
    /// There will be nothing to do any more.
    closing: Condvar,
    /// Nanoseconds that threads have spent on tasks.
    busy: AtomicU64,
    /// What a thread waits between two tasks.
    pause: Duration,
}

struct Queue {
    waiting: VecDeque<(Task, Box<dyn Listener>)>,
    closed: bool,
    /// How many threads there may be.
    threads: usize,
}

/// Starts a thread; another one in tests.
type Spawn<'a> = &'a mut dyn FnMut(Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>>;

impl Pool {
    /// Starts threads. Where there cannot be as many, half of those that there can be do the work, so that there is memory left
    /// for it.
    ///
    /// # Errors
    ///
    /// When there cannot be a single one.
    pub fn start(
        threads: usize,
        pause: Duration,
        make: impl Fn() -> Work + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::start_by(threads, pause, make, &mut |run| Builder::new().stack_size(STACK_BYTES).spawn(run))
    }

    fn start_by(
        threads: usize,
        pause: Duration,
        make: impl Fn() -> Work + Send + Sync + 'static,
        spawn: Spawn<'_>,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue { waiting: VecDeque::new(), closed: false, threads }),
            submitted: Condvar::new(),
            closing: Condvar::new(),
            busy: AtomicU64::new(0),
            pause,
        });
        let make = Arc::new(make);
        let mut pool = Self { shared, threads: Vec::new() };
        for number in 0..threads.max(1) {
            let (shared, make) = (Arc::clone(&pool.shared), Arc::clone(&make));
            match spawn(Box::new(move || shared.work(number, &*make))) {
                Ok(thread) => pool.threads.push(thread),
                Err(error) if pool.threads.is_empty() => return Err(error),
                Err(_) => {
                    pool.keep(number.div_ceil(2));
                    break;
                }
            }
        }
        Ok(pool)
    }

    /// Ends all but the first threads.
    fn keep(&mut self, threads: usize) {
        self.shared.queue().threads = threads;
        self.shared.submitted.notify_all();
        for thread in self.threads.drain(threads..) {
            let _ = thread.join();
        }
    }

    pub fn submit(&self, task: Task, listener: Box<dyn Listener>) {
        let mut queue = self.shared.queue();
        if !queue.closed {
            queue.waiting.push_back((task, listener));
            drop(queue);
            self.shared.submitted.notify_one();
        }
    }

    pub fn close(&self) {
        self.shared.close();
    }

    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    pub fn busy(&self) -> Duration {
        Duration::from_nanos(self.shared.busy.load(Ordering::Relaxed))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        self.submitted.notify_all();
        self.closing.notify_all();
        // Listeners may want to submit or close while they are dropped.
        drop(waiting);
    }

    fn work(&self, number: usize, make: &dyn Fn() -> Work) {
        let mut work = None;
        let mut is_used = false;
        while let Some((task, listener)) = self.next(number) {
            if is_used {
                self.wait_between();
            }
            is_used = true;
            // A listener that panics would leave this thread, and others waiting for it.
            let told =
                catch_unwind(AssertUnwindSafe(|| self.do_one(work.get_or_insert_with(make), task, listener)));
            match told {
                Ok(true) => {}
                Ok(false) => work = None,
                Err(_) => self.close(),
            }
        }
    }

    /// Does a task; says whether what did it can do another.
    fn do_one(&self, work: &mut Work, task: Task, mut listener: Box<dyn Listener>) -> bool {
        if !listener.begin() {
            return true;
        }
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&task)));
        let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.busy.fetch_add(time, Ordering::Relaxed);
        let is_sound = outcome.is_ok();
        listener.done(task, outcome.unwrap_or_else(|payload| Err(panicked(payload.as_ref()))));
        is_sound
    }

    fn next(&self, number: usize) -> Option<(Task, Box<dyn Listener>)> {
        let mut queue = self.queue();
        loop {
            if queue.closed || number >= queue.threads.max(1) {
                return None;
            }
            if let Some(next) = queue.waiting.pop_front() {
                return Some(next);
            }
            queue = self.submitted.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits between two tasks, unless no more are begun.
    fn wait_between(&self) {
        let until = Instant::now() + self.pause;
        let mut queue = self.queue();
        while !queue.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            queue = self.closing.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::task::{ExpertOutcome, tests::any_task};

    fn outcome() -> TaskOutcome {
        TaskOutcome::Expert(ExpertOutcome { agreed: Vec::new(), nodes: 1 })
    }

    fn submit(pool: &Pool, count: usize) -> mpsc::Receiver<Result<TaskOutcome, TaskError>> {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..count {
            let sender = sender.clone();
            let listener = move |_: Task, outcome| sender.send(outcome).expect("somebody who listens");
            pool.submit(any_task(), Box::new(listener));
        }
        receiver
    }

    #[test]
    fn fewer_threads_than_asked_for_do_the_work() {
        let mut started = 0;
        let mut spawn = |run: Box<dyn FnOnce() + Send>| {
            started += 1;
            if started > 4 { Err(io::Error::other("too many")) } else { Builder::new().spawn(run) }
        };
        let make = || -> Work { Box::new(|_| Ok(outcome())) };
        let pool = Pool::start_by(9, Duration::ZERO, make, &mut spawn).expect("two threads");
        assert_eq!(pool.threads(), 2);
        assert_eq!(submit(&pool, 20).iter().filter(Result::is_ok).count(), 20);
        let none = Pool::start_by(5, Duration::ZERO, make, &mut |_| Err(io::Error::other("too many")));
        assert_eq!(none.err().expect("no threads").to_string(), "too many");
    }

    #[test]
    fn a_panic_is_the_outcome_of_its_task_and_of_no_other() {
        let make = || -> Work {
            let mut done = 0;
            Box::new(move |_| {
                done += 1;
                assert!(done < 3, "the third of a thread");
                Ok(outcome())
            })
        };
        let pool = Pool::start(1, Duration::ZERO, make).expect("a thread");
        let outcomes: Vec<_> = submit(&pool, 7).iter().collect();
        let panics: Vec<_> = (0..7).filter(|&number| outcomes[number].is_err()).collect();
        assert_eq!(panics, [2, 5], "what did the task is made anew");
        let error = outcomes[2].as_ref().expect_err("a panic").to_string();
        assert_eq!(error, "internal error: the third of a thread");
    }

    #[test]
    fn a_closed_pool_finishes_what_is_in_hand_and_drops_the_rest() {
        let (begun, is_begun) = mpsc::sync_channel(0);
        let (go, may_go) = mpsc::sync_channel::<()>(0);
        let may_go = Mutex::new(Some(may_go));
        let make = move || -> Work {
            let (begun, may_go) = (begun.clone(), may_go.lock().expect("a thread").take().expect("only one"));
            Box::new(move |_| {
                begun.send(()).expect("a test");
                may_go.recv().expect("a test");
                Ok(outcome())
            })
        };
        let pool = Pool::start(1, Duration::from_secs(3600), make).expect("a thread");
        let outcomes = submit(&pool, 5);
        is_begun.recv().expect("a task that is begun");
        pool.close();
        go.send(()).expect("a task in hand");
        assert_eq!(outcomes.iter().count(), 1);
        assert_eq!(submit(&pool, 1).iter().count(), 0, "nothing is taken any more");
    }

    #[test]
    fn a_pause_ends_when_the_pool_closes() {
        let pool =
            Pool::start(1, Duration::from_secs(3600), || Box::new(|_| Ok(outcome()))).expect("a thread");
        let outcomes = submit(&pool, 2);
        outcomes.recv().expect("the first task").expect("an outcome");
        drop(pool);
    }

    #[test]
    fn withdrawn_tasks_are_not_done() {
        struct Withdrawn(mpsc::Sender<()>);
        impl Listener for Withdrawn {
            fn begin(&mut self) -> bool {
                false
            }
            fn done(self: Box<Self>, _: Task, _: Result<TaskOutcome, TaskError>) {
                self.0.send(()).expect("a test");
            }
        }
        let pool = Pool::start(1, Duration::ZERO, || Box::new(|_| panic!("a task"))).expect("a thread");
        let (sender, receiver) = mpsc::channel();
        pool.submit(any_task(), Box::new(Withdrawn(sender)));
        assert_eq!(receiver.iter().count(), 0);
    }
}
