//! What the tests of the grid share: a coordinator and workers in this process, and tasks for them.
#![allow(dead_code)]

use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use gamete_arena::{
    Contestant, Executor, GameName, Limits, Player, Puzzle, SolveTask, Task, TaskError, TaskOutcome,
    Workspace, WorkspaceOptions,
};
use gamete_grid::{Access, Grid, GridError, GridOptions, Lease, Notices, Share, Worker, WorkerOptions};

use crate::broker::Broker;
use crate::needs::nats_server;

/// A broker with JetStream that lets everybody in.
pub fn start() -> Broker {
    Broker::start(nats_server().expect("a broker that is there"))
}

/// Lines that were said.
#[derive(Clone, Default)]
pub struct Lines(pub Arc<Mutex<Vec<String>>>);

impl Lines {
    pub fn notices(&self) -> Notices {
        let lines = Arc::clone(&self.0);
        Notices::new(move |line| lines.lock().unwrap().push(line.to_owned()))
    }

    /// Waits for a line with this in it.
    pub fn wait_for(&self, part: &str) -> String {
        wait_until(part, || self.0.lock().unwrap().iter().find(|line| line.contains(part)).cloned())
    }
}

/// Waits for something that comes sooner or later.
pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{what} does not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn options(broker: &Broker) -> GridOptions {
    GridOptions {
        access: Access::new(broker.url()),
        experiment: "test".to_owned(),
        home: Some("here".to_owned()),
        fresh: false,
        stop: Arc::default(),
        lease: Lease { wait: Duration::from_secs(2), patience: Duration::from_secs(1), ..Lease::default() },
        checked: Share::default(),
        reference: None,
        notices: Notices::default(),
    }
}

pub fn worker_options(broker: &Broker) -> WorkerOptions {
    WorkerOptions {
        access: Access::new(broker.url()),
        name: "one".to_owned(),
        concurrency: 1,
        engines: Arc::default(),
        speed: None,
        notices: Notices::default(),
        only: None,
        patient: false,
        cache: None,
    }
}

pub fn worker(broker: &Broker) -> Worker {
    Worker::start(worker_options(broker)).expect("a worker")
}

/// Positions to be solved, different ones for each number.
pub fn task(number: u64) -> Task {
    solve(Limits::nodes(20 + number))
}

/// A task that takes until it is broken off.
pub fn endless() -> Task {
    solve(Limits::nodes(u64::MAX))
}

/// The same by a player with many weights.
pub fn large_task(number: u64) -> Task {
    solved_by("chess/tapered", Limits::nodes(20 + number))
}

pub fn solve(limits: Limits) -> Task {
    solved_by("chess/material", limits)
}

fn solved_by(model: &str, limits: Limits) -> Task {
    let solver = Contestant::new(Player::load(model).unwrap(), limits);
    let puzzle = Puzzle {
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
        best: vec!["e4".to_owned()],
        avoid: Vec::new(),
    };
    SolveTask { game: GameName::Chess, solver, hash_mb: 1, positions: vec![puzzle] }.into()
}

pub type Outcome = Result<TaskOutcome, TaskError>;

/// Submits tasks; what comes of them comes with their places.
pub fn submit(grid: &Grid, tasks: impl IntoIterator<Item = Task>) -> mpsc::Receiver<(usize, Outcome)> {
    let (sender, receiver) = mpsc::channel();
    for (number, task) in tasks.into_iter().enumerate() {
        let sender = sender.clone();
        let listener = move |_: Task, outcome| {
            let _ = sender.send((number, outcome));
        };
        grid.submit(task.key(), task, Box::new(listener));
    }
    receiver
}

pub fn expected(task: &Task) -> TaskOutcome {
    Workspace::new(&WorkspaceOptions::default()).run(task).expect("an outcome")
}

pub fn next(outcomes: &mpsc::Receiver<(usize, Outcome)>) -> (usize, Outcome) {
    outcomes.recv_timeout(Duration::from_secs(120)).expect("an outcome")
}

/// Sends a message with outcomes as any worker could.
pub fn forge(broker: &Broker, grid: &Grid, worker: &str, answers: &serde_json::Value) {
    let message = serde_json::json!({ "version": 3, "batch": "b", "worker": "forger", "id": worker, "answers": answers });
    let payload = zstd::encode_all(message.to_string().as_bytes(), 1).expect("memory");
    let subject = format!("gamete.outcome.{}", grid.slug());
    with_streams(broker, |context, _| async move {
        context.publish(subject, payload.into()).await.expect("a stream").await.expect("a stream");
    });
}

/// How many messages the stream of tasks or outcomes has.
pub fn messages(broker: &Broker, kind: &str) -> u64 {
    let mut found = 0;
    with_streams(broker, |context, names| {
        let found = &mut found;
        async move {
            let name = names.iter().find(|name| name.contains(kind)).expect("a stream");
            *found = context.get_stream(name).await.expect("a stream").cached_info().state.messages;
        }
    });
    found
}

/// Does something with all streams of the broker.
pub fn with_streams<F: Future<Output = ()>>(
    broker: &Broker,
    act: impl FnOnce(async_nats::jetstream::Context, Vec<String>) -> F,
) {
    use futures_util::TryStreamExt as _;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client = async_nats::connect(broker.url()).await.expect("a broker");
        let context = async_nats::jetstream::new(client.clone());
        let names = context.stream_names().try_collect().await.expect("names");
        act(context, names).await;
        client.flush().await.expect("a broker");
    });
}

pub fn refused(options: GridOptions) -> GridError {
    Grid::start(options).err().expect("no grid")
}
