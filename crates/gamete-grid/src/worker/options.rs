use std::path::PathBuf;
use std::sync::Arc;

use gamete_arena::uci::EngineCatalog;

use crate::{Access, Notices};

/// What a worker is started with.
#[derive(Clone)]
pub struct WorkerOptions {
    /// Where the broker is.
    pub access: Access,
    /// What it is called.
    pub name: String,
    /// How many tasks it does at a time.
    pub concurrency: usize,
    /// The programs that tasks may name.
    pub engines: Arc<EngineCatalog>,
    /// Its speed in nodes a second, by which clocks are scaled where that is asked for; measured then if it is not known.
    pub speed: Option<u64>,
    /// Where lines for people go.
    pub notices: Notices,
    /// The experiment that it helps alone, as it is [called](crate::Grid::slug) at the broker.
    pub only: Option<String>,
    /// Whether to go on trying where there is no broker at first.
    pub patient: bool,
    /// The folder where it keeps what many tasks have in common; in memory alone where there is none.
    pub cache: Option<PathBuf>,
}
