use std::fmt::Write;

use anyhow::Result;
use gamete_lab::{
    Conclusion, Experiment, GenerationRow, MatchCounts, Meeting, Store, arms, convergence, leaf_path,
};
use gamete_optim::Spread;
use gamete_stats::student_quantile;

use super::chart;

/// What came out of an experiment, for people: a table, and a plot where there is one run.
///
/// # Errors
///
/// When the lab cannot be read.
pub fn summary(store: &Store, id: &str, experiment: &Experiment, conclusion: &Conclusion) -> Result<String> {
    let mut text = String::new();
    if experiment.is_study() {
        text.push_str(&study_table(store, id, experiment, conclusion)?);
        text.push('\n');
    }
    let runs = store.runs(id)?;
    let root = runs.iter().find(|run| run.path.is_empty());
    let generations = root.map(|run| store.generations(run.number)).transpose()?.unwrap_or_default();
    text.push_str(&champion_table(experiment, conclusion, generations.last()));
    let series = means(experiment, &generations);
    if !series.is_empty() {
        let legend: Vec<String> = series.iter().map(|(letter, name, _)| format!("{letter} {name}")).collect();
        let _ = write!(
            text,
            "\n{}",
            chart(&series.into_iter().map(|(letter, _, values)| (letter, values)).collect::<Vec<_>>())
        );
        let unit = if pawn(experiment).is_some() { ", in pawns" } else { "" };
        let _ = writeln!(text, "{:>10}{}{unit}", "", legend.join("  "));
    }
    Ok(text)
}

/// The gene by which the others are measured, as papers do.
fn pawn(experiment: &Experiment) -> Option<usize> {
    experiment.genes().iter().position(|name| name == "pawn")
}

fn champion_table(experiment: &Experiment, conclusion: &Conclusion, last: Option<&GenerationRow>) -> String {
    let mut text = String::new();
    let unit = pawn(experiment).map(|pawn| conclusion.champion[pawn].1).filter(|&unit| unit > 0.0);
    let classical = |name: &str| {
        let model = experiment.plan.breed()?.model();
        model.weight(name).map(|index| model.weights[index].default)
    };
    let _ = write!(text, "{:<22} {:>10}", "", "evolved");
    if unit.is_some() {
        let _ = write!(text, " {:>10}", "in pawns");
    }
    if last.is_some() {
        let _ = write!(text, " {:>10}", "deviation");
    }
    let _ = writeln!(text, " {:>10}", "classical");
    for (gene, (name, value)) in conclusion.champion.iter().enumerate() {
        let _ = write!(text, "{name:<22} {value:>10.3}");
        if let Some(unit) = unit {
            let _ = write!(text, " {:>10.2}", value / unit);
        }
        if let Some(last) = last {
            let _ = write!(text, " {:>10.3}", last.summary.spread[gene].sd);
        }
        let classical = classical(name).map_or_else(|| "-".to_owned(), |value| value.to_string());
        let _ = writeln!(text, " {classical:>10}");
    }
    text
}

/// The mean of each gene by generation, in pawns where there are any, each with a letter of its own.
fn means(experiment: &Experiment, generations: &[GenerationRow]) -> Vec<(char, String, Vec<f64>)> {
    if generations.len() < 2 {
        return Vec::new();
    }
    let pawn = pawn(experiment);
    let unit = |row: &GenerationRow| pawn.map_or(1.0, |pawn| row.summary.spread[pawn].mean);
    let mut taken = String::new();
    let names = experiment.genes();
    names
        .into_iter()
        .enumerate()
        .filter(|&(gene, _)| Some(gene) != pawn)
        .map(|(gene, name)| {
            let own = name.rsplit('.').next().unwrap_or(&name).to_uppercase();
            let letter = if name == "knight" {
                'N'
            } else {
                own.chars().find(|&letter| !taken.contains(letter)).unwrap_or('*')
            };
            taken.push(letter);
            let value = |row: &GenerationRow| row.summary.spread[gene].mean / unit(row);
            (letter, name, generations.iter().map(value).collect())
        })
        .collect()
}

