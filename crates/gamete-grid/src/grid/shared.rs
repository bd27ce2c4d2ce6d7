use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use tokio::sync::Notify;

use super::lock;
use super::outcomes::Part;
use crate::ledger::Ledger;
use crate::seal::Seal;
use crate::table::Table;
use crate::{Share, WorkerReport};

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
    /// Tasks that were given up.
    pub failed: AtomicU64,
    /// Tasks that were sent again.
    pub sent_again: AtomicU64,
    /// What is known of workers.
    pub ledger: Mutex<Ledger>,
    /// The experiment as it is called at the broker.
    pub slug: String,
    /// Whether what there is at the broker goes with the coordinator.
    pub passes: bool,
    /// What tells this life of the coordinator from others.
    pub life: String,
    pub submitted: AtomicU64,
    /// Tasks that are the same wherever they are done, and so can be checked.
    pub repeatable: AtomicU64,
    /// The share of tasks that is compared.
    pub checked: Share,
    /// The worker of this process that is believed, and what its outcomes are sealed with.
    pub own: OnceLock<(String, Seal)>,
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

    /// What is known of all workers.
    pub fn workers(&self) -> Vec<WorkerReport> {
        let table = self.table();
        lock(&self.ledger).reports(&table.trust)
    }
}
