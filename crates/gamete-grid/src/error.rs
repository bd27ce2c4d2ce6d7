use std::path::PathBuf;

use crate::names::{OUTCOME_STREAMS, TASK_STREAMS};

/// Why there is no grid.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// The address makes no sense.
    #[error("{url}: {reason}; an address is like nats://host:4222, and several are set apart by commas")]
    Address {
        /// The address, without its password.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nobody answers.
    #[error("no broker at {url}: {reason}; `gamete grid up` starts one here, and so does `nats-server -js`")]
    NoBroker {
        /// The address, without its password.
        url: String,
        /// What was tried.
        reason: String,
    },
    /// The broker knows us not.
    #[error("the broker at {url} does not let us in: {reason}; see `docs/grid.md` on users, tokens and keys")]
    Denied {
        /// The address, without its password.
        url: String,
        /// What it says.
        reason: String,
    },
    /// The connection is not encrypted by a certificate that we trust.
    #[error(
        "the broker at {url} has no certificate that is trusted here: {reason}; --grid-ca FILE (or GAMETE_GRID_CA) names that \
         of its authority"
    )]
    Certificate {
        /// The address, without its password.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The broker keeps nothing.
    #[error("the broker at {url} has no JetStream ({reason}); start it with `nats-server -js -sd FOLDER`")]
    NoJetStream {
        /// The address, without its password.
        url: String,
        /// What it says.
        reason: String,
    },
    /// The user has not the rights of a coordinator.
    #[error(
        "the broker at {url} does not let this user coordinate, or ask for the status: it has not the rights of a coordinator; see \
         `docs/grid.md` on the two roles"
    )]
    NoCoordinator {
        /// The address, without its password.
        url: String,
    },
    /// Somebody else has a stream of this name.
    #[error("the broker has a stream {stream} with other settings ({what}); {}", way_out(.stream))]
    OtherSettings {
        /// Its name.
        stream: String,
        /// What differs.
        what: String,
    },
    /// There is nothing of this name to be removed.
    #[error("the broker has no experiment {slug}; {}", listed(.known))]
    NoExperiment {
        /// The name.
        slug: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The experiment is not to be removed while it runs.
    #[error("{slug} is running: its coordinator answers; end that first, with Ctrl-C")]
    Running {
        /// The experiment.
        slug: String,
    },
    /// The broker does not do what it is asked for.
    #[error("the broker cannot {doing}: {reason}")]
    Broker {
        /// What it was asked for.
        doing: String,
        /// What it says.
        reason: String,
    },
    /// A file with a key or certificate cannot be read.
    #[error("{}: {reason}", .path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no thread for it.
    #[error("no thread can be started for the grid: {0}")]
    Thread(#[from] std::io::Error),
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "it has none".to_owned(),
        names => format!("it has {}", names.join(", ")),
    }
}

/// What can be done about a stream with other settings.
fn way_out(stream: &str) -> String {
    let slug = [TASK_STREAMS, OUTCOME_STREAMS].into_iter().find_map(|prefix| stream.strip_prefix(prefix));
    match slug {
        Some(slug) => format!("`gamete grid remove URL {slug}` removes it"),
        None => "it is not of Gamete: have its owner remove or change it, or use another broker".to_owned(),
    }
}

impl GridError {
    pub(crate) fn broker(doing: impl Into<String>, reason: impl std::fmt::Display) -> Self {
        Self::Broker { doing: doing.into(), reason: reason.to_string() }
    }
}
