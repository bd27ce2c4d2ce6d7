//! What is stored of an experiment as text, read again.

use crate::experiment::Experiment;
use crate::pipeline::{METHOD, Pipeline};
use crate::run::Conclusion;
use crate::store::ExperimentRow;

/// What is stored of an experiment makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{id}: what the lab has of it is damaged: {what}")]
pub struct Damaged {
    /// The experiment.
    pub id: String,
    /// What is wrong.
    pub what: String,
}

impl ExperimentRow {
    /// The experiment of its file.
    ///
    /// # Errors
    ///
    /// When the file is damaged.
    pub fn experiment(&self) -> Result<Experiment, Damaged> {
        let table = self.file.parse().map_err(|error: toml::de::Error| self.damaged(error.message()))?;
        Experiment::from_stored(&table).map_err(|error| self.damaged(error))
    }

    /// Whether it is a pipeline, whose stages are experiments.
    pub fn is_pipeline(&self) -> bool {
        self.method == METHOD
    }

    /// The pipeline of its file.
    ///
    /// # Errors
    ///
    /// When the file is damaged.
    pub fn pipeline(&self) -> Result<Pipeline, Damaged> {
        let table = self.file.parse().map_err(|error: toml::de::Error| self.damaged(error.message()))?;
        Pipeline::from_stored(&table).map_err(|error| self.damaged(error))
    }

    /// What came out, if it is finished.
    ///
    /// # Errors
    ///
    /// When it is damaged.
    pub fn conclusion(&self) -> Result<Option<Conclusion>, Damaged> {
        let result = self.result.as_deref().map(serde_json::from_str).transpose();
        result.map_err(|error| self.damaged(error))
    }

    fn damaged(&self, what: impl std::fmt::Display) -> Damaged {
        Damaged { id: self.id.clone(), what: what.to_string() }
    }
}
