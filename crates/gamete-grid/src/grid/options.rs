use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::{Access, Notices, Share};

/// What a coordinator is started with.
#[derive(Clone)]
pub struct GridOptions {
    /// Where the broker is.
    pub access: Access,
    /// What the experiment is called.
    pub experiment: String,
    /// What tells experiments of one name apart, as the folder of their lab does. Without it, nobody comes back to the
    /// experiment, and nothing is left of it at the broker.
    pub home: Option<String>,
    /// Whether what an earlier life has left is removed first.
    pub fresh: bool,
    /// When it is set, nobody waits for tasks any more. Workers finish those that they have.
    pub stop: Arc<AtomicBool>,
    /// How long tasks are waited for.
    pub lease: Lease,
    /// The share of tasks that a second worker does as well, to see whether both say the same.
    pub checked: Share,
    /// The speed of the machine that clocks are made for, in nodes a second. Those of faster ones have less time, and those of slower ones more.
    pub reference: Option<u64>,
    /// Where lines for people go.
    pub notices: Notices,
}

/// How long workers may take, and how the broker keeps what they have.
#[derive(Debug, Clone, Copy)]
pub struct Lease {
    /// How long a worker may be silent about a task until it is given to another.
    pub wait: Duration,
    /// How often a task is given out at most.
    pub deliveries: i64,
    /// How long nothing is heard until it is looked whether something was lost.
    pub patience: Duration,
    /// On how many brokers of a cluster all is kept; on three, if there are as many, where nobody says.
    pub replicas: Option<usize>,
}

impl Default for Lease {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(300),
            deliveries: 10,
            patience: Duration::from_secs(20),
            replicas: None,
        }
    }
}
