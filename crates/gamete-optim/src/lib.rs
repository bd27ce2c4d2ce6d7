//! What changes genomes: optimisers to ask and tell, and genetic operators, one file each.
//!
//! Numbers in, numbers out: nothing here plays, waits or writes. Everything random comes from an [`Rng`].

pub mod crossover;
pub mod gray;
pub mod mutation;
mod population_dynamics;
mod rng;
pub mod selection;

pub use population_dynamics::{Mutation, Pairing, Round};
pub use rng::Rng;

/// One point in a space: a number for each parameter that is free.
pub type Genome = Vec<f64>;
