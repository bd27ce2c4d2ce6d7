//! A server in a process of its own, with a new lab and an experiment that runs in it.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use gamete_lab::Store;
use serde_json::{Value, json};

use super::http::{Client, Reply};
use crate::process::{Process, processor_time, processor_time_of};

/// What the threads of an experiment are called in the server.
const RUN: &str = "experiment";

/// A server, and the lab that it serves.
pub struct Served {
    process: Process,
    lab: PathBuf,
    /// Where it listens.
    pub address: SocketAddr,
}

/// What an experiment took from its start to its end.
#[derive(Clone, Copy)]
pub struct Taken {
    pub games: u64,
    /// By the clock, as the lab has it.
    pub seconds: f64,
    /// Of all processors, by the server and by the experiment in it.
    pub processor_seconds: Option<f64>,
}

impl Served {
    /// Starts a server for a lab.
    ///
    /// # Errors
    ///
    /// When it does not listen.
    pub fn start(lab: &Path, threads: u64) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--concurrency", &threads.to_string(), "--lab"])
            .arg(lab);
        command.env_remove("GAMETE_TOKEN");
        let mut process =
            Process::start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let mut line = String::new();
        let output = process.child().stdout.take().context("no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let address =
            line.trim().strip_prefix("http://").and_then(|rest| rest.trim_end_matches('/').parse().ok());
        let Some(address) = address else { bail!("the server does not say where it listens: {line:?}") };
        Ok(Self { process, lab: lab.to_owned(), address })
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Starts an experiment as the page does. Gives its name.
    ///
    /// # Errors
    ///
    /// When it does not start.
    pub fn start_experiment(&self, threads: u64, generations: u64) -> Result<String> {
        let wanted = json!({
            "preset": "kendall-whitwell", "seed": 1, "threads": threads, "verify": 0, "set": { "generations": generations },
        });
        let started = value(&Client::new(self.address).post("/api/experiments", &wanted.to_string())?)?;
        Ok(started["id"].as_str().context("an experiment without a name")?.to_owned())
    }

    /// Whether it has ended.
    ///
    /// # Errors
    ///
    /// When it failed.
    pub fn has_ended(&self, id: &str) -> Result<bool> {
        let found = value(&Client::new(self.address).get(&format!("/api/experiments/{id}"))?)?;
        match found["live"]["error"].as_str() {
            Some(error) => bail!("{id}: {error}"),
            None => Ok(found["live"]["status"] == "finished"),
        }
    }

    /// The seconds of processor time that the server has taken beside the experiment that runs in it, if one does.
    pub fn serving(&self) -> Option<f64> {
        let run = processor_time_of(self.id(), RUN)?;
        processor_time(self.id()).map(|all| all.saturating_sub(run).as_secs_f64())
    }

    /// What an experiment took that has ended. Nothing else may have been asked of the server before.
    ///
    /// # Errors
    ///
    /// When the lab cannot be read.
    pub fn taken(&self, id: &str) -> Result<Taken> {
        let store = Store::open(&self.lab)?;
        let runs = store.runs(id)?;
        let games = runs.iter().map(|run| store.answered(run.number)).sum::<Result<u64, _>>()?;
        let processor_seconds = processor_time(self.id()).map(|time| time.as_secs_f64());
        Ok(Taken { games, seconds: store.seconds(id)?, processor_seconds })
    }
}

fn value(reply: &Reply) -> Result<Value> {
    let text = String::from_utf8_lossy(&reply.body);
    if !(200..300).contains(&reply.status) {
        bail!("the server answers {}: {text}", reply.status);
    }
    Ok(serde_json::from_str(&text)?)
}
