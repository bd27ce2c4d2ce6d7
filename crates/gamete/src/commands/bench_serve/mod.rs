mod crowd;
mod http;
mod load;
mod served;
mod viewers;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Result, bail};
use gamete_stats::Sample;
use serde::Serialize;

use self::crowd::Crowd;
use self::load::Load;
use self::served::{Served, Taken};
use self::viewers::Viewers;
use crate::interrupt::stop_on_interrupt;
use crate::process::processor_time;
use crate::scratch::Scratch;
use crate::terminal::{counted, outln, print_json};

/// What the dashboard costs: the time of an experiment with viewers and without, requests per second, and a crowd.
///
/// The server is a process of its own with a new lab. An experiment is started in it as the page does, and runs to its end, with viewers
/// and without in turns: each time the games are the same, so that times can be compared. A viewer has the two event streams of a
/// page. Then clients ask for all that can be read. At last very many connections are opened that say nothing, while somebody else
/// asks. Viewers and clients share the processor with the server; what they take themselves is told.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete bench serve
  gamete bench serve --threads 1 --generations 40 --turns 6
  gamete bench serve --turns 0 --load 60 --json")]
pub struct Args {
    /// Pages that show the experiment
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=500))]
    viewers: u64,

    /// Games at a time of the experiment [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,

    /// Generations of the experiment, each of about a hundred games
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    generations: u64,

    /// Turns with viewers, and as many without; 0 leaves them out
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(0..=100))]
    turns: u64,

    /// Clients that ask at a time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=1000))]
    clients: u64,

    /// Seconds for that, none to leave it out
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=3600))]
    load: u64,

    /// Connections of the crowd, none to leave it out
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(0..=50_000))]
    crowd: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    viewers: Option<Beside>,
    load: Option<Load>,
    crowd: Option<Crowd>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let stop = stop_on_interrupt(None)?;
    let scratch = Scratch::new()?;
    let threads =
        args.threads.unwrap_or_else(|| available_parallelism().map_or(1, |cores| cores.get() as u64));
    let tell = |row: &dyn fmt::Display| if args.json { Ok(()) } else { outln!("{row}") };
    let mut report = Report { viewers: None, load: None, crowd: None };
    if args.turns > 0 {
        let beside = Beside::measure(scratch.path(), threads, args, &stop)?;
        tell(report.viewers.insert(beside))?;
    }
    let served = Served::start(&scratch.path().join("lab"), threads)?;
    let experiment = served.start_experiment(threads, 2)?;
    follow(&served, &experiment, || rest(&stop))?;
    if args.load > 0 {
        let load = Load::measure(&served, &experiment, args.clients, args.load, &stop)?;
        tell(report.load.insert(load))?;
    }
    if args.crowd > 0 && !stop.load(Ordering::Relaxed) {
        tell(report.crowd.insert(Crowd::measure(&served, args.crowd)))?;
    }
    if stop.load(Ordering::Relaxed) {
        bail!("broken off");
    }
    if args.json {
        print_json(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An experiment with viewers and without, taking turns.
#[derive(Serialize)]
struct Beside {
    viewers: u64,
    threads: u64,
    /// Of the experiment, the same in every turn.
    games: u64,
    without: Side,
    with: Side,
    /// Games per second with viewers over those without.
    speed: Ratio,
    /// Seconds of processor time that the viewers themselves take, each turn.
    viewing: Vec<f64>,
    /// Events of the experiment that each viewer had in a turn, the fewest and the most.
    events: [u64; 2],
}

/// Turns of one kind.
#[derive(Default, Serialize)]
struct Side {
    seconds: Vec<f64>,
    /// Of the server with the experiment in it.
    processor_seconds: Vec<f64>,
    /// Milliseconds of processor time that the server takes beside the experiment, per second of it.
    serving: Vec<f64>,
}

impl Side {
    fn add(&mut self, taken: Taken, serving: Option<f64>) {
        self.serving.extend(serving.map(|seconds| 1e3 * seconds / taken.seconds));
        self.seconds.push(taken.seconds);
        self.processor_seconds.extend(taken.processor_seconds);
    }
}

/// What is so with viewers, over what is so without.
#[derive(Serialize)]
struct Ratio {
    turns: Vec<f64>,
    mean: f64,
    /// Half the width of the 95 % interval, by Student's t.
    margin: Option<f64>,
}

impl Ratio {
    fn of_speeds(without: &Side, with: &Side) -> Self {
        let pairs = without.seconds.iter().zip(&with.seconds);
        let turns: Vec<f64> = pairs.map(|(without, with)| without / with).collect();
        let sample = Sample::of(turns.iter().copied());
        Self { mean: sample.mean(), margin: sample.margin(), turns }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean, margin, .. } = self;
        let margin = margin.map_or_else(String::new, |margin| format!(" ± {:.2}", 100.0 * margin));
        write!(f, "{:.2}{margin} %", 100.0 * mean)
    }
}

fn mean(numbers: &[f64]) -> f64 {
    Sample::of(numbers.iter().copied()).mean()
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { viewers, threads, games, without, with, speed, viewing, events } = self;
        let [few, many] = events;
        writeln!(
            f,
            "{} of an experiment of {} on {}, {}: {:.2} s without them, {:.2} s with them, {speed} of the games a second",
            counted(*viewers, "viewer"),
            counted(*games, "game"),
            counted(*threads, "thread"),
            counted(speed.turns.len() as u64, "turn"),
            mean(&without.seconds),
            mean(&with.seconds),
        )?;
        if !with.processor_seconds.is_empty() {
            writeln!(
                f,
                "processor time: {:.2} s of the server without them, {:.2} s with them, {:.2} s of the viewers themselves; of these \
                 {:.1} and {:.1} ms a second to serve",
                mean(&without.processor_seconds),
                mean(&with.processor_seconds),
                mean(viewing),
                mean(&without.serving),
                mean(&with.serving),
            )?;
        }
        write!(f, "events of the experiment that each had in a turn: {few} to {many}")
    }
}

