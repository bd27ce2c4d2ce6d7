//! A study: arms beside each other, each with its replicates.

mod arm_table;
mod champions;
mod charts;
mod classical;
mod playoffs;
mod ranking;

use super::piece_values;
use crate::page::Section;
use crate::subject::Subject;

/// All parts about a study.
pub fn study(subject: &Subject) -> Vec<Section> {
    let mut sections: Vec<Section> = ranking::ranking(subject).into_iter().collect();
    sections.push(arm_table::arm_table(subject));
    sections.extend(super::verification(subject));
    sections.extend(playoffs::cross_table(subject));
    sections.extend(classical::classical(subject));
    sections.extend(super::measured(subject));
    sections.extend(piece_values(subject));
    sections.push(charts::convergence(subject));
    if let Some(genes) = common_genes(subject) {
        sections.push(champions::champions(subject, genes));
        sections.push(charts::by_generation(subject, genes));
    }
    if subject.plays_games() {
        sections.push(charts::outcomes(subject));
    }
    sections
}

/// The genes of all arms, if they are the same.
fn common_genes(subject: &Subject) -> Option<&[String]> {
    let first = &subject.arms.first()?.view.genes;
    subject.arms.iter().all(|arm| arm.view.genes == *first).then_some(first.as_slice())
}
