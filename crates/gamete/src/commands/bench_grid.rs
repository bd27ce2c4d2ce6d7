use std::collections::HashMap;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use gamete_arena::{
    Adjudication, Contestant, Executor, GameName, GameTask, Limits, Listener, Local, LocalOptions,
    MatchJournal as _, Player, Puzzle, SolveTask, Task, TaskError, TaskKey, TaskOutcome, submit_all,
};
use gamete_grid::{Access, Grid, GridOptions, Lease, Share, Worker, WorkerOptions};
use gamete_lab::MatchStore;
use serde::Serialize;

use crate::grid::{AccessArgs, PrivateBroker, notices};
use crate::interrupt::stop_on_interrupt;
use crate::process::{Process, megabytes, processor_time};
use crate::scratch::Scratch;
use crate::terminal::{grouped, outln, print_json};

/// What a grid costs: how soon a game is in the journal, and games and quick tasks per second beside threads of this machine.
///
/// The many workers of the first measurement are all in this process, and take turns on its cores; those of the others are
/// processes that play one game at a time, as many as threads. The broker is a new one on this machine, or the one of --url,
/// with access by GAMETE_GRID_….
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
    delays: Delays,
    games: Beside,
    quick_tasks: Beside,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let stop = stop_on_interrupt(None)?;
    let scratch = Scratch::new()?;
    let mut own = None;
    let url = match &args.url {
        Some(url) => url.clone(),
        None => own.insert(start_broker(&scratch)?).url(),
    };
    let broker = own.as_ref().map(PrivateBroker::process);
    let bench = Bench { access: AccessArgs::default().of(&url)?, args, broker, stop: &stop };
    let tell = |row: &dyn fmt::Display| if args.json { Ok(()) } else { outln!("{row}") };
    // First, as what others have freed would be counted as memory that workers take.
    let delays = bench.delays(&scratch)?;
    tell(&delays)?;
    let games = bench.beside("games", game)?;
    tell(&games)?;
    let quick_tasks = bench.beside("quick tasks", quick_task)?;
    tell(&quick_tasks)?;
    if args.json {
        print_json(&Report { delays, games, quick_tasks })?;
    }
    Ok(ExitCode::SUCCESS)
}

fn start_broker(scratch: &Scratch) -> Result<PrivateBroker> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free));
    let mut broker = PrivateBroker::start(None, address, &scratch.path().join("broker"))?;
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
    let player = player(2_600 + number % 500);
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
    /// Where processor time goes on the grid, where the system tells.
    processor: Option<ProcessorTime>,
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = |rates: &[f64]| grouped(mean(rates).round() as u64);
        let Self { what, threads, milliseconds, local, grid, ratio, processor } = self;
        write!(
            f,
            "{what} of {milliseconds:.3} ms: {} a second on {threads} threads, {} with {threads} workers of one core, {:.1} %",
            rate(local),
            rate(grid),
            100.0 * ratio
        )?;
        processor.iter().try_for_each(|processor| write!(f, "\n{processor}"))
    }
}

/// Milliseconds of processor time that a task takes on the grid.
#[derive(Serialize)]
struct ProcessorTime {
    workers: f64,
    /// With the measurement.
    coordinator: f64,
    /// Where it is ours.
    broker: Option<f64>,
}

impl fmt::Display for ProcessorTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, coordinator, broker } = self;
        write!(
            f,
            "processor time of one, ms: {workers:.3} in the worker, {coordinator:.3} in the coordinator"
        )?;
        broker.iter().try_for_each(|broker| write!(f, ", {broker:.3} at the broker"))
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
    /// The process of the broker, where it is ours.
    broker: Option<u32>,
    stop: &'a Arc<AtomicBool>,
}

/// What is done before anything is counted, so that batches have their size.
const WARM_UP: Duration = Duration::from_millis(500);