/// How long viewers watch before it is asked whether the experiment has ended.
const LOOK: Duration = Duration::from_millis(250);

impl Beside {
    fn measure(scratch: &Path, threads: u64, args: &Args, stop: &AtomicBool) -> Result<Self> {
        let (mut without, mut with) = (Side::default(), Side::default());
        let (mut games, mut viewing, mut events) = (0, Vec::new(), [u64::MAX, 0]);
        for turn in 0..args.turns {
            // Who comes first changes, so that a machine that becomes faster or slower favours nobody.
            for has_viewers in [!turn.is_multiple_of(2), turn.is_multiple_of(2)] {
                let lab = scratch.join(format!("lab-{turn}-{has_viewers}"));
                let served = Served::start(&lab, threads)?;
                let own = processor_time(std::process::id());
                let id = served.start_experiment(threads, args.generations)?;
                if has_viewers {
                    let mut viewers = Viewers::connect(served.address, args.viewers, &id, stop)?;
                    let serving = follow(&served, &id, || viewers.watch(LOOK, stop))?;
                    with.add(served.taken(&id)?, serving);
                    let taken = processor_time(std::process::id()).zip(own);
                    viewing.extend(taken.map(|(now, then)| now.saturating_sub(then).as_secs_f64()));
                    let [few, many] = viewers.events();
                    events = [events[0].min(few), events[1].max(many)];
                } else {
                    let serving = follow(&served, &id, || rest(stop))?;
                    let taken = served.taken(&id)?;
                    games = taken.games;
                    without.add(taken, serving);
                }
            }
        }
        let speed = Ratio::of_speeds(&without, &with);
        Ok(Self { viewers: args.viewers, threads, games, without, with, speed, viewing, events })
    }
}

/// Does something until an experiment has ended. Gives what the server took beside it, as it was known last.
fn follow(served: &Served, id: &str, mut meanwhile: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
    let mut serving = None;
    while !served.has_ended(id)? {
        serving = served.serving().or(serving);
        meanwhile()?;
    }
    Ok(serving)
}

/// Does nothing for a while.
fn rest(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) {
        bail!("broken off");
    }
    std::thread::sleep(LOOK);
    Ok(())
}
