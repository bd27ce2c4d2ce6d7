//! The parts of a page, one file each.

mod champion;
mod convergence;
mod cross_table;
mod differences;
mod games;
mod genes;
mod head;
mod hits;
mod match_tally;
mod measured;
mod measures;
mod outcomes;
mod piece_values;
mod pipeline;
mod repeat;
mod screening;
mod search_settings;
mod settings;
mod squares;
mod study;
mod suite;
mod tuning;
mod verification;
mod weights;

pub use games::games;
pub use head::head;
pub use piece_values::piece_values;
pub use pipeline::{pipeline_head, repeat_pipeline, stage};
pub use repeat::repeat;
pub use study::study;
pub use verification::{elo_text, verification};

use crate::page::Section;
use crate::subject::{Arm, Run, Subject};

/// Charts of single genes beyond these would only fill the page.
const MAX_GENES: usize = 24;

/// The parts about a single run.
pub fn single(subject: &Subject, arm: &Arm, run: &Run) -> Vec<Section> {
    let mut sections = Vec::new();
    if let Some(screening) = screening::screening(subject) {
        // Points around one have no traces, and nobody wins.
        return vec![screening, outcomes::outcomes(arm, run)];
    }
    match tuning::tuning(subject) {
        Some(tuned) => sections.push(tuned),
        None => {
            sections.push(champion::champion(arm, run));
            sections.extend(verification(subject));
        }
    }
    sections.extend(measured(subject));
    sections.extend(piece_values(subject));
    sections.extend(settings::settings(arm, run));
    sections.extend(squares::squares(arm, run));
    if subject.view.tuning.is_none() {
        sections.push(genes::genes(arm, run));
        if run.last_population.len() > 1 {
            sections.push(convergence::convergence(arm, run));
        }
    }
    if subject.plays_games() {
        sections.push(outcomes::outcomes(arm, run));
    }
    sections
}

/// The parts about what was measured beside fitness, and about what was found so, as far as they apply.
fn measured(subject: &Subject) -> Vec<Section> {
    let parts = [
        hits::hits(subject),
        differences::differences(subject),
        suite::suite(subject),
        search_settings::search_settings(subject),
        cross_table::cross_table(subject),
        match_tally::match_tally(subject),
        measures::measures(subject),
        weights::weights(subject),
    ];
    parts.into_iter().flatten().collect()
}

/// Whether a model's genes are told by the squares they stand on, being too many for charts of each.
fn only_on_boards(arm: &Arm) -> bool {
    arm.view.genes.len() > MAX_GENES && crate::squares::Boards::of(arm).is_some()
}

/// Says how many genes are not drawn, if any.
fn left_out(genes: usize) -> String {
    if genes <= MAX_GENES {
        return String::new();
    }
    crate::page::note(&format!(
        "The first {MAX_GENES} of {genes} are drawn; <code>gamete export --csv</code> has them all."
    ))
}