impl Bench<'_> {
    fn beside(&self, what: &'static str, task: fn(u64) -> Task) -> Result<Beside> {
        let threads = self.args.threads;
        let (mut local, mut grid, mut busy) = (Vec::new(), Vec::new(), Vec::new());
        let (mut on_grid, mut times) = (0, Some([0.0; 3]));
        // No two tasks are the same, so that none is known from before.
        let mut numbers = 0..;
        for _ in 0..self.args.turns {
            let here = Local::new(threads as usize)?;
            let (rate, count) = self.rate(&here, &mut numbers, task)?;
            busy.push(here.busy().as_secs_f64() / count as f64);
            local.push(rate);
            let (there, workers) = self.workers_beside()?;
            let before = self.seconds(&workers);
            let (rate, count) = self.rate(&there, &mut numbers, task)?;
            let after = self.seconds(&workers);
            there.finish();
            grid.push(rate);
            on_grid += count;
            times = times.zip(before.zip(after)).map(|(times, (before, after))| {
                [0, 1, 2].map(|place| times[place] + after[place] - before[place])
            });
        }
        let ratio = mean(&grid) / mean(&local);
        let processor = times.map(|times| {
            let [workers, coordinator, broker] = times.map(|seconds| 1e3 * seconds / on_grid as f64);
            ProcessorTime { workers, coordinator, broker: self.broker.map(|_| broker) }
        });
        Ok(Beside { what, threads, milliseconds: 1e3 * mean(&busy), local, grid, ratio, processor })
    }

    /// Seconds of processor time that the workers, this process and the broker have taken so far.
    fn seconds(&self, workers: &[Process]) -> Option<[f64; 3]> {
        let seconds = |process| processor_time(process).map(|time| time.as_secs_f64());
        let workers: Option<f64> = workers.iter().map(|worker| seconds(worker.id())).sum();
        let broker = self.broker.map_or(Some(0.0), seconds);
        Some([workers?, seconds(std::process::id())?, broker?])
    }

    /// A grid, and workers of one core each.
    fn workers_beside(&self) -> Result<(Grid, Vec<Process>)> {
        let grid = self.grid()?;
        let worker = |number| start_worker(&self.access, number);
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

    fn delays(&self, scratch: &Scratch) -> Result<Delays> {
        let (sender, finished) = mpsc::channel();
        let cores = Arc::new(Cores::default());
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
            let local = Local::with_options(options_here)?;
            let threads = Noting { local, cores: Arc::clone(&cores), finished: sender.clone() };
            anyhow::Ok(Worker::with_executor(options.clone(), Box::new(threads))?)
        };
        let workers = (0..self.args.workers).map(start).collect::<Result<Vec<_>>>()?;
        self.wait_for(&grid, workers.len())?;
        let journal = MatchStore::open(&scratch.path().join("journal.db"))?;
        let time = Duration::from_secs_f64(60.0 * self.args.minutes);
        let begun = Instant::now();
        let (mut ends, mut delays, mut result) = (HashMap::new(), Vec::new(), Ok(()));
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
            ends.extend(finished.try_iter());
            let finished = ends.remove(&task.key());
            delays.extend(finished.map(|finished| 1e3 * finished.elapsed().as_secs_f64()));
            if begun.elapsed() >= time.mul_f64((memory.len() + 1) as f64 / 10.0) {
                memory.extend(megabytes(std::process::id()));
                broker_memory.extend(self.broker.and_then(megabytes));
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

/// Where it is told when tasks were finished.
type Finished = mpsc::Sender<(TaskKey, Instant)>;

/// The cores of this machine, each for one game at a time, as workers on machines of their own have theirs to themselves.
struct Cores {
    free: Mutex<usize>,
    changed: Condvar,
}

impl Default for Cores {
    fn default() -> Self {
        let free = available_parallelism().map_or(1, NonZero::get);
        Self { free: Mutex::new(free), changed: Condvar::new() }
    }
}

/// One of them, taken.
struct Core(Arc<Cores>);

impl Core {
    /// Waits until one is free.
    fn take(cores: &Arc<Cores>) -> Self {
        let free = cores.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = cores.changed.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Self(Arc::clone(cores))
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.changed.notify_one();
    }
}

/// Threads that note when a task is finished, and take turns on the cores.
struct Noting {
    local: Local,
    cores: Arc<Cores>,
    finished: Finished,
}

impl Executor for Noting {
    fn submit(&self, key: TaskKey, task: Task, listener: Box<dyn Listener>) {
        let (cores, finished) = (Arc::clone(&self.cores), self.finished.clone());
        let core = None;
        self.local.submit(key, task, Box::new(NotingListener { key, listener, cores, core, finished }));
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
    cores: Arc<Cores>,
    core: Option<Core>,
    finished: Finished,
}

impl Listener for NotingListener {
    fn begin(&mut self) -> bool {
        self.core = Some(Core::take(&self.cores));
        self.listener.begin()
    }

    fn done(self: Box<Self>, task: Task, result: Result<TaskOutcome, TaskError>) {
        let _ = self.finished.send((self.key, Instant::now()));
        self.listener.done(task, result);
    }
}

/// A worker that ends with us.
fn start_worker(access: &Access, number: u64) -> Result<Process> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["worker", &access.url, "--concurrency", "1", "--name", &format!("bench {number}")]);
    Process::start(command.stdin(Stdio::null()).stderr(Stdio::null()))
}
