use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use gamete_grid::{ExperimentStatus, GridStatus};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::grid::AccessArgs;
use crate::terminal::{counted, errln, grouped, outln, print_json};

/// Look at a grid, or start a broker for one.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete grid up
  gamete grid up --listen 0.0.0.0 --folder /var/lib/gamete-broker
  gamete grid status nats://192.168.1.5:4222
  gamete grid status nats://192.168.1.5:4222 --json")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    Status(StatusArgs),
    Up(UpArgs),
}

/// Who works at a broker, and what there is to do.
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
/// It lets everybody in who can reach it. By default that is this machine alone; docs/grid.md says how to run a broker that
/// others may use.
#[derive(clap::Args)]
struct UpArgs {
    /// The address that it listens on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// Its port
    #[arg(long, value_name = "N", default_value_t = 4222)]
    port: u16,

    /// Where it keeps what it is given
    #[arg(long, value_name = "DIR", default_value = "gamete-broker")]
    folder: PathBuf,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.action {
        Action::Status(args) => status(args),
        Action::Up(args) => up(args),
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
    outln!("{}, {cores} games at a time", counted(status.workers.len() as u64, "worker"))?;
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
    }
    outln!("{}", counted(status.experiments.len() as u64, "experiment"))?;
    for experiment in &status.experiments {
        outln!("  {}", experiment_line(experiment))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn experiment_line(experiment: &ExperimentStatus) -> String {
    let ExperimentStatus { slug, offer, queued, in_flight, redelivered, outcomes } = experiment;
    let coordinator = match offer {
        Some(offer) => format!("{} told, {} open", grouped(offer.told), grouped(offer.open as u64)),
        None => "no coordinator".to_owned(),
    };
    format!(
        "{slug}: {coordinator}; {queued} in the queue, {in_flight} given out ({redelivered} not for the first time), \
         {outcomes} outcomes waiting"
    )
}

/// Where programs of system administrators are, which the search path of others may leave out.
const FOLDERS: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/sbin"];

/// How long a broker may take to answer.
const STARTING: Duration = Duration::from_secs(20);

fn up(args: &UpArgs) -> Result<ExitCode> {
    let Some(program) = find_broker() else {
        bail!(
            "there is no nats-server on the search path; install it (`apt-get install nats-server`, `brew install \
             nats-server`, or https://nats.io/download)"
        );
    };
    let folder = &args.folder;
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let address = SocketAddr::new(args.listen, args.port);
    if TcpStream::connect_timeout(&reachable(address), Duration::from_secs(1)).is_ok() {
        bail!("port {} is in use; give another --port", args.port);
    }
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
    let log = folder.join("broker.log");
    let mut broker = Running(
        Command::new(&program)
            .args(["-a", &args.listen.to_string(), "-p", &args.port.to_string(), "-js", "-sd"])
            .arg(folder)
            .arg("-l")
            .arg(&log)
            .stdin(Stdio::null())
            .spawn()
            .with_context(|| program.display().to_string())?,
    );
    let begun = Instant::now();
    let mut is_up = false;
    loop {
        if broker.0.try_wait()?.is_some() {
            bail!("{} has ended: {}", program.display(), last_line(&log));
        }
        if signals.pending().next().is_some() {
            return Ok(ExitCode::SUCCESS);
        }
        if !is_up && TcpStream::connect(reachable(address)).is_ok() {
            is_up = true;
            let url = format!("nats://{}", reachable(address));
            errln!("broker at {url}, with what it keeps in {}", folder.display());
            errln!("  gamete worker {url}          # on any machine that can reach it");
            errln!("  gamete evolve --grid {url}");
        }
        if !is_up && begun.elapsed() > STARTING {
            bail!("{} does not answer: {}", program.display(), last_line(&log));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A broker that ends with us.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let id = rustix::process::Pid::from_child(&self.0);
        // It writes down what it has.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
        let _ = self.0.wait();
    }
}

/// The address at which we reach who listens on this one.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port())
    } else {
        address
    }
}

fn find_broker() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(FOLDERS.map(PathBuf::from));
    folders.map(|folder| folder.join("nats-server")).find(|program| program.is_file())
}

fn last_line(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().last().unwrap_or("it says nothing").to_owned()
}
