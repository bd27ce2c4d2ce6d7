//! Tasks on other machines, as commands have it.

mod access;
mod choice;
mod machines;
mod private_broker;
mod workers;

pub use access::AccessArgs;
pub use choice::{GRID_OPTIONS, GridArgs, GridChoice, grid_choice};
pub use machines::{Job, Machines, STOPPING};
pub use private_broker::PrivateBroker;
pub use workers::worker_lines;

use crate::terminal::print_warning;
use gamete_grid::Notices;

/// Lines about the grid, as warnings.
pub fn notices() -> Notices {
    Notices::new(print_warning)
}

/// What this machine is called.
pub fn host() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = named.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    if named.trim().is_empty() { "host".to_owned() } else { named.trim().to_owned() }
}
