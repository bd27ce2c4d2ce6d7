use std::collections::HashMap;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use gamete_arena::{
    Adjudication, Contestant, Executor, GameName, GameTask, Limits, Listener, Local, LocalOptions,
    MatchJournal as _, Player, Puzzle, SolveTask, Task, TaskError, TaskKey, TaskOutcome, submit_all,
};
use gamete_grid::{Access, Grid, GridOptions, Lease, Share, Worker, WorkerOptions};
use gamete_lab::MatchStore;
use serde::Serialize;

use crate::grid::{AccessArgs, PrivateBroker, notices};
use crate::interrupt::stop_on_interrupt;
use crate::terminal::{grouped, outln, print_json};

/// What a grid costs: games and quick tasks per second beside threads of this machine, and how soon a game is in the journal.
///
/// Workers of the first two measurements are processes that play one game at a time, as many as threads; those of the last are
/// all in this process. The broker is a new one on this machine, or the one of --url, which is let in by GAMETE_GRID_….
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete bench grid
  gamete bench grid --seconds 60 --turns 5
  gamete bench grid --workers 50 --minutes 10 --json")]
pub struct Args {
    /// A broker [default: one that is started for this]
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Threads, and workers beside them
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,

    /// Seconds for each turn of threads or workers
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,

    /// Turns of each
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100))]
    turns: u64,

    /// Workers whose games are waited for one by one
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1000))]
    workers: u64,

    /// Minutes for that
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    minutes: f64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    games: Beside,
    quick_tasks: Beside,
    delays: Delays,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let stop = stop_on_interrupt(None)?;
    let scratch = Scratch::new()?;
    let mut own = None;
    let url = match &args.url {
        Some(url) => url.clone(),
        None => own.insert(start_broker(&scratch)?).url(),
    };
    let bench = Bench { access: AccessArgs::default().of(&url)?, args, stop: &stop };
    let tell = |row: &dyn fmt::Display| if args.json { Ok(()) } else { outln!("{row}") };
    let games = bench.beside("games", game)?;
    tell(&games)?;
    let quick_tasks = bench.beside("quick tasks", quick_task)?;
    tell(&quick_tasks)?;
    let delays = bench.delays(&scratch, own.as_ref().map(PrivateBroker::process))?;
    tell(&delays)?;
    if args.json {
        print_json(&Report { games, quick_tasks, delays })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A folder for the time of the measurement.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("gamete-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn start_broker(scratch: &Scratch) -> Result<PrivateBroker> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free));
    let mut broker = PrivateBroker::start(None, address, &scratch.0.join("broker"))?;
    while !broker.is_up()? {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(broker)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0";

fn player(nodes: u64) -> Contestant {
    Contestant::new(Player::load("chess/material").expect("a model"), Limits::nodes(nodes))
}

/// A game of some 25 ms, another one for each number.
fn game(number: u64) -> Task {
    let player = player(1_000 + number % 500);
    GameTask {
        game: GameName::Chess,
        start: format!("{START} 1"),
        book: Vec::new(),
        white: player.clone(),
        black: player,
        adjudication: Adjudication { max_moves: Some(40), ..Adjudication::default() },
        seed: number,
        details: false,
    }
    .into()
}

/// A search of some 20 nodes, another one for each number.
fn quick_task(number: u64) -> Task {
    let puzzle = Puzzle {
        fen: format!("{START} {}", 1 + number % 5_000),
        best: vec!["e4".to_owned()],
        avoid: Vec::new(),
    };
    let solver = player(20 + number / 5_000);
    SolveTask { game: GameName::Chess, solver, hash_mb: 1, positions: vec![puzzle] }.into()
}

/// What threads and workers do in the same time, taking turns.
#[derive(Serialize)]
struct Beside {
    what: &'static str,
    threads: u64,
    /// Milliseconds that one takes on a thread.
    milliseconds: f64,
    /// Per second, each turn.
    local: Vec<f64>,
    grid: Vec<f64>,
    /// The mean on the grid over the mean on threads.
    ratio: f64,
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = |rates: &[f64]| grouped(mean(rates).round() as u64);
        let Self { what, threads, milliseconds, local, grid, ratio } = self;
        write!(
            f,
            "{what} of {milliseconds:.2} ms: {} a second on {threads} threads, {} with {threads} workers of one core, {:.1} %",
            rate(local),
            rate(grid),
            100.0 * ratio
        )
    }
}

/// How long games of many workers take to the journal.
#[derive(Serialize)]
struct Delays {
    workers: u64,
    seconds: f64,
    games: usize,
    /// Milliseconds from the end of a game to its place in the journal.
    median: f64,
    p99: f64,
    longest: f64,
    /// Megabytes of this process, with all workers in it, at ten moments.
    memory: Vec<f64>,
    /// Those of the broker, where it is ours.
    broker_memory: Vec<f64>,
}

impl fmt::Display for Delays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, seconds, games, median, p99, longest, memory, broker_memory } = self;
        write!(
            f,
            "{workers} workers, {} games in {seconds:.0} s: in the journal {median:.1} ms after their end, 99 % within {p99:.1} ms, \
             all within {longest:.1} ms",
            grouped(*games as u64)
        )?;
        for (who, memory) in [("this process", memory), ("the broker", broker_memory)] {
            let texts: Vec<_> = memory.iter().map(|megabytes| format!("{megabytes:.0}")).collect();
            if !texts.is_empty() {
                write!(f, "\nmemory of {who}, MB: {}", texts.join(" "))?;
            }
        }
        Ok(())
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

struct Bench<'a> {
    access: Access,
    args: &'a Args,
    stop: &'a Arc<AtomicBool>,
}

