//! Tuning: what was typed, which parameters there are, the experiment that it means, and what is told of it.

mod advice;
mod experiment;
mod options;
mod parameters;
mod run;

pub use options::Options;
pub use run::run;
