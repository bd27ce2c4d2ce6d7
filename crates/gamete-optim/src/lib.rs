//! What changes genomes: optimisers to ask and tell, and genetic operators, one file each.
//!
//! Numbers in, numbers out: nothing here plays, waits or writes. Everything random comes from an [`Rng`].

mod population_dynamics;
mod rng;
mod spread;

pub use population_dynamics::{Mutation, PairScore, Pairing, Round};
pub use rng::Rng;
pub use spread::Spread;

/// One point in a space: a number for each parameter that is free.
pub type Genome = Vec<f64>;
