//! What people see of the lab.

mod boards;
mod champion;
mod chart;
mod summary;

use std::path::PathBuf;

use anyhow::Result;
use gamete_lab::{Conclusion, Experiment, ExperimentRow, Store};

pub use champion::{Champion, champion};
pub use chart::chart;
pub use summary::summary;

/// Where experiments are kept.
#[derive(clap::Args)]
pub struct LabArgs {
    /// The directory of the lab
    #[arg(long, value_name = "DIR", default_value = "gamete-lab")]
    pub lab: PathBuf,
}

impl LabArgs {
    /// Opens the lab.
    pub fn open(&self) -> Result<Store> {
        Ok(Store::open(&self.lab)?)
    }
}

/// The file of a stored experiment.
pub fn experiment(row: &ExperimentRow) -> Result<Experiment> {
    Ok(Experiment::from_table(&row.file.parse()?)?)
}

/// What came out of a stored experiment, if it is finished.
pub fn conclusion(row: &ExperimentRow) -> Result<Option<Conclusion>> {
    Ok(row.result.as_deref().map(serde_json::from_str).transpose()?)
}