/// The arms of a study beside each other: convergence, points in the play-offs, and how matches ended.
///
/// # Errors
///
/// When the lab cannot be read.
fn study_table(store: &Store, id: &str, experiment: &Experiment, conclusion: &Conclusion) -> Result<String> {
    let runs = store.runs(id)?;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<12} {:>19} {:>6} {:>18} {:>9} {:>9} {:>9}",
        "arm", "convergence", "runs", "play-off points", "2-0", "1.5-0.5", "drawn"
    );
    for (arm, variant) in arms(experiment).iter().enumerate() {
        let mut factors = Vec::new();
        let mut shares: [Vec<f64>; 3] = Default::default();
        for replicate in 0..experiment.head.replicates {
            let path = leaf_path(experiment, arm, replicate);
            let Some(run) = runs.iter().find(|run| run.path == path) else { continue };
            let generations = store.generations(run.number)?;
            let (Some(first), Some(last)) = (generations.first(), generations.last()) else { continue };
            factors.push(convergence(&first.summary.spread, &last.summary.spread));
            let matches = || generations.iter().map(|row| &row.summary.matches);
            let total = matches().map(MatchCounts::total).sum::<u64>().max(1) as f64;
            let counts: [fn(&MatchCounts) -> u64; 3] =
                [|counts| counts.won, |counts| counts.edged, |counts| counts.drawn];
            for (shares, count) in shares.iter_mut().zip(counts) {
                shares.push(100.0 * matches().map(count).sum::<u64>() as f64 / total);
            }
        }
        let [won, edged, drawn] = shares.map(|shares| percent(&shares));
        let name = experiment.head.arms.get(arm).map_or(variant.head.name.as_str(), |arm| arm.name.as_str());
        let points: Vec<f64> = (0..experiment.head.replicates)
            .map(|replicate| points(&conclusion.meetings, arm, replicate))
            .collect();
        let points = if conclusion.meetings.is_empty() { "-".to_owned() } else { with_interval(&points) };
        let _ = writeln!(
            text,
            "{name:<12} {:>19} {:>6} {points:>18} {won:>9} {edged:>9} {drawn:>9}",
            with_ratio_interval(&factors),
            factors.len()
        );
    }
    Ok(text)
}

/// The points of an arm's champion in the play-offs of a replicate.
fn points(meetings: &[Meeting], arm: usize, replicate: u32) -> f64 {
    let of = |meeting: &Meeting| {
        let total: u32 = meeting.scores.iter().map(|score| u32::from(score.0)).sum();
        let all = 4 * meeting.scores.len() as u32;
        match meeting.arms {
            [first, _] if first == arm => total,
            [_, second] if second == arm => all - total,
            _ => 0,
        }
    };
    let halves: u32 = meetings.iter().filter(|meeting| meeting.replicate == replicate).map(of).sum();
    f64::from(halves) / 2.0
}

/// A mean with the half width of its 95 % interval.
fn with_interval(values: &[f64]) -> String {
    match interval(values) {
        (mean, None) => format!("{mean:.2}"),
        (mean, Some(half)) => format!("{mean:.2} ± {half:.2}"),
    }
}

/// The same in whole per cent.
fn percent(values: &[f64]) -> String {
    match interval(values) {
        (mean, None) => format!("{mean:.0}%"),
        (mean, Some(half)) => format!("{mean:.0} ± {half:.0}%"),
    }
}

/// The geometric mean of factors with both ends of its 95 % interval.
fn with_ratio_interval(factors: &[f64]) -> String {
    let logs: Vec<f64> = factors.iter().map(|factor| factor.ln()).collect();
    match interval(&logs) {
        (mean, None) => format!("{:.2}", mean.exp()),
        (mean, Some(half)) => {
            format!("{:.2} ({:.2}-{:.2})", mean.exp(), (mean - half).exp(), (mean + half).exp())
        }
    }
}

/// A mean, and if there is more than one value half the width of its 95 % interval.
fn interval(values: &[f64]) -> (f64, Option<f64>) {
    let spread = Spread::of(values.iter().copied());
    let count = values.len() as f64;
    let half = (values.len() > 1).then(|| student_quantile(0.975, count - 1.0) * spread.sd / count.sqrt());
    (spread.mean, half)
}
