use gamete_lab::Experiment;

use crate::subject::Subject;

/// A row of the table of the MIT report "An Empirical Investigation of Mutation Parameters and Their Effects on
/// Evolutionary Convergence of a Chess Evaluation Function".
pub struct MutationRow {
    /// What all factors of the mutation were multiplied by.
    pub scale: f64,
    /// The geometric mean over all weights of the last deviation, relative to the first.
    pub convergence: &'static str,
    /// The rank of the mean player.
    pub rank: u32,
    /// Its record as printed.
    pub record: &'static str,
}

/// The method of the report.
const METHOD: &str = "kendall-whitwell";

const MUTATION_STUDY: [MutationRow; 4] = [
    MutationRow { scale: 2.0, convergence: "2.96", rank: 4, record: "0 wins, 4 draws" },
    MutationRow { scale: 1.0, convergence: "0.31", rank: 3, record: "2 wins, 3 draws" },
    MutationRow { scale: 0.5, convergence: "0.14", rank: 1, record: "4 wins, 1 draw" },
    MutationRow { scale: 0.25, convergence: "0.07", rank: 2, record: "3 wins, 1 draw" },
];

/// The published row of each arm, if the arms are those of the mutation study.
pub fn mutation_study(subject: &Subject) -> Option<Vec<&'static MutationRow>> {
    let rows: Vec<&MutationRow> = subject
        .arms
        .iter()
        .filter_map(|arm| {
            let scale = *arm.view.numbers.get("scale").filter(|_| arm.view.method == METHOD)?;
            MUTATION_STUDY.iter().find(|row| row.scale == scale)
        })
        .collect();
    let mut ranks: Vec<u32> = rows.iter().map(|row| row.rank).collect();
    ranks.sort_unstable();
    (ranks == [1, 2, 3, 4] && subject.arms.len() == 4).then_some(rows)
}

/// What Kendall and Whitwell's paper has for a setting of population dynamics, by its key in an experiment file.
pub fn setting(key: &str) -> Option<f64> {
    let published = Experiment::of_method(METHOD).ok()?;
    published.number(key).filter(|_| key == "scale" || key.starts_with("mutation."))
}
