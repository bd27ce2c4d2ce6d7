use std::fmt::Write;

use gamete_lab::{ExperimentView, Recommended, TunedValue, TuningView};
use gamete_stats::fixed;

/// What parameters started from and came to, for people: a line for each.
pub fn tuned_table(tuning: &TuningView) -> String {
    let all = || tuning.parameters.iter().chain(&tuning.kept);
    let width = all().map(|one| one.name.chars().count()).max().unwrap_or(0).max(9);
    let now = if tuning.is_finished { "tuned" } else { "now" };
    let is_sure = tuning.parameters.iter().any(|one| one.deviation.is_some());
    let sure = |text: &str| if is_sure { format!(" {text:>9}") } else { String::new() };
    let mut text =
        format!("{:<width$} {:>12} {now:>12}{} {:>9}  range\n", "parameter", "original", sure("±"), "change");
    for one in &tuning.parameters {
        let TunedValue { name, start, value, min, max, .. } = one;
        let change = match one.change() {
            Some(change) => format!("{change:+.1} %"),
            None if value == start => "-".to_owned(),
            None => format!("{}{}", if *value > 0.0 { "+" } else { "" }, number_text(one, *value)),
        };
        let [start, value] = [start, value].map(|number| number_text(one, *number));
        let decimals = if one.is_whole { 1 } else { 3 };
        let deviation =
            sure(&one.deviation.map_or_else(String::new, |number| format!("{number:.decimals$}")));
        let _ =
            writeln!(text, "{name:<width$} {start:>12} {value:>12}{deviation} {change:>9}  {min} to {max}");
    }
    for one in &tuning.kept {
        let value = number_text(one, one.value);
        let _ = writeln!(text, "{:<width$} {value:>12} {value:>12}{} {:>9}", one.name, sure(""), "kept");
    }
    if is_sure {
        text.push_str("± is a standard deviation, by the model of the search\n");
    }
    text
}

fn number_text(one: &TunedValue, number: f64) -> String {
    if one.is_whole { format!("{number:.0}") } else { format!("{number:.3}") }
}

/// Whether the tuned values are better: what the search thought, what the verification found, and what that comes to.
pub fn verdict_text(view: &ExperimentView) -> String {
    let mut text = String::new();
    let elo = |elo: f64| format!("{:+.1} Elo", elo + 0.0);
    if let Some(training) = view.training_elo().filter(|elo| elo.is_finite()) {
        let _ = writeln!(text, "training: {} by the games that it was chosen by", elo(training));
    }
    for one in view.verification.iter().filter(|one| one.score.pairs > 0) {
        let found = one.score.elo_text(|elo| fixed(elo, 1)).unwrap_or_default();
        let limits = one.limits.map_or_else(String::new, |limits| format!(" at {limits}"));
        let _ = write!(text, "verified{limits}: {found} Elo [95 % interval] in {} games", one.score.games());
        if let Some(openings) = &one.openings {
            let _ = write!(text, " from openings that were held out ({openings})");
        }
        if let Some(sprt) = &one.sprt {
            let _ = write!(
                text,
                "; SPRT [{}, {}]: LLR {:.2} ({:.2}, {:.2}), {}",
                sprt.elo0,
                sprt.elo1,
                sprt.llr,
                sprt.lower,
                sprt.upper,
                if sprt.decision == "continue" { "no decision" } else { sprt.decision }
            );
        }
        text.push('\n');
    }
    if let Some(gap) = view.overfit_gap() {
        let _ = writeln!(text, "over-fit gap: {} between training and verification", elo(gap));
    }
    let is_same = |tuning: &TuningView| tuning.parameters.iter().all(|one| one.value == one.start);
    let unchanged =
        if view.tuning.as_ref().is_some_and(is_same) { ": the values are the original ones" } else { "" };
    let _ = writeln!(text, "verdict: {}{unchanged}", view.tuning_verdict());
    if view.recommended() == Some(Recommended::Original) && unchanged.is_empty() {
        text.push_str(
            "Keep the original values: these games do not show the tuned ones, below, to be better.\n",
        );
    }
    text
}

/// The values in every form in which people paste them back.
pub fn values_text(tuning: &TuningView) -> String {
    tuning.texts.iter().fold(String::new(), |mut text, values| {
        let _ = write!(text, "\n{}:\n{}", values.form, values.text);
        text
    })
}
