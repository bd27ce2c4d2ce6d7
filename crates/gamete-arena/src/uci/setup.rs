use std::sync::Arc;
use std::time::Duration;

use super::log::EngineLog;

/// How an engine is run, whatever engine it is. None of it changes what an engine that does well plays.
#[derive(Debug, Clone, Default)]
pub struct EngineSetup {
    /// How long it is waited for.
    pub timeouts: Timeouts,
    /// Where all that is said to it and by it is written.
    pub log: Option<Arc<EngineLog>>,
    /// What it is called there, if not as its program.
    pub name: Option<String>,
    /// How much longer it is waited for than its clock or its time for a move allows. Whether a late move loses is for others
    /// to say.
    pub margin: Duration,
}

impl EngineSetup {
    /// The margin where nobody plays for points.
    pub const PATIENCE: Duration = Duration::from_secs(5);
}

/// How long an engine may take for what is not thinking under a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Timeouts {
    /// From its start to `uciok`.
    pub start: Duration,
    /// From `ucinewgame` and `isready` to `readyok`.
    pub new_game: Duration,
    /// From any other `isready` to `readyok`.
    pub ping: Duration,
    /// From `go` to `bestmove` where no clock runs.
    pub think: Duration,
    /// From `stop` to `bestmove`, once it is too late.
    pub stop: Duration,
    /// From `quit` to its end.
    pub quit: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            start: seconds(10),
            new_game: seconds(60),
            ping: seconds(60),
            think: seconds(60),
            stop: seconds(5),
            quit: seconds(2),
        }
    }
}
