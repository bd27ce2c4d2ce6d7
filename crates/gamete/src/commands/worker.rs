use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use gamete_arena::Program;
use gamete_arena::uci::{EngineCatalog, EngineSpec};
use gamete_grid::{Worker, WorkerOptions, build_signature};
use serde::Deserialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::grid::{AccessArgs, host, notices};
use crate::terminal::{counted, errln, print_warning, spinner};

/// Play games for a grid: take them from a broker and send back the results.
///
/// A worker may join and leave at any time. Ctrl-C finishes the games in progress; a second one hands them to other workers.
/// It runs only Gamete's own players and the programs of its own --engines file, whatever it is sent.
#[derive(clap::Args)]
#[command(after_help = "Engines of other makers are named in games, and looked up in a file:
  [engines.stockfish]
  cmd = \"/usr/games/stockfish\"
  args = []

Examples:
  gamete worker nats://192.168.1.5:4222
  gamete worker nats://broker.example.org --concurrency 4 --nice --name attic
  gamete worker nats://broker.example.org --grid-creds worker.creds --engines engines.toml")]
pub struct Args {
    /// The broker, such as nats://host:4222; brokers of a cluster separated by commas
    #[arg(value_name = "URL")]
    url: String,

    /// Games at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,

    /// Run at low priority
    #[arg(long)]
    nice: bool,

    /// Name of this worker [default: the host name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// TOML file of the engines that games may name
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,

    /// Cache directory for data that many games share, such as large players [default: gamete in the user's cache directory]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Speed of this machine in nodes per second, for matches that scale time controls [default: measured when needed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    speed: Option<u64>,

    #[command(flatten)]
    access: AccessArgs,
}

/// How often it is looked whether to leave.
const TICK: Duration = Duration::from_millis(100);

/// How often it is said what was done, where that is not a line on a terminal.
const REPORT_EVERY: Duration = Duration::from_secs(60);

pub fn run(args: &Args) -> Result<ExitCode> {
    let engines = args.engines.as_deref().map(catalog).transpose()?.unwrap_or_default();
    let access = args.access.of(&args.url)?;
    let concurrency =
        args.concurrency.map_or_else(|| available_parallelism().map_or(1, usize::from), |n| n as usize);
    let name = args.name.clone().unwrap_or_else(host);
    if args.nice {
        let _ = rustix::process::setpriority_process(None, 19)
            .inspect_err(|error| print_warning(&format!("--nice: {error}")));
    }
    let shown = access.shown();
    // Before there is a broker: as the first process of a container, nothing ends us that we do not listen for.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
    let options = WorkerOptions {
        access,
        name: name.clone(),
        concurrency,
        engines: Arc::new(engines),
        speed: args.speed,
        notices: notices(),
        only: None,
        patient: true,
        cache: args.cache.clone().or_else(cache_folder),
    };
    let Some(worker) = start(options, &mut signals)? else {
        errln!("worker {name}: left before it reached the broker at {shown}");
        return Ok(ExitCode::SUCCESS);
    };
    errln!(
        "worker {name}: {} at a time for {shown}, signature {}",
        counted(concurrency as u64, "game"),
        build_signature()
    );
    let line = spinner("waiting for games");
    let (mut is_leaving, mut is_returning) = (false, false);
    let mut reported = Instant::now();
    while !worker.has_left() {
        for signal in signals.pending() {
            if is_returning {
                line.finish_and_clear();
                // Nobody waits for it any more.
                std::mem::forget(worker);
                return Ok(ExitCode::from(130));
            }
            if signal == SIGINT && !is_leaving {
                is_leaving = true;
                worker.leave();
                line.suspend(|| errln!("finishing the games in hand; once more to give them back now"));
            } else {
                is_returning = true;
                worker.give_back();
            }
        }
        let counts = worker.counts();
        let text = match counts.experiments {
            0 => "waiting for games".to_owned(),
            experiments => format!(
                "{} of {}, {:.1} a second, {} in hand, {} failed",
                counted(counts.done, "game"),
                counted(experiments as u64, "experiment"),
                counts.rate,
                counts.in_hand,
                counts.failed
            ),
        };
        line.set_message(text.clone());
        if line.is_hidden() && counts.experiments > 0 && reported.elapsed() >= REPORT_EVERY {
            reported = Instant::now();
            errln!("{text}");
        }
        std::thread::sleep(TICK);
    }
    line.finish_and_clear();
    let counts = worker.counts();
    errln!("worker {name}: left after {}, {} failed", counted(counts.done, "game"), counts.failed);
    Ok(ExitCode::SUCCESS)
}

/// Starts a worker, which takes as long as there is no broker; nothing if a signal comes before.
fn start(options: WorkerOptions, signals: &mut Signals) -> Result<Option<Worker>> {
    let (sender, started) = mpsc::channel();
    std::thread::spawn(move || sender.send(Worker::start(options)));
    loop {
        match started.recv_timeout(TICK) {
            Ok(worker) => return Ok(Some(worker?)),
            Err(RecvTimeoutError::Timeout) if signals.pending().next().is_some() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => bail!("the worker has panicked"),
        }
    }
}

/// The folder for what can be fetched again, as the XDG Base Directory Specification has it.
fn cache_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    caches.map(|caches| caches.join("gamete"))
}

/// A file of engines.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineFile {
    engines: BTreeMap<String, EngineSpec>,
}

fn catalog(path: &Path) -> Result<EngineCatalog> {
    let named = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(named)?;
    let file: EngineFile = toml::from_str(&text).with_context(named)?;
    let mut catalog = EngineCatalog::default();
    for (name, spec) in file.engines {
        if !spec.options.is_empty() {
            bail!(
                "{}: engines.{name}: options come with each game, so that it is the same on every machine; leave them out here, and \
                 give them to the match or tune",
                path.display()
            );
        }
        let program = Program::find(&spec).with_context(|| format!("{}: engines.{name}", path.display()))?;
        // It would lose every game that it is asked for.
        let program = program.with_context(|| {
            format!(
                "{}: engines.{name}: cmd = {:?} is no program that can be run here; correct the path, or leave this engine out",
                path.display(),
                spec.cmd
            )
        })?;
        catalog.add(&name, spec, Some(program.content()));
    }
    Ok(catalog)
}
