//! How genomes change by themselves.

mod bit_flip;
mod gaussian;
mod self_adaptive;

pub use bit_flip::bit_flip;
pub use gaussian::gaussian;
pub use self_adaptive::{AdaptiveIndividual, StepRule};
