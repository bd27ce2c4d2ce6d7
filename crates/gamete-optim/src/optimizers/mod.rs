//! The optimisers, one file each, and the registry of all.

mod batch;
mod bayes;
mod bspsa;
mod clop;
mod cma_es;
mod de;
mod es;
mod estimate;
mod ga;
mod mirror;
mod nelder_mead;
mod pairs;
mod pso;
mod random;
mod screen;
mod spsa;
mod tbpsa;
mod uncertainty;

use crate::optimizer::OptimizerInfo;

/// Every optimiser.
pub const OPTIMIZERS: &[OptimizerInfo] = &[
    ga::INFO,
    es::INFO,
    cma_es::INFO,
    tbpsa::INFO,
    de::INFO,
    pso::INFO,
    nelder_mead::INFO,
    spsa::INFO,
    bspsa::INFO,
    pairs::INFO,
    clop::INFO,
    bayes::INFO,
    random::INFO,
];

/// Designs: whoever compares points to learn about the start, and searches nothing.
pub const DESIGNS: &[OptimizerInfo] = &[screen::INFO];
