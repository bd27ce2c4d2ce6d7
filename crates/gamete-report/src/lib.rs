//! Experiments and matches as pages to read.
//!
//! [`match_html`] makes one file of a match, and [`html`] of everything the lab knows of an experiment: tables, charts, games to replay, and what is
//! needed to repeat it. The file needs nothing else, neither a network nor fonts.

mod board;
mod chart;
mod match_report;
mod mean_text;
mod page;
mod published;
mod sections;
mod squares;
mod subject;
mod text;
mod viewer;

pub use gamete_lab::ViewError as ReportError;
use gamete_lab::{ExperimentView, LabView, PipelineView};
pub use match_report::match_html;

use crate::subject::{PipelineSubject, Subject};

/// The report of an experiment, finished or not, as one HTML file.
///
/// # Errors
///
/// When what the lab has of it is damaged, or the lab cannot be read.
pub fn html(lab: LabView<'_>, view: ExperimentView) -> Result<String, ReportError> {
    let subject = Subject::load(lab, view)?;
    Ok(page::page(&subject))
}

/// The report of a pipeline, finished or not, as one HTML file with every stage.
///
/// # Errors
///
/// As [`html`].
pub fn pipeline_html(lab: LabView<'_>, view: PipelineView) -> Result<String, ReportError> {
    Ok(page::pipeline_page(&PipelineSubject::load(lab, view)?))
}
