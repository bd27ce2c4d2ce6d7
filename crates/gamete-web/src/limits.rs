//! How much a visitor may ask of the machine.

use std::time::Duration;

use serde::Serialize;

/// The largest body of a request.
pub const BODY_BYTES: usize = 64 << 10;

/// How long a body may take to arrive.
pub const BODY_TIME: Duration = Duration::from_secs(10);

/// How long the head of a request may take to arrive, and an idle connection be kept.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long what was sent may go without being taken.
pub const UNREAD_TIME: Duration = Duration::from_secs(60);

/// Connections at a time, if the system allows as many files.
pub const CONNECTIONS: usize = 2048;

/// Event streams at a time.
pub const STREAMS: usize = 1024;

/// Readers of the lab at a time, beside those that think.
pub const READERS: usize = 8;

/// The most that a game or an analysis asks of a player, and how much there is at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Games that the lab keeps of those played on the page.
    pub sessions: usize,
    /// Players that think at a time.
    pub thinking: usize,
    /// Milliseconds a move.
    pub movetime_ms: u64,
    /// Positions a move.
    pub nodes: u64,
    /// Plies.
    pub depth: u32,
    /// Experiments that are run here at a time.
    pub running_experiments: usize,
    /// Games at a time of an experiment that is started here.
    pub threads: usize,
    /// Positions of an analysis of a whole game.
    pub positions: usize,
    /// Positions visited for each of these.
    pub position_nodes: u64,
}

impl Limits {
    /// The most there can be on a clock.
    pub const CLOCK_MS: u64 = 3 * 60 * 60 * 1000;

    /// Plies of a game.
    pub const PLIES: usize = 2000;

    /// For a machine with so many cores.
    pub fn of_cores(cores: usize) -> Self {
        Self {
            sessions: 500,
            thinking: cores,
            movetime_ms: 60_000,
            nodes: 50_000_000,
            depth: 64,
            running_experiments: 2,
            threads: cores,
            positions: 600,
            position_nodes: 5_000,
        }
    }

    /// The table of each player that thinks.
    pub const HASH_BYTES: usize = 32 << 20;

    /// How long a move may take, whatever else limits it.
    pub fn move_time(&self) -> Duration {
        Duration::from_millis(self.movetime_ms)
    }
}
