use std::process::ExitStatus;
use std::time::Duration;

/// What an engine did that ends its game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It does not start, or ends before it has said who it is.
    #[error("cannot be started: {0}")]
    StartFailed(String),
    /// It starts, but does not answer `uci`.
    #[error("is not a UCI engine: no uciok within {} ms", .waited.as_millis())]
    NotUci {
        /// How long it was given.
        waited: Duration,
    },
    /// It ended by itself.
    #[error("crashed{}", .status.map_or_else(String::new, |status| format!(" ({status})")))]
    Crash {
        /// How; unknown if it only stopped talking and had to be killed.
        status: Option<ExitStatus>,
    },
    /// It does not answer.
    #[error(
        "stalled: no {expected} within {} ms{}", .waited.as_millis(),
        .ignored_above.map_or_else(String::new, |most| format!(
            " (a line of more than {most} bytes, which was ignored, may have had it)"
        ))
    )]
    Stall {
        /// What it should have said.
        expected: &'static str,
        /// How long it was given.
        waited: Duration,
        /// How long its lines may be, if one was longer and was ignored.
        ignored_above: Option<usize>,
    },
    /// It searches on beyond the limit that it was given.
    #[error(
        "does not obey \"go {limit}\": {reached} and still no bestmove; give it another limit, as st= or tc="
    )]
    IgnoresLimit {
        /// What it was told: `nodes 100`.
        limit: String,
        /// How far it is by its own count.
        reached: String,
    },
    /// It had to be told to stop, as it took more time than it had.
    #[error("had not moved after {} ms", .time.as_millis())]
    Late {
        /// The time until it stopped.
        time: Duration,
    },
    /// It played a move that cannot be played.
    #[error("played the illegal move {0}")]
    IllegalMove(String),
    /// It answered something else than a move.
    #[error("answered {0:?} instead of a move")]
    BadAnswer(String),
    /// It was spoken to after it had ended.
    #[error("is not running")]
    NotRunning,
    /// It was not waited for.
    #[error("was stopped")]
    Stopped,
    /// The pipes to it fail.
    #[error("cannot be spoken to: {0}")]
    Io(String),
}

/// An option that was not sent to an engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// The engine does not have it.
    #[error("Warning; {engine} doesn't have option {option}")]
    UnknownOption {
        /// The engine's name.
        engine: String,
        /// The option's name.
        option: String,
    },
    /// The engine would not take the value.
    #[error("Warning; {engine} option {option} is {value:?} instead of {wanted}")]
    InvalidValue {
        /// The engine's name.
        engine: String,
        /// The option's name.
        option: String,
        /// The value.
        value: String,
        /// What the option takes.
        wanted: String,
    },
}
