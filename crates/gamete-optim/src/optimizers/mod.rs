//! The optimisers, one file each, and the registry of all.

mod batch;
mod cma_es;
mod es;
mod ga;
mod spsa;

use crate::optimizer::OptimizerInfo;

/// Every optimiser.
pub const OPTIMIZERS: &[OptimizerInfo] = &[ga::INFO, es::INFO, cma_es::INFO, spsa::INFO];
