//! What all runs of an experiment share: threads that play, and one that writes.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use gamete_arena::{GameTask, Termination, Workspace};
use serde::{Deserialize, Serialize};

use crate::LabError;
use crate::concern::{ConcernKind, GameWatch};
use crate::store::{Entry, GameRecord, Store, StoreError};
use crate::view::Event;

/// What a method receives of a game.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// How it ended.
    pub termination: Termination,
    /// How long it was, the opening left out.
    pub plies: u32,
}

/// A game that somebody waits for.
pub(crate) struct Job {
    pub run: i64,
    pub number: u64,
    pub hash: i64,
    pub task: GameTask,
    /// The generation under which the game is kept, if it is.
    pub keep: Option<u32>,
    /// Who looks at the games of the run.
    pub watch: Arc<GameWatch>,
    pub reply: mpsc::Sender<Result<GameResult, LabError>>,
}

/// Something to be written, and what is to be said when it is.
struct Message {
    entry: Entry,
    done: Box<dyn FnOnce(Result<(), Arc<StoreError>>) + Send>,
}

/// What is known of an experiment in progress.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub played: AtomicU64,
    pub replayed: AtomicU64,
    /// Nanoseconds that threads have spent on games.
    pub busy: AtomicU64,
    /// Nanoseconds spent on writing.
    pub writing: AtomicU64,
    /// What was told of the games, each kind of concern once.
    concerns: Mutex<Vec<ConcernKind>>,
    /// What nobody has heard of yet.
    events: Mutex<Vec<Event>>,
}

pub(crate) struct Office<'a> {
    pub experiment: &'a str,
    pub stop: &'a AtomicBool,
    pub meter: Meter,
    pub started: Instant,
    clock: RunningTime,
    /// What went wrong where nothing can go wrong.
    panic: Mutex<Option<String>>,
    jobs: Mutex<Queue>,
    work: Condvar,
    writer: mpsc::Sender<Option<Message>>,
    pub reader: Mutex<Store>,
}

/// How long an experiment has run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunningTime {
    /// Seconds of earlier sessions.
    pub earlier: f64,
    /// Whether this session counts: not where everything is finished.
    pub counts: bool,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// The other end of an office: what the writing thread listens to.
pub(crate) struct Inbox(mpsc::Receiver<Option<Message>>);

/// How often threads look whether they are to stop.
const TICK: Duration = Duration::from_millis(50);

/// How often the running time is stored where nothing else is: what a killed process loses of it at most.
const CLOCK_TICK: Duration = Duration::from_millis(200);

impl<'a> Office<'a> {
    pub fn new(
        experiment: &'a str,
        reader: Store,
        stop: &'a AtomicBool,
        clock: RunningTime,
    ) -> (Self, Inbox) {
        let (writer, inbox) = mpsc::channel();
        let office = Self {
            experiment,
            stop,
            meter: Meter::default(),
            started: Instant::now(),
            clock,
            panic: Mutex::default(),
            jobs: Mutex::default(),
            work: Condvar::new(),
            writer,
            reader: Mutex::new(reader),
        };
        (office, Inbox(inbox))
    }

    /// Seconds that the experiment has run, all sessions together.
    pub fn seconds(&self) -> f64 {
        let RunningTime { earlier, counts } = self.clock;
        if counts { earlier + self.started.elapsed().as_secs_f64() } else { earlier }
    }

