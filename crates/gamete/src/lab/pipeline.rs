use std::fmt::Write;

use gamete_lab::{ExperimentView, PipelineView};

use super::summary;
use crate::terminal::counted;

/// What came out of the stages of a pipeline, for people, one after another.
pub fn pipeline_summary(view: &PipelineView) -> String {
    let mut text = String::new();
    for (index, stage) in view.stages.iter().enumerate() {
        let _ = writeln!(
            text,
            "stage {} of {}: {} by {}, begins with {}",
            index + 1,
            view.stages.len(),
            stage.name,
            stage.method,
            stage.beginning
        );
        let _ = match &stage.experiment {
            None => writeln!(text, "not begun\n"),
            Some(experiment) if experiment.conclusion.is_none() => {
                writeln!(text, "{}\n", unfinished_text(experiment))
            }
            Some(experiment) => writeln!(text, "{}", summary(experiment)),
        };
    }
    text.trim_end().to_owned() + "\n"
}

/// How far an experiment is.
pub fn unfinished_text(view: &ExperimentView) -> String {
    let done = counted(view.runs().map(|run| u64::from(run.last().number)).sum(), "generation");
    format!("unfinished: {done} so far, in {}", counted(view.runs().count() as u64, "run"))
}
