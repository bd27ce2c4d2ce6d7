use std::fmt::Write;

use gamete_lab::ClassicalMatch;
use gamete_stats::{Results, Sample};

use super::charts::{MAX_ARMS, arm_strip};
use crate::chart::Strips;
use crate::mean_text::mean_text;
use crate::page::{Section, figure, figures, note, table};
use crate::subject::Subject;
use crate::text::{Escaped, counted, fixed, percent};

/// How the champions fared against the classical weights.
pub fn classical(subject: &Subject) -> Option<Section> {
    let found = subject.view.conclusion.as_ref().map_or(&[][..], |found| &found.classical);
    let pairs = found.first()?.scores.len();
    let of = |arm: usize| found.iter().filter(move |classical| classical.arm == arm);
    let mut body = String::new();
    let mut rows = Vec::new();
    for (index, arm) in subject.arms.iter().enumerate() {
        let elos: Vec<f64> = of(index).map(|classical| elo(classical).0).collect();
        let halves: u64 =
            of(index).flat_map(|classical| &classical.scores).map(|score| u64::from(score.0)).sum();
        let all: usize = of(index).map(|classical| 4 * classical.scores.len()).sum();
        let best = of(index).max_by(|one, other| elo(one).0.total_cmp(&elo(other).0));
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"main\">{}</td><td>{}</td></tr>",
            Escaped(&arm.title),
            percent(halves as f64, all as f64),
            mean_text(&Sample::of(elos.iter().copied())),
            best.map_or_else(|| "–".to_owned(), best_text)
        );
        rows.push(arm_strip(arm, index, elos));
    }
    rows.truncate(MAX_ARMS);
    let head = "<tr><th></th><th>score</th><th>Elo</th><th>best champion</th></tr>";
    let row = (200.0 / rows.len().max(1) as f64).clamp(20.0, 60.0);
    let about = "Elo of the champions over the classical weights, by arm";
    let chart = Strips { about, name: "Elo", width: 540.0, row, rows }.svg();
    let text = note(&format!(
        "Each champion played {} of games, colours reversed, against the classical weights of its model. Elo is \
         the mean over replicates with its 95 % interval; that of the best champion has the interval of its own games, and \
         is flattered by having been chosen as the best. A score of 0 or 100 % counts as 1,200 Elo.",
        counted(pairs as u64, "pair")
    )) + &table(head, &body)
        + &figures("large", &figure("Elo over the classical weights", &chart));
    Some(Section::new("classical", "Against classical weights", text))
}

fn best_text(classical: &ClassicalMatch) -> String {
    let (elo, margin) = elo(classical);
    let margin = if margin.is_finite() { format!(" ± {}", fixed(margin, 0)) } else { String::new() };
    format!("{}{margin}<small> replicate {}</small>", fixed(elo, 0), classical.replicate + 1)
}

/// Elo and half its 95 % interval.
fn elo(classical: &ClassicalMatch) -> (f64, f64) {
    let elo = Results::from(classical.pairs()).elo();
    (elo.value, elo.margin)
}
