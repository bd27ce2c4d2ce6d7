use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

use super::hearing::Part;
use super::lock;
use crate::table::Table;

/// What the thread of a coordinator shares with those who submit.
pub(super) struct Shared {
    pub table: Mutex<Table<Part>>,
    /// There is something to give out.
    pub wake: Notify,
    pub ending: AtomicU8,
    pub stop: Arc<AtomicBool>,
    /// Tasks that all workers do at a time.
    pub slots: AtomicUsize,
    /// Microseconds that went into tasks.
    pub busy: AtomicU64,
    pub told: AtomicU64,
    /// The experiment as it is called at the broker.
    pub slug: String,
    /// Whether what there is at the broker goes with the coordinator.
    pub passes: bool,
    /// What tells this life of the coordinator from others.
    pub life: String,
    pub submitted: AtomicU64,
}

/// The coordinator goes on.
pub(super) const RUNNING: u8 = 0;
/// It leaves, and may come back.
pub(super) const LEAVING: u8 = 1;
/// The experiment is over.
pub(super) const OVER: u8 = 2;

impl Shared {
    pub fn table(&self) -> MutexGuard<'_, Table<Part>> {
        lock(&self.table)
    }
}
