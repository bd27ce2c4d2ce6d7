use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// What one thread keeps from job to job, and how it does one.
pub trait Worker {
    /// What it is told to do.
    type Job: Send;
    /// What it tells while it works.
    type Event: Send;
    /// What comes out of a job.
    type Answer: Send;

    /// Does a job.
    fn work(&mut self, job: &Self::Job, tell: &mut dyn FnMut(Self::Event)) -> Self::Answer;
}

impl<W: Worker> Worker for &mut W {
    type Job = W::Job;
    type Event = W::Event;
    type Answer = W::Answer;

    fn work(&mut self, job: &W::Job, tell: &mut dyn FnMut(W::Event)) -> W::Answer {
        W::work(self, job, tell)
    }
}

/// What threads have to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News<J, E, A> {
    /// Of a job in hand.
    Event(E),
    /// Of a job that is done.
    Done(J, A),
}

/// A search goes deeper than the usual stack of a thread.
pub const STACK_BYTES: usize = 64 << 20;

/// Does jobs on so many threads, each with a worker of its own, and tells the caller, on the caller's thread, as they
/// come. When the caller breaks, no more jobs are given out, but those in hand are waited for.
///
/// `jobs` may wait for what the caller hears; then it has to end when the caller breaks.
pub fn execute<W: Worker>(
    threads: usize,
    jobs: impl Iterator<Item = W::Job> + Send,
    worker: impl Fn() -> W + Sync,
    mut on_news: impl FnMut(News<W::Job, W::Event, W::Answer>) -> ControlFlow<()>,
) {
    let jobs = Mutex::new(Some(jobs));
    let locked = || jobs.lock().unwrap_or_else(PoisonError::into_inner);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for started in 0..threads.max(1) {
            let sender = sender.clone();
            let (locked, worker) = (&locked, &worker);
            let work = move || {
                let mut worker = worker();
                // The receiver outlives all threads.
                let send = |news| sender.send(news).expect("somebody who listens");
                loop {
                    let Some(job) = locked().as_mut().and_then(Iterator::next) else { break };
                    let answer = worker.work(&job, &mut |event| send(News::Event(event)));
                    send(News::Done(job, answer));
                }
            };
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, work) {
                Ok(_) => {}
                // The others do its share.
                Err(_) if started > 0 => break,
                Err(error) => panic!("no thread can be started for the games: {error}"),
            }
        }
        drop(sender);
        for news in &receiver {
            if on_news(news).is_break() {
                *locked() = None;
            }
        }
    });
}

/// Answers that come as they like and leave in the order of their numbers.
#[derive(Debug, Clone)]
pub struct InOrder<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self { next: 0, waiting: BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Takes an answer.
    pub fn insert(&mut self, number: u64, answer: T) {
        self.waiting.insert(number, answer);
    }

    /// Whether this answer came, whether or not it left.
    pub fn has(&self, number: u64) -> bool {
        number < self.next || self.waiting.contains_key(&number)
    }

    /// Gives the next answer, if it is there.
    pub fn pop(&mut self) -> Option<(u64, T)> {
        let answer = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some((self.next - 1, answer))
    }

    /// Gives what is left, in order, over the gaps.
    pub fn drain(&mut self) -> impl Iterator<Item = (u64, T)> + use<T> {
        std::mem::take(&mut self.waiting).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Squares {
        done: u64,
    }

    impl Worker for Squares {
        type Job = u64;
        type Event = u64;
        type Answer = u64;

        fn work(&mut self, &number: &u64, tell: &mut dyn FnMut(u64)) -> u64 {
            tell(number);
            self.done += 1;
            if number.is_multiple_of(7) {
                thread::sleep(std::time::Duration::from_micros(300));
            }
            number * number
        }
    }

    #[test]
    fn answers_leave_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let (mut in_order, mut answers, mut events) = (InOrder::default(), Vec::new(), 0);
            execute(
                threads,
                0..200,
                || Squares { done: 0 },
                |news| {
                    match news {
                        News::Event(_) => events += 1,
                        News::Done(number, answer) => in_order.insert(number, answer),
                    }
                    while let Some((number, answer)) = in_order.pop() {
                        answers.push((number, answer));
                    }
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(answers, (0..200).map(|number| (number, number * number)).collect::<Vec<_>>());
            assert_eq!(events, 200);
        }
    }

    #[test]
    fn after_a_break_the_jobs_in_hand_are_waited_for_and_no_more() {
        let (mut started, mut done) = (0, 0);
        execute(
            3,
            0..100_000,
            || Squares { done: 0 },
            |news| {
                match news {
                    News::Event(_) => started += 1,
                    News::Done(..) => done += 1,
                }
                if done > 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(started, done);
        assert!(done < 100_000);
    }

    #[test]
    fn jobs_may_follow_from_answers() {
        for threads in [1, 4] {
            let (sender, jobs) = mpsc::channel();
            sender.send(2).expect("room");
            let (mut sender, mut answers) = (Some(sender), Vec::new());
            execute(
                threads,
                jobs.into_iter(),
                || Squares { done: 0 },
                |news| {
                    let News::Done(_, answer) = news else { return ControlFlow::Continue(()) };
                    answers.push(answer);
                    if answer < 1_000_000 {
                        sender.as_ref().expect("an open channel").send(answer).expect("room");
                        return ControlFlow::Continue(());
                    }
                    sender = None;
                    ControlFlow::Break(())
                },
            );
            assert_eq!(answers, [4, 16, 256, 65_536, 4_294_967_296]);
        }
    }

    #[test]
    fn gaps_are_passed_over_at_the_end() {
        let mut in_order = InOrder::default();
        for number in [4, 0, 2] {
            in_order.insert(number, ());
        }
        assert_eq!(in_order.pop(), Some((0, ())));
        assert_eq!(in_order.pop(), None);
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|number| in_order.has(number)),
            [true, false, true, false, true, false]
        );
        assert_eq!(in_order.drain().map(|(number, ())| number).collect::<Vec<_>>(), [2, 4]);
    }
}
