//! What changes genomes: optimisers to ask and tell, and genetic operators, one file each.
//!
//! Numbers in, numbers out: nothing here plays, waits or writes. Everything random comes from an [`Rng`].

pub mod crossover;
mod effects;
mod eigen;
pub mod gray;
mod key;
mod linear;
pub mod mutation;
mod optimizer;
mod optimizers;
mod population_dynamics;
mod rng;
pub mod selection;
mod space;

pub use effects::{Comparison, Effect, Effects};
pub use key::{Key, KeyError, KeyKind, Settings, Value};
pub use optimizer::{
    AxisChange, Belief, Evaluation, Gain, Member, Optimizer, OptimizerInfo, Problem, Surface, Trial,
};
pub use optimizers::{DESIGNS, OPTIMIZERS};
pub use population_dynamics::{Match, Mutation, Round};
pub use rng::Rng;
pub use space::{Dimension, Gene, Space, SpaceError};

/// One point in a space: a number for each parameter that is free.
pub type Genome = Vec<f64>;
