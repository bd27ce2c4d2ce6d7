//! Experiments as pages to read.
//!
//! [`html`] makes one file of everything the lab knows of an experiment: tables, charts, games to replay, and what is
//! needed to repeat it. The file needs nothing else, neither a network nor fonts.

mod board;
mod chart;
mod mean_text;
mod page;
mod published;
mod sections;
mod squares;
mod subject;
mod text;

use gamete_lab::{Damaged, Store, StoreError};

use crate::subject::Subject;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The lab cannot be read, or has no such experiment.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What the lab has makes no sense.
    #[error(transparent)]
    Unreadable(#[from] Damaged),
    /// What the lab has does not fit together.
    #[error("{id}: what the lab has of it is damaged: {what}")]
    Damaged {
        /// The experiment.
        id: String,
        /// What is wrong.
        what: String,
    },
}

/// The report of an experiment, finished or not, as one HTML file.
///
/// # Errors
///
/// When there is no such experiment, or the lab cannot be read.
pub fn html(store: &Store, id: &str) -> Result<String, ReportError> {
    let subject = Subject::load(store, id)?;
    Ok(page::page(&subject))
}
