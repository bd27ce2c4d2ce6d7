use std::fmt;

use serde::{Serialize, Serializer};

use super::BaselineView;
use super::tuning::NOT_VERIFIED_TO_THE_END;

/// An experiment in a line of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExperimentSummary {
    /// Its name in the lab.
    pub id: String,
    /// How it is done.
    pub method: String,
    /// What it is for.
    pub about: String,
    /// Its seed.
    pub seed: u64,
    /// When it was begun, in seconds since 1970.
    pub created: u64,
    /// How long it has run, all sessions together.
    pub seconds: f64,
    /// Whether it came to its end; games that verify it may be missing, see `state`.
    pub finished: bool,
    /// How far it is.
    pub state: State,
    /// Games, of the generations that are over if it is unfinished.
    pub games: u64,
    /// What was set, compared with the preset or with the defaults of the method.
    pub set: Vec<String>,
    /// Its champions against their baselines.
    pub verification: Vec<BaselineView>,
    /// How much worse than the optimum what it recommends now is, where that is known: the mean over runs, of arms that of the
    /// best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret: Option<f64>,
    /// The stages of a pipeline that have begun, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<ExperimentSummary>,
}

/// How far an experiment is. As JSON it is the text that people read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is finished.
    Done,
    /// It is finished, but for games that verify it.
    Unverified,
    /// It is a pipeline that is not.
    Stages {
        /// Stages that are finished.
        finished: usize,
        /// Stages that there are to be.
        stages: usize,
    },
    /// It is not.
    Unfinished {
        /// Runs that have a generation.
        begun: usize,
        /// Runs that there are to be.
        runs: usize,
        /// The last generation of any run.
        generation: u32,
        /// The most generations that a run may have, if there is a limit.
        most: Option<u32>,
    },
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (begun, runs, generation, most) = match self {
            Self::Done => return f.write_str("done"),
            Self::Unverified => return f.write_str(NOT_VERIFIED_TO_THE_END),
            Self::Stages { finished, stages } => return write!(f, "{finished} of {stages} stages"),
            Self::Unfinished { begun, runs, generation, most } => (begun, runs, generation, most),
        };
        if *runs != 1 {
            write!(f, "{begun} of {runs} runs, ")?;
        }
        write!(f, "generation {generation}")?;
        most.map_or(Ok(()), |most| write!(f, "/{most}"))
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
