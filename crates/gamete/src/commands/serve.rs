use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use gamete_web::{Server, ServerOptions};
use signal_hook::consts::SIGTERM;

use crate::grid::AccessArgs;
use crate::interrupt::stop_on_interrupt;
use crate::lab::LabArgs;
use crate::terminal::{errln, outln, print_warning};

/// Show the lab as a page: watch experiments, start them, replay games, and play against what was bred.
///
/// The page is for this machine alone unless --listen says otherwise. What can be reached by others needs a token for everything that
/// changes something; looking is free. docs/dashboard.md has the API and says how to serve others safely.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete serve --open
  gamete serve --lab results --listen 127.0.0.1:8080
  gamete serve --listen 0.0.0.0:7878 --token $(openssl rand -hex 16)
  gamete serve --journals . --grid nats://192.168.1.5:4222")]
pub struct Args {
    #[command(flatten)]
    lab: LabArgs,

    /// The address and port to listen on; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7878")]
    listen: SocketAddr,

    /// Open the page in a browser
    #[arg(long)]
    open: bool,

    /// What whoever changes something has to know; needed where other machines can reach the server [default: the environment
    /// variable GAMETE_TOKEN, else none]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,

    /// A name of this machine by which the server may be asked, beside its addresses
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,

    /// Where journals of matches are [default: the directory of the lab]
    #[arg(long, value_name = "DIR")]
    journals: Option<PathBuf>,

    /// Games at a time of an experiment that is started on the page, and players that think at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,

    /// Show the workers and the queue of a NATS broker (nats://host:4222)
    #[arg(long, value_name = "URL", help_heading = "Other machines")]
    grid: Option<String>,

    #[command(flatten)]
    access: AccessArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let token =
        args.token.clone().or_else(|| std::env::var("GAMETE_TOKEN").ok()).filter(|token| !token.is_empty());
    let cores = || available_parallelism().map_or(1, usize::from);
    let options = ServerOptions {
        lab: args.lab.lab.clone(),
        journals: args.journals.clone(),
        listen: args.listen,
        token: token.clone(),
        names: args.name.clone(),
        grid: args.grid.as_deref().map(|url| args.access.of(url)).transpose()?,
        threads: args.concurrency.map_or_else(cores, |threads| threads as usize),
    };
    let server = Server::bind(options)?;
    let stop = stop_on_interrupt(Some("stopping; games in hand are finished; once more to stop now"))?;
    signal_hook::flag::register(SIGTERM, Arc::clone(&stop)).context("cannot listen for SIGTERM")?;
    let address = server.address();
    // Who listens everywhere is asked here.
    let host = if address.ip().is_unspecified() {
        SocketAddr::from(([127, 0, 0, 1], address.port()))
    } else {
        address
    };
    let page = match &token {
        Some(token) => format!("http://{host}/#token={token}"),
        None => format!("http://{host}/"),
    };
    outln!("{page}")?;
    errln!("lab {}; Ctrl-C stops", args.lab.lab.display());
    if args.open {
        open(&page);
    }
    server.run(move || stop.load(Ordering::Relaxed))?;
    Ok(ExitCode::SUCCESS)
}

/// Opens a page in the browser of whoever is there.
fn open(page: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = Command::new(program)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => print_warning(&format!("--open: {program}: {error}; open {page} yourself")),
    }
}
