//! Tasks on other machines, as commands have it.

mod access;
mod choice;
mod machines;
mod private_broker;
mod workers;

pub use access::AccessArgs;
pub(crate) use choice::grid_help;
pub use choice::{GRID_OPTIONS, GridArgs, GridChoice, grid_choice};
pub use machines::{Job, Machines, STOPPING};
pub use private_broker::PrivateBroker;
pub use workers::worker_lines;

pub use gamete_grid::host;

use crate::terminal::print_warning;
use gamete_grid::Notices;

/// Lines about the grid, as warnings.
pub fn notices() -> Notices {
    Notices::new(print_warning)
}