/// What is done before anything is counted, so that batches have their size.
const WARM_UP: Duration = Duration::from_millis(500);

impl Bench<'_> {
    fn beside(&self, what: &'static str, task: fn(u64) -> Task) -> Result<Beside> {
        let threads = self.args.threads;
        let (mut local, mut grid, mut busy) = (Vec::new(), Vec::new(), Vec::new());
        // No two tasks are the same, so that none is known from before.
        let mut numbers = 0..;
        for _ in 0..self.args.turns {
            let here = Local::new(threads as usize)?;
            let (rate, count) = self.rate(&here, &mut numbers, task)?;
            busy.push(here.busy().as_secs_f64() / count as f64);
            local.push(rate);
            let (there, _workers) = self.workers_beside()?;
            grid.push(self.rate(&there, &mut numbers, task)?.0);
            there.finish();
        }
        let ratio = mean(&grid) / mean(&local);
        Ok(Beside { what, threads, milliseconds: 1e3 * mean(&busy), local, grid, ratio })
    }

    /// A grid, and workers of one core each.
    fn workers_beside(&self) -> Result<(Grid, Vec<Process>)> {
        let grid = self.grid()?;
        let worker = |number| Process::worker(&self.access, number);
        let workers = (0..self.args.threads).map(worker).collect::<Result<Vec<_>>>()?;
        self.wait_for(&grid, self.args.threads as usize)?;
        Ok((grid, workers))
    }

    fn grid(&self) -> Result<Grid> {
        let options = GridOptions {
            access: self.access.clone(),
            experiment: "bench".to_owned(),
            home: None,
            fresh: false,
            stop: Arc::clone(self.stop),
            lease: Lease::default(),
            checked: Share::default(),
            reference: None,
            notices: notices(),
        };
        Ok(Grid::start(options)?)
    }

    fn wait_for(&self, grid: &Grid, workers: usize) -> Result<()> {
        // Workers are seen when there is something to do.
        grid.submit(
            quick_task(0).key(),
            quick_task(0),
            Box::new(|_: Task, _: Result<TaskOutcome, TaskError>| ()),
        );
        let begun = Instant::now();
        while grid.capacity() < workers {
            if begun.elapsed() > Duration::from_secs(60) || self.stop.load(Ordering::Relaxed) {
                bail!("{workers} workers were started, and {} are there", grid.capacity());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// How many tasks are done per second, and how many were in all.
    fn rate(
        &self,
        executor: &dyn Executor,
        numbers: &mut impl Iterator<Item = u64>,
        task: fn(u64) -> Task,
    ) -> Result<(f64, u64)> {
        let (begun, time) = (Instant::now(), Duration::from_secs(self.args.seconds));
        let (mut first, mut counted, mut all, mut last) = (None, 0_u32, 0, begun);
        let mut result = Ok(());
        let tasks = numbers.map(|number| ((), task(number)));
        submit_all(executor, tasks, self.stop, |(), outcome| {
            let now = Instant::now();
            all += 1;
            if let Err(error) = outcome {
                result = Err(error);
                return ControlFlow::Break(());
            }
            match first {
                None if now - begun >= WARM_UP => first = Some(now),
                Some(first) if now - first <= time => (counted, last) = (counted + 1, now),
                Some(_) => return ControlFlow::Break(()),
                None => {}
            }
            ControlFlow::Continue(())
        });
        result?;
        let Some(first) = first.filter(|_| !self.stop.load(Ordering::Relaxed)) else { bail!("broken off") };
        Ok((f64::from(counted) / (last - first).as_secs_f64(), all))
    }

    fn delays(&self, scratch: &Scratch, broker: Option<u32>) -> Result<Delays> {
        let finished = Finished::default();
        let options = WorkerOptions {
            access: self.access.clone(),
            name: "bench".to_owned(),
            concurrency: 1,
            engines: Arc::default(),
            speed: None,
            notices: notices(),
            only: None,
            patient: false,
            cache: None,
        };
        let grid = self.grid()?;
        let start = |_| {
            // On machines of their own they would not be in the way of the broker and the coordinator.
            let lowest = || {
                let _ = rustix::process::setpriority_process(None, 19);
            };
            let on_start: Option<Arc<dyn Fn() + Send + Sync>> = Some(Arc::new(lowest));
            let options_here = LocalOptions { threads: 1, on_start, ..LocalOptions::default() };
            let threads = Noting { local: Local::with_options(options_here)?, finished: finished.clone() };
            anyhow::Ok(Worker::with_executor(options.clone(), Box::new(threads))?)
        };
        let workers = (0..self.args.workers).map(start).collect::<Result<Vec<_>>>()?;
        self.wait_for(&grid, workers.len())?;
        let journal = MatchStore::open(&scratch.0.join("journal.db"))?;
        let time = Duration::from_secs_f64(60.0 * self.args.minutes);
        let begun = Instant::now();
        let (mut delays, mut result) = (Vec::new(), Ok(()));
        let (mut memory, mut broker_memory) = (Vec::new(), Vec::new());
        let tasks = (0..).map(|number| {
            let task = game(number);
            ((number, task.clone()), task)
        });
        submit_all(&grid, tasks, self.stop, |(number, task), outcome| {
            let recorded = match (&task, outcome) {
                (Task::Game(task), Ok(TaskOutcome::Game(outcome))) => {
                    journal.record(&[(number, &**task, &outcome)]).map_err(anyhow::Error::from)
                }
                (_, Err(error)) => Err(error.into()),
                _ => unreachable!("the outcome of a game"),
            };
            if let Err(error) = recorded {
                result = Err(error);
                return ControlFlow::Break(());
            }
            let finished = lock(&finished).remove(&task.key());
            delays.extend(finished.map(|finished| 1e3 * finished.elapsed().as_secs_f64()));
            if begun.elapsed() >= time.mul_f64((memory.len() + 1) as f64 / 10.0) {
                memory.extend(megabytes(std::process::id()));
                broker_memory.extend(broker.and_then(megabytes));
            }
            if begun.elapsed() < time { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result?;
        let seconds = begun.elapsed().as_secs_f64();
        grid.finish();
        drop(workers);
        delays.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| delays.get((share * delays.len() as f64) as usize).or(delays.last()).copied();
        let Some((median, p99, longest)) = at(0.5).zip(at(0.99)).zip(at(1.0)).map(|((a, b), c)| (a, b, c))
        else {
            bail!("no game was played in {seconds:.0} s");
        };
        let workers = self.args.workers;
        Ok(Delays { workers, seconds, games: delays.len(), median, p99, longest, memory, broker_memory })
    }
}

/// When tasks were finished.
type Finished = Arc<Mutex<HashMap<TaskKey, Instant>>>;

/// Threads that note when a task is finished.
struct Noting {
    local: Local,
    finished: Finished,
}

impl Executor for Noting {
    fn submit(&self, key: TaskKey, task: Task, listener: Box<dyn Listener>) {
        let finished = Arc::clone(&self.finished);
        self.local.submit(key, task, Box::new(NotingListener { key, listener, finished }));
    }

    fn close(&self) {
        self.local.close();
    }

    fn stop(&self) {
        self.local.stop();
    }

    fn capacity(&self) -> usize {
        self.local.capacity()
    }

    fn busy(&self) -> Duration {
        self.local.busy()
    }
}

struct NotingListener {
    key: TaskKey,
    listener: Box<dyn Listener>,
    finished: Finished,
}

impl Listener for NotingListener {
    fn begin(&mut self) -> bool {
        self.listener.begin()
    }

    fn done(self: Box<Self>, task: Task, result: Result<TaskOutcome, TaskError>) {
        lock(&self.finished).insert(self.key, Instant::now());
        self.listener.done(task, result);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The memory of a process, where the system tells.
fn megabytes(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

/// A worker that ends with us.
struct Process(Child);

impl Process {
    fn worker(access: &Access, number: u64) -> Result<Self> {
        let program = std::env::current_exe()?;
        let mut command = Command::new(&program);
        command.args(["worker", &access.url, "--concurrency", "1", "--name", &format!("bench {number}")]);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        Ok(Self(command.spawn().with_context(|| program.display().to_string())?))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
