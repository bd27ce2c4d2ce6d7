use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gamete_arena::Program;
use gamete_arena::uci::{EngineCatalog, EngineSpec};
use gamete_grid::{Worker, WorkerOptions, build_signature};
use serde::Deserialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::grid::{AccessArgs, host, notices};
use crate::terminal::{counted, errln, print_warning, spinner};

/// Lend this machine to a grid: take games from a broker, play them, send back what came of them.
///
/// A worker may come and go at any time. Ctrl-C finishes the games in hand; a second one gives them back for others to play.
/// It runs nothing but players of ours and the programs of its own --engines, whatever it is sent.
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
    /// The broker, like nats://host:4222; several of a cluster set apart by commas
    #[arg(value_name = "URL")]
    url: String,

    /// Games at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,

    /// Run at low priority, so that nobody else on this machine waits for it
    #[arg(long)]
    nice: bool,

    /// What to call this worker [default: the name of the machine]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// The programs that games may name, a TOML file
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,

    /// Where to keep what many games have in common, such as large players [default: gamete in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Its speed in nodes a second, by which clocks are scaled where a match asks for that [default: measured then]
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
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
    let shown = access.shown();
    let worker = Worker::start(WorkerOptions {
        access,
        name: name.clone(),
        concurrency,
        engines: Arc::new(engines),
        speed: args.speed,
        notices: notices(),
        only: None,
        patient: true,
        cache: args.cache.clone().or_else(cache_folder),
    })?;
    errln!(
        "worker {name}: {} at a time for {shown}, signature {}",
        counted(concurrency as u64, "game"),
        build_signature()
    );
    let line = spinner("waiting for games");
    let mut interrupts = 0;
    let mut reported = Instant::now();
    while !worker.has_left() {
        for signal in signals.pending() {
            interrupts += 1;
            match (signal, interrupts) {
                (SIGINT, 1) => {
                    worker.leave();
                    line.suspend(|| errln!("finishing the games in hand; once more to give them back now"));
                }
                (SIGINT, 2) | (_, 1) => worker.give_back(),
                _ => return Ok(ExitCode::from(130)),
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
        let program = Program::find(&spec).with_context(|| format!("{}: engines.{name}", path.display()))?;
        catalog.add(&name, spec, program.map(|program| program.content()));
    }
    Ok(catalog)
}