    /// Does something in a thread of its own. A panic there ends the whole run: nobody waits for what will not come.
    pub fn guarded<T>(&self, act: impl FnOnce() -> Result<T, LabError>) -> Result<T, LabError> {
        catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|payload| {
            let message = panic_message(payload.as_ref());
            let mut panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            panic.get_or_insert_with(|| message.clone());
            drop(panic);
            self.close();
            Err(LabError::Panicked(message))
        })
    }

    /// The first panic of the run, if there was one.
    pub fn panicked(&self) -> Option<String> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Where a test has something go wrong.
    pub fn trip(&self, place: &str) {
        #[cfg(test)]
        assert!(self.experiment != format!("panic-in-{place}"), "a test panics in {place}");
        let _ = place;
    }

    pub fn submit(&self, job: Job) {
        let mut queue = self.queue();
        if !queue.closed {
            queue.jobs.push_back(job);
            drop(queue);
            self.work.notify_one();
        }
    }

    /// Lets nobody wait for games any more. Those in hand are finished and written.
    pub fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        queue.jobs.clear();
        drop(queue);
        self.work.notify_all();
    }

    /// Plays games until the office closes.
    pub fn play(&self) -> Result<(), LabError> {
        let never = AtomicBool::new(false);
        let mut workspace = Workspace::new(&never);
        while let Some(job) = self.next_job() {
            let start = Instant::now();
            self.trip("a-game");
            let outcome = match workspace.play(&job.task) {
                Ok(outcome) => outcome,
                Err(error) => {
                    let _ = job.reply.send(Err(LabError::Task(error.to_string())));
                    continue;
                }
            };
            let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.meter.busy.fetch_add(time, Ordering::Relaxed);
            if let Some(concern) = job.watch.tell(&job.task, &outcome) {
                let mut concerns = self.meter.concerns.lock().unwrap_or_else(PoisonError::into_inner);
                if !concerns.contains(&concern.kind) {
                    concerns.push(concern.kind);
                    self.tell(Event::Concern(concern));
                }
            }
            let result = GameResult { termination: outcome.termination, plies: outcome.moves.len() as u32 };
            let game = job.keep.map(|generation| {
                Box::new(GameRecord {
                    generation,
                    game: job.task.game,
                    white: job.task.white.name.clone(),
                    black: job.task.black.name.clone(),
                    start: job.task.start.clone(),
                    moves: job.task.book.iter().cloned().chain(outcome.moves).collect(),
                    termination: outcome.termination,
                })
            });
            if let Some(game) = &game {
                self.tell(Event::Game { run: job.watch.path().to_owned(), game: game.clone() });
            }
            let answer = serde_json::to_string(&result).expect("plain data");
            let entry = Entry::Outcome { run: job.run, number: job.number, task: job.hash, answer, game };
            self.meter.played.fetch_add(1, Ordering::Relaxed);
            let reply = job.reply;
            self.write(entry, move |written| {
                // Nobody listens after a stop.
                let _ = reply.send(written.map(|()| result).map_err(LabError::from));
            });
        }
        Ok(())
    }

    fn next_job(&self) -> Option<Job> {
        let mut queue = self.queue();
        loop {
            if queue.closed || self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            queue = self.work.wait_timeout(queue, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tells whoever watches the experiment.
    pub fn tell(&self, event: Event) {
        self.meter.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// What has happened since this was asked for the last time.
    pub fn events(&self) -> Vec<Event> {
        std::mem::take(&mut *self.meter.events.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Has something written, and says when it is.
    pub fn write(&self, entry: Entry, done: impl FnOnce(Result<(), Arc<StoreError>>) + Send + 'static) {
        // The writing thread listens as long as there is an office.
        let _ = self.writer.send(Some(Message { entry, done: Box::new(done) }));
    }

    /// Lets the writing thread go when it has written all that came before.
    pub fn finish_writing(&self) {
        let _ = self.writer.send(None);
    }

    /// Has something written, and waits until it is.
    pub fn write_now(&self, entry: Entry) -> Result<(), LabError> {
        let (sender, receiver) = mpsc::channel();
        self.write(entry, move |written| {
            let _ = sender.send(written);
        });
        receiver.recv().map_err(|_| LabError::Stopped)?.map_err(LabError::from)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inbox {
    /// Writes what comes in, as much as there is at a time in one transaction, until it is let go. How long the experiment
    /// has run is part of every transaction, so that nothing that is stored is later than the stored time.
    pub fn serve(self, store: &Store, office: &Office<'_>) -> Result<(), LabError> {
        let time = || Entry::Seconds { experiment: office.experiment.to_owned(), seconds: office.seconds() };
        let mut last = false;
        while !last {
            let first = match self.0.recv_timeout(CLOCK_TICK) {
                Ok(Some(message)) => message,
                Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    // Whatever keeps this from being written keeps outcomes from it too, and is reported then.
                    let _ = store.write(&[time()]);
                    continue;
                }
            };
            office.trip("the-writer");
            let start = Instant::now();
            let more = self.0.try_iter().take_while(|message| {
                last = message.is_none();
                !last
            });
            let (mut entries, done): (Vec<_>, Vec<_>) = std::iter::once(first)
                .chain(more.flatten())
                .map(|message| (message.entry, message.done))
                .unzip();
            entries.push(time());
            let written = store.write(&entries).map_err(Arc::new);
            for done in done {
                done(written.clone());
            }
            let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            office.meter.writing.fetch_add(time, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}
