//! Who has children.

mod elite;
mod proportional;
mod rank;
mod tournament;

pub use elite::best;
pub use proportional::proportional;
pub use rank::{linear_rank, rank_acceptance};
pub use tournament::tournament;
