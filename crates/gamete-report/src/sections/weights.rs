use gamete_stats::Sample;

use crate::chart::{Strip, Strips};
use crate::mean_text::mean_text;
use crate::page::{Section, figure, figures, note};
use crate::subject::{Arm, Subject, Unit};
use crate::text::{Escaped, short};

/// The model whose defaults are what the paper's ten runs came to.
const MODEL: &str = "chess/classic";

/// Weights that lie on one axis: what they are of, and how their names begin, those of pieces' values aside.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Knights and bishops", &["knight_", "bishop_"]),
    ("Pawns", &["pawn_", "passed_", "doubled_", "isolated_", "backward_", "weak_"]),
    ("King", &["king_"]),
    ("Rooks and queens", &["rook_", "queen_"]),
];

/// The weights of all champions beside those of the paper that the model is of.
pub fn weights(subject: &Subject) -> Option<Section> {
    let is_of_paper = |arm: &&Arm| {
        let players = arm.view.players.as_ref();
        players.is_some_and(|players| players.model == MODEL && groups(&arm.view.genes).len() > 1)
    };
    let charts: String = subject.arms.iter().filter(is_of_paper).map(|arm| charts(subject, arm)).collect();
    if charts.is_empty() {
        return None;
    }
    let text = note(
        "Dots are the champions of runs; of a single run fainter dots are its last population. The upright bar is the value of the paper’s Evol0, the mean of ten runs (David, van den \
         Herik, Koppel and Netanyahu 2014). The pawn is 100. The paper names its features and does not define them, so only \
         orders of magnitude can be compared.",
    ) + &charts;
    Some(Section::new("weights", "Weights beside the paper’s", text))
}

/// The genes of each group by their places, groups without any left out; the values of pieces first.
fn groups(genes: &[String]) -> Vec<(&'static str, Vec<usize>)> {
    let is_value = |gene: &str| gene.ends_with("_value") && gene != "pawn_value";
    let all = |wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..genes.len()).filter(|&gene| wanted(&genes[gene])).collect()
    };
    let mut groups = vec![("Values of pieces", all(&is_value))];
    for (name, beginnings) in GROUPS {
        let belongs = |gene: &str| {
            !gene.ends_with("_value") && beginnings.iter().any(|beginning| gene.starts_with(beginning))
        };
        groups.push((name, all(&belongs)));
    }
    groups.retain(|(_, genes)| !genes.is_empty());
    groups
}

fn charts(subject: &Subject, arm: &Arm) -> String {
    let title = if subject.view.has_arms { format!("{}: ", arm.title) } else { String::new() };
    let unit = arm.pawn().unwrap_or(Unit::Raw);
    let mut all = String::new();
    for (color, (name, genes)) in groups(&arm.view.genes).into_iter().enumerate() {
        let rows = genes.into_iter().map(|gene| strip(arm, gene, color, unit)).collect();
        let about = format!("{name}: weights of champions beside the published ones");
        let strips = Strips { about: &about, name: "", width: 540.0, row: 24.0, rows };
        all.push_str(&figure(&format!("{}{name}", Escaped(&title)), &strips.svg()));
    }
    figures("large", &all)
}

fn strip(arm: &Arm, gene: usize, color: usize, unit: Unit) -> Strip {
    let name = &arm.view.genes[gene];
    let value = |genome: &[f64]| unit.show(genome[gene], |gene| genome[gene]);
    let dots: Vec<f64> = arm.runs.iter().map(|run| value(&run.champion)).collect();
    let behind = match &arm.runs[..] {
        [only] => only.last_population.iter().map(|genome| value(genome)).collect(),
        _ => Vec::new(),
    };
    let (sample, published) = (Sample::of(dots.iter().copied()), arm.classical_in(unit, name));
    Strip {
        name: name.replace('_', " "),
        color,
        hint: format!("{name}\nhere {}\npublished {}", mean_text(&sample), short(published)),
        // With few runs it would be wider than the range of the weight.
        interval: None,
        mark: published,
        dots,
        behind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_of_the_paper_has_its_group() {
        let model = gamete_arena::ModelInfo::find(MODEL).expect("a model");
        let genes: Vec<String> = model.weights.iter().map(|weight| weight.name.to_owned()).collect();
        let sizes: Vec<usize> = groups(&genes).iter().map(|(_, genes)| genes.len()).collect();
        assert_eq!(sizes, [4, 4, 8, 6, 12], "all but the value of the pawn");
        assert_eq!(groups(&genes[..1]).len(), 0);
    }
}
