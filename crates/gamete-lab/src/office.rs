//! What all runs of an experiment share: threads that play, and one that writes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use gamete_arena::{GameTask, Termination, Workspace};
use serde::{Deserialize, Serialize};

use crate::LabError;
use crate::generation::Generation;
use crate::store::{Entry, GameRecord, Store, StoreError};

/// What a method hears of a game.
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
    pub reply: mpsc::Sender<Result<GameResult, Arc<StoreError>>>,
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
    pub latest: Mutex<Option<(String, Generation)>>,
}

pub(crate) struct Office<'a> {
    pub experiment: &'a str,
    pub stop: &'a AtomicBool,
    pub meter: Meter,
    pub started: Instant,
    /// Seconds that the experiment ran in earlier sessions.
    pub earlier: f64,
    jobs: Mutex<Queue>,
    work: Condvar,
    writer: mpsc::Sender<Option<Message>>,
    pub reader: Mutex<Store>,
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

impl<'a> Office<'a> {
    pub fn new(experiment: &'a str, reader: Store, stop: &'a AtomicBool, earlier: f64) -> (Self, Inbox) {
        let (writer, inbox) = mpsc::channel();
        let office = Self {
            experiment,
            stop,
            meter: Meter::default(),
            started: Instant::now(),
            earlier,
            jobs: Mutex::default(),
            work: Condvar::new(),
            writer,
            reader: Mutex::new(reader),
        };
        (office, Inbox(inbox))
    }

    /// Seconds that the experiment has run, all sessions together.
    pub fn seconds(&self) -> f64 {
        self.earlier + self.started.elapsed().as_secs_f64()
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
    pub fn play(&self) {
        let never = AtomicBool::new(false);
        let mut workspace = Workspace::new(&never);
        while let Some(job) = self.next_job() {
            let start = Instant::now();
            let outcome = workspace.play(&job.task).expect("a task that was made by a method");
            let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.meter.busy.fetch_add(time, Ordering::Relaxed);
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
            let answer = serde_json::to_string(&result).expect("plain data");
            let entry = Entry::Outcome { run: job.run, number: job.number, task: job.hash, answer, game };
            self.meter.played.fetch_add(1, Ordering::Relaxed);
            let reply = job.reply;
            self.write(entry, move |written| {
                // Nobody listens after a stop.
                let _ = reply.send(written.map(|()| result));
            });
        }
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
    /// Writes what comes in, as much as there is at a time in one transaction, until it is let go.
    pub fn serve(self, store: &Store, writing: &AtomicU64) {
        while let Ok(Some(first)) = self.0.recv() {
            let start = Instant::now();
            let mut last = false;
            let more = self.0.try_iter().take_while(|message| {
                last = message.is_none();
                !last
            });
            let (entries, done): (Vec<_>, Vec<_>) = std::iter::once(first)
                .chain(more.flatten())
                .map(|message| (message.entry, message.done))
                .unzip();
            let written = store.write(&entries).map_err(Arc::new);
            for done in done {
                done(written.clone());
            }
            let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            writing.fetch_add(time, Ordering::Relaxed);
            if last {
                break;
            }
        }
    }
}
