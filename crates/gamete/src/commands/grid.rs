use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use gamete_grid::{ExperimentStatus, GridStatus};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::grid::{AccessArgs, PrivateBroker, worker_lines};
use crate::terminal::{counted, errln, grouped, outln, print_json};

/// Show the state of a grid, remove what an experiment left there, or start a broker.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete grid up
  gamete grid up --listen 0.0.0.0 --folder /var/lib/gamete-broker
  gamete grid status nats://192.168.1.5:4222
  gamete grid status nats://192.168.1.5:4222 --json
  gamete grid remove nats://192.168.1.5:4222 study-0a1b2c3d")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    Status(StatusArgs),
    Up(UpArgs),
    Remove(RemoveArgs),
}

/// Show the workers and the queue of a broker.
#[derive(clap::Args)]
struct StatusArgs {
    /// The broker
    #[arg(value_name = "URL")]
    url: String,

    /// Seconds to wait for answers
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=600))]
    wait: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    access: AccessArgs,
}

/// Start a broker on this machine, until Ctrl-C.
///
/// It has no access control. By default only this machine can reach it; docs/grid.md explains how to run a broker for others.
#[derive(clap::Args)]
struct UpArgs {
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// Port to listen on
    #[arg(long, value_name = "N", default_value_t = 4222)]
    port: u16,

    /// Directory for its data
    #[arg(long, value_name = "DIR", default_value = "gamete-broker")]
    folder: PathBuf,

    /// Broker program [default: nats-server on the PATH]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Remove what an experiment that nobody resumes has left at a broker: its tasks and outcomes.
///
/// It is refused while the coordinator of the experiment answers. The lab or journal keeps what it has; outcomes that had not
/// reached it are played again if the experiment is resumed after all.
#[derive(clap::Args)]
#[command(after_help = "Example:
  gamete grid remove nats://192.168.1.5:4222 study-0a1b2c3d")]
struct RemoveArgs {
    /// The broker
    #[arg(value_name = "URL")]
    url: String,

    /// The experiment as `gamete grid status` names it
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    access: AccessArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.action {
        Action::Status(args) => status(args),
        Action::Up(args) => up(args),
        Action::Remove(args) => {
            gamete_grid::remove(&args.access.of(&args.url)?, &args.name)?;
            errln!("removed {}", args.name);
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn status(args: &StatusArgs) -> Result<ExitCode> {
    let access = args.access.of(&args.url)?;
    let status = GridStatus::ask(&access, Duration::from_secs(args.wait))?;
    if args.json {
        print_json(&status)?;
        return Ok(ExitCode::SUCCESS);
    }
    let cores: usize = status.workers.iter().map(|worker| worker.concurrency).sum();
    let (workers, games) = (counted(status.workers.len() as u64, "worker"), counted(cores as u64, "game"));
    outln!("{workers}, {games} at a time")?;
    let width = status.workers.iter().map(|worker| worker.name.chars().count()).max().unwrap_or(0);
    for worker in &status.workers {
        outln!(
            "  {:<width$}  {:>3} at a time  {:>8.1} a second  {:>10} done  {:>6} failed  {} of {}",
            worker.name,
            worker.concurrency,
            worker.rate,
            grouped(worker.done),
            grouped(worker.failed),
            counted(worker.serves.len() as u64, "experiment"),
            worker.signature
        )?;
        if let Some(speed) = worker.speed {
            outln!("  {:<width$}  {} nodes a second", "", grouped(speed))?;
        }
    }
    outln!("{}", counted(status.experiments.len() as u64, "experiment"))?;
    for experiment in &status.experiments {
        outln!("  {}", experiment_line(experiment))?;
        let workers = experiment.report.as_ref().map(|report| report.workers.as_slice()).unwrap_or_default();
        for line in worker_lines(workers) {
            outln!("    {line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn experiment_line(experiment: &ExperimentStatus) -> String {
    let ExperimentStatus { slug, offer, queued, in_flight, redelivered, outcomes, report } = experiment;
    let coordinator = match offer {
        Some(offer) => format!("{} told, {} open", grouped(offer.told), grouped(offer.open as u64)),
        None => "no coordinator".to_owned(),
    };
    let known = report.as_ref().map_or_else(String::new, |report| {
        format!("; {} sent again, {} failed", grouped(report.sent_again), grouped(report.failed))
    });
    format!(
        "{slug}: {coordinator}; {queued} in the queue, {in_flight} given out ({redelivered} not for the first time), \
         {outcomes} outcomes waiting{known}"
    )
}

fn up(args: &UpArgs) -> Result<ExitCode> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
    let address = SocketAddr::new(args.listen, args.port);
    let mut broker = PrivateBroker::start(args.program.as_deref(), address, &args.folder)?;
    let mut is_said = false;
    while signals.pending().next().is_none() {
        if broker.is_up()? && !is_said {
            is_said = true;
            let url = broker.url();
            errln!("broker at {url}, with what it keeps in {}", args.folder.display());
            errln!("  gamete worker {url}          # on any machine that can reach it");
            errln!("  gamete evolve --grid {url}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(ExitCode::SUCCESS)
}
