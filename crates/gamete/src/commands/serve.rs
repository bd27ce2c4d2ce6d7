use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use gamete_lab::Store;
use gamete_web::{Server, ServerOptions};
use signal_hook::consts::SIGTERM;

use crate::grid::AccessArgs;
use crate::interrupt::stop_on_interrupt;
use crate::lab::LabArgs;
use crate::terminal::{errln, outln, print_warning};

/// Serve the dashboard: watch and start experiments, replay games, play.
///
/// The dashboard shows the lab as a web page, on which you can also play against the evolved players. Only this
/// machine can reach it unless --listen says otherwise. If others can reach it, everything that changes something
/// requires a token; looking is free. docs/dashboard.md describes the API and how to serve others safely.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete serve --open
  gamete serve --lab results --listen 127.0.0.1:8080
  gamete serve --listen 0.0.0.0:7878 --token $(openssl rand -hex 16)
  gamete serve --journals . --grid nats://192.168.1.5:4222")]
pub struct Args {
    #[command(flatten)]
    lab: LabArgs,

    /// Address and port to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7878")]
    listen: SocketAddr,

    /// Open the page in a browser
    #[arg(long)]
    open: bool,

    /// Token required to change anything; needed if other machines can reach the server [default: the environment
    /// variable GAMETE_TOKEN, else none]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,

    /// Host name by which clients may reach the server, besides its addresses
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,

    /// Directory of match journals [default: the lab directory]
    #[arg(long, value_name = "DIR")]
    journals: Option<PathBuf>,

    /// Games at once in an experiment started on the page, and players that think at once [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,

    /// Show the workers and queue of a NATS broker (nats://host:4222), and let them play the games of experiments
    /// that ask for it
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
    let is_new = !args.lab.lab.join(Store::FILE_NAME).exists();
    let server = Server::bind(options)?;
    if is_new {
        errln!("there was no lab in {}: made a new one", args.lab.lab.display());
    }
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
        Some(token) => format!("http://{host}/#token={}", in_address(token)),
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

/// A token as it can stand in an address.
fn in_address(token: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let letter = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    token.bytes().map(letter).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_in_an_address_is_read_as_it_was_given() {
        assert_eq!(in_address("a-secret_of.0~"), "a-secret_of.0~");
        assert_eq!(in_address("50%41 é#"), "50%2541%20%C3%A9%23");
    }
}
