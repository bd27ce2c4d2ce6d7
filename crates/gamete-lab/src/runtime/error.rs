use std::sync::Arc;

use crate::store::StoreError;

/// Why an experiment has no result yet.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LabError {
    /// Somebody stopped it; it resumes when it is run again.
    #[error("stopped")]
    Stopped,
    /// The store does not work.
    #[error(transparent)]
    Store(#[from] Arc<StoreError>),
    /// Genes have grown beyond all numbers.
    #[error(
        "generation {generation} of run {path:?}: a weight is no longer finite; mutate less, or for fewer generations"
    )]
    Diverged {
        /// The run.
        path: String,
        /// The generation.
        generation: u32,
    },
    /// There is nothing to begin with.
    #[error("from: {0:?}: {1}; run it first, or name another (`gamete list`)")]
    NothingFrom(String, String),
    /// The population to begin with is not of this experiment's space.
    #[error("from: {from:?} has genomes of {found} numbers, and run {path:?} needs {wanted}")]
    AnotherSpace {
        /// The experiment that it is taken from.
        from: String,
        /// The run.
        path: String,
        /// How long its genomes are.
        found: usize,
        /// How long they should be.
        wanted: usize,
    },
    /// A method asked for something that cannot be done.
    #[error("a task cannot be done: {0}")]
    Task(String),
    /// A player fails in every game.
    #[error("{0}; fix it: what was played is stored, and the same command resumes")]
    Broken(String),
    /// There are too many threads, or there is too little memory for another.
    #[error("a thread cannot be made: {0}; give a smaller --concurrency, or more memory")]
    Thread(Arc<std::io::Error>),
    /// Something that cannot go wrong did.
    #[error(
        "internal error: {0}; what was stored is safe, and the same command resumes; please report it if it happens again"
    )]
    Panicked(String),
    /// A method made an experiment that cannot be.
    #[error(transparent)]
    Experiment(#[from] crate::ExperimentError),
    /// What was asked for is not what was asked for the last time.
    #[error(
        "{experiment}: task {number} of run {path:?} is not the one in the journal: {what}; `gamete delete {experiment}` \
         starts over"
    )]
    Changed {
        /// The experiment.
        experiment: String,
        /// The run.
        path: String,
        /// The task.
        number: u64,
        /// What is known of the difference.
        what: String,
    },
}

impl LabError {
    /// Whether nothing is wrong but that somebody stopped it.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Stopped)
    }
}
