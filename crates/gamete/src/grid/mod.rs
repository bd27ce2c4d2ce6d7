//! Tasks on other machines, as commands have it.

mod access;
mod machines;
mod private_broker;

pub use access::AccessArgs;
pub use machines::{GridArgs, GridChoice, Job, Machines, STOPPING, grid_choice};
pub use private_broker::PrivateBroker;

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
