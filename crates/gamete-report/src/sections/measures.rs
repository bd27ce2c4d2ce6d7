use gamete_lab::{Generation, Measure};
use gamete_stats::Sample;

use super::measured::{Curve, curves_svg, percent_of};
use crate::chart::Size;
use crate::page::{Section, figure, figures, note};
use crate::subject::{Arm, Run, Subject};
use crate::text::{Escaped, fixed, short};

/// Measures that have a part of their own, or say nothing by generation.
const ELSEWHERE: [&str; 7] = [
    Measure::HITS,
    Measure::TEST_HITS,
    Measure::NODES,
    Measure::SOLVED,
    Measure::POINTS,
    Measure::L2,
    Measure::SIMULATED_GAMES,
];

/// Whether a measure is of a tune, which has a part of its own.
fn is_tuning(name: &str) -> bool {
    [Measure::SCORE, Measure::ELO, Measure::STEP_SIZE].contains(&name) || name.starts_with(Measure::DEVIATION)
}

/// What was measured beside fitness and has no part of its own, by generation.
pub fn measures(subject: &Subject) -> Option<Section> {
    let mut charts = String::new();
    for arm in &subject.arms {
        for name in names(arm).into_iter().filter(|name| !ELSEWHERE.contains(name) && !is_tuning(name)) {
            let value = |row: &Generation, of: fn(&Measure) -> Option<f64>| of(row.measure(name)?);
            let curves: Vec<Curve> = [
                Curve::new("best", 0, arm, |row| value(row, |measure| Some(measure.best))),
                Curve::new("mean", 2, arm, |row| value(row, |measure| measure.mean)),
            ]
            .into_iter()
            .flatten()
            .collect();
            let about = format!("{name} of {} by generation", arm.title);
            let caption = format!("{}: {}", Escaped(&arm.title), Escaped(name));
            charts.push_str(&figure(&caption, &curves_svg(&about, "", Size::LARGE, &curves, &[])));
        }
    }
    let words = "Of the best player of each generation, and on average over its population. Lines are means over runs, thin lines single runs.";
    (!charts.is_empty())
        .then(|| Section::new("measures", "Measures by generation", note(words) + &figures("large", &charts)))
}

/// The measures of an arm in the order in which they come.
fn names(arm: &Arm) -> Vec<&str> {
    let mut names = Vec::new();
    for measure in arm.runs.iter().flat_map(|run| &run.last().measures) {
        if !names.contains(&measure.name.as_str()) {
            names.push(&measure.name);
        }
    }
    names
}

/// What the best of the last generations came to, on average over runs; nothing where there are arms to compare.
pub fn tiles(subject: &Subject) -> Vec<(String, String)> {
    let [arm] = &subject.arms[..] else { return Vec::new() };
    let tile = |name: &str| {
        let last = |run: &Run| {
            let measure = run.last().measure(name)?;
            Some((percent_of(measure, measure.best), measure.best))
        };
        let found: Vec<(Option<f64>, f64)> = arm.runs.iter().filter_map(last).collect();
        let shares: Option<Vec<f64>> = found.iter().map(|(share, _)| *share).collect();
        match shares {
            Some(shares) => {
                (format!("{} %", fixed(Sample::of(shares).mean(), 1)), format!("{name} of the best"))
            }
            None => {
                let values = found.iter().map(|(_, value)| *value);
                (short(Sample::of(values).mean()), format!("{name} of the best"))
            }
        }
    };
    names(arm).into_iter().filter(|name| !is_tuning(name)).map(tile).collect()
}
