//! What tests of the program on a grid share: a broker, workers and experiments.
#![allow(dead_code)]

use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::broker::Broker;
use crate::common::{Run, gamete};
use crate::needs::nats_server;

/// A broker with JetStream.
pub fn start_broker() -> Broker {
    Broker::start(nats_server().expect("a broker that is there"))
}

/// A process that ends with the test.
pub struct Process(pub Child);

impl Process {
    /// Starts the program.
    pub fn start(words: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("a program to run"))
    }

    /// A worker that plays one game at a time.
    pub fn worker(broker: &Broker) -> Self {
        Self::start(&["worker", &broker.url(), "--concurrency", "1"])
    }

    /// As by `kill -9`; says whether it was still running.
    pub fn kill(&mut self) -> bool {
        let was_running = self.0.try_wait().expect("a child").is_none();
        let _ = self.0.kill();
        let _ = self.0.wait();
        was_running
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An experiment that is run to its end in a lab.
pub fn evolve(lab: &Path, args: &[&str]) -> Run {
    let lab = lab.display().to_string();
    gamete([&["evolve", "--verify", "0", "--json", "--lab", &lab], args].concat())
}

/// What a program has printed.
pub fn json(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(&run.out).expect("one JSON object")
}

/// What came out is the same.
pub fn assert_same(one: &Value, other: &Value) {
    for key in ["id", "champion", "digest", "games"] {
        assert_eq!(one[key], other[key]);
    }
}

/// Settings of a short experiment of 30 games.
pub const SMALL: [&str; 4] = ["--set", "population=6", "--set", "generations=3"];
