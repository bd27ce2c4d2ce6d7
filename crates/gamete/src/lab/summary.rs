use std::fmt::Write;

use gamete_lab::{
    Conclusion, ExperimentView, Generation, PlayersView, PlayoffMatch, RankedBy, Reading, RunView,
    WeightSource, convergence,
};
use gamete_stats::{Interval, Results, Sample, fixed, geometric_mean};

use super::boards::boards;
use super::ranking::ranking_text;
use super::{chart, match_tally_text, screening_text, tuned_table, values_text, verdict_text};
use crate::terminal::counted;

/// What came out of an experiment, for people: a table, and a plot where there is one run. Nothing before it is finished.
pub fn summary(view: &ExperimentView) -> String {
    let Some(conclusion) = &view.conclusion else { return String::new() };
    let mut text = String::new();
    let ranking = view.ranking();
    if let Some(ranking) = &ranking {
        text.push_str(&ranking_text(ranking));
        if ranking.by == RankedBy::Regret {
            // Champions of different landscapes have no mean that means anything.
            return text;
        }
        text.push('\n');
    }
    if view.is_study {
        text.push_str(&study_table(view, conclusion));
        text.push('\n');
    }
    let faults: u64 = view.runs().flat_map(|run| &run.generations).map(|one| one.faults).sum();
    if faults > 0 {
        let games = counted(faults, "game");
        let _ =
            writeln!(text, "{games} lost by a fault: a crash, an illegal move, silence or too much time\n");
    }
    let tallies = match_tally_text(view);
    if !tallies.is_empty() {
        let _ = writeln!(text, "{tallies}");
    }
    let measured = measured(view);
    if !measured.is_empty() {
        let _ = writeln!(text, "in the last generation:\n{measured}");
    }
    if conclusion.champion.is_empty() {
        text.push_str(&arm_tables(view));
        return text;
    }
    if let Some(screening) = &view.screening {
        text.push_str(&screening_text(screening));
        return text;
    }
    if let Some(tuning) = &view.tuning {
        let _ = writeln!(text, "{}\n{}{}", tuned_table(tuning), verdict_text(view), values_text(tuning));
        return text;
    }
    let _ = writeln!(text, "{}", who(view, conclusion));
    let generations = view.single().map_or(&[][..], |(_, run)| &run.generations);
    match boards(&conclusion.champion) {
        Some(boards) => {
            text.push_str(&boards);
            text.push_str("(the boards of the report are means over the population)\n");
        }
        None => {
            text.push_str(&champion_table(view.players.as_ref(), &conclusion.champion, generations.last()));
        }
    }
    if let Some(engine) = &view.engine {
        let _ =
            writeln!(text, "\nas options behind -engine cmd={} of gamete match:", engine.found.cmd.display());
        for option in engine.options() {
            let _ = writeln!(text, "{option}");
        }
    }
    let series = means(view, generations);
    if !series.is_empty() {
        let legend: Vec<String> = series.iter().map(|(letter, name, _)| format!("{letter} {name}")).collect();
        let _ = write!(
            text,
            "\n{}",
            chart(&series.into_iter().map(|(letter, _, values)| (letter, values)).collect::<Vec<_>>())
        );
        let unit = if pawn(view).is_some() { ", in pawns" } else { "" };
        let _ = writeln!(text, "{:>10}{}{unit}", "", legend.join("  "));
        let _ = writeln!(text, "{:>10}means of the population by generation", "");
    }
    text
}

/// Whose values are shown.
fn who(view: &ExperimentView, conclusion: &Conclusion) -> String {
    let answer = &view.answer;
    let reading = view.single().and_then(|(_, run)| run.reading.as_ref());
    let reading = reading.map_or_else(String::new, |reading| format!(", {reading}"));
    match conclusion.champions.len() {
        0 => format!("champion: {answer}{reading}"),
        1 => format!("champion of the only run: {answer}"),
        many => format!("mean of {many} champions, one for each run: {answer}"),
    }
}

/// What was measured in the last generations, measure by measure: of one run as it is, of several the range.
fn measured(view: &ExperimentView) -> String {
    let mut text = String::new();
    for arm in &view.arms {
        let lasts: Vec<&Generation> = arm.runs.iter().map(RunView::last).collect();
        let Some((first, others)) = lasts.split_first() else { continue };
        let arm_name = if view.has_arms { format!("{}: ", arm.name) } else { String::new() };
        for measure in &first.measures {
            let values = lasts.iter().filter_map(|last| last.measure(&measure.name));
            let line = if others.is_empty() {
                measure.to_string()
            } else {
                let values: Vec<f64> = values.map(|measure| measure.best).collect();
                format!(
                    "{} of the best of {} runs: {}",
                    measure.name,
                    values.len(),
                    range(&values, measure.of)
                )
            };
            let _ = writeln!(text, "{arm_name}{line}");
        }
    }
    text
}

/// The mean of values and how far they reach, as shares where there is a whole.
fn range(values: &[f64], of: Option<f64>) -> String {
    let (unit, scale) = match of {
        Some(of) if of > 0.0 => (" %", 100.0 / of),
        _ => ("", 1.0),
    };
    let sample = Sample::of(values.iter().map(|value| value * scale));
    let low = values.iter().copied().fold(f64::INFINITY, f64::min) * scale;
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) * scale;
    format!("mean {:.1}{unit}, from {low:.1} to {high:.1}{unit}", sample.mean())
}

/// What values are measured by, as papers do, if any is a weight.
fn pawn(view: &ExperimentView) -> Option<WeightSource> {
    let players = view.players.as_ref()?;
    players.pawn_source().filter(|_| view.genes.iter().any(|gene| players.weight(gene).is_some()))
}

/// The champions of arms that seek different things, arm by arm.
fn arm_tables(view: &ExperimentView) -> String {
    let mut text = String::from("arms seek different things, so their champions have no mean\n");
    for arm in &view.arms {
        let of = match arm.runs.len() {
            1 => String::new(),
            many => format!("mean of {many} champions, one for each run: "),
        };
        let readings: Vec<&Reading> = arm.runs.iter().filter_map(|run| run.reading.as_ref()).collect();
        let fitness = readings.first().map_or_else(String::new, |first| {
            let mean = Sample::of(readings.iter().map(|reading| reading.value)).mean();
            format!(", {} {}", first.name, fixed(mean, 3))
        });
        let _ = writeln!(text, "\n{}: {of}{}{fitness}", view.title(arm), arm.answer);
        let mean = |gene: usize| Sample::of(arm.runs.iter().map(|run| run.champion[gene])).mean();
        let champion: Vec<(String, f64)> =
            arm.genes.iter().enumerate().map(|(gene, name)| (name.clone(), mean(gene))).collect();
        text.push_str(&champion_table(arm.players.as_ref(), &champion, None));
    }
    text
}

fn champion_table(
    players: Option<&PlayersView>,
    champion: &[(String, f64)],
    last: Option<&Generation>,
) -> String {
    let mut text = String::new();
    let pawn = players.and_then(PlayersView::pawn_source);
    let classical = |name: &str| players?.weight(name).map(|weight| weight.classical);
    // Settings of the search are not measured by a pawn.
    let has_weights = champion.iter().any(|(name, _)| classical(name).is_some());
    let unit = pawn.map(|pawn| pawn.value(|gene| champion[gene].1)).filter(|&unit| unit > 0.0 && has_weights);
    let width = champion.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(22);
    let _ = write!(text, "{:<width$} {:>10}", "", "evolved");
    if unit.is_some() {
        let _ = write!(text, " {:>10}", "in pawns");
    }
    if last.is_some() {
        let _ = write!(text, " {:>10}", "deviation");
    }
    let _ = writeln!(text, " {:>10}", "classical");
    for (gene, (name, value)) in champion.iter().enumerate() {
        let _ = write!(text, "{name:<width$} {value:>10.3}");
        if let Some(unit) = unit {
            let _ = match classical(name) {
                Some(_) => write!(text, " {:>10.2}", value / unit),
                None => write!(text, " {:>10}", "-"),
            };
        }
        if let Some(last) = last {
            let _ = write!(text, " {:>10.3}", last.spread[gene].sd);
        }
        let classical = classical(name).map_or_else(|| "-".to_owned(), |value| value.to_string());
        let _ = writeln!(text, " {classical:>10}");
    }
    text
}

/// The mean of each gene by generation, in pawns where there are any, each with a letter of its own.
fn means(view: &ExperimentView, generations: &[Generation]) -> Vec<(char, String, Vec<f64>)> {
    const MAX_LETTERS: usize = 26;
    if generations.len() < 2 || view.genes.len() > MAX_LETTERS {
        return Vec::new();
    }
    let pawn = pawn(view);
    let unit = |row: &Generation| pawn.map_or(1.0, |pawn| pawn.value(|gene| row.spread[gene].mean));
    let mut taken = String::new();
    view.genes
        .iter()
        .enumerate()
        .filter(|&(gene, name)| {
            let is_weight = view.players.as_ref().is_some_and(|players| players.weight(name).is_some());
            pawn.is_none_or(|pawn| pawn != WeightSource::Evolved(gene) && is_weight)
        })
        .map(|(gene, name)| {
            let own = name.rsplit('.').next().unwrap_or(name).to_uppercase();
            let letter = if name == "knight" {
                'N'
            } else {
                own.chars().find(|&letter| !taken.contains(letter)).unwrap_or('*')
            };
            taken.push(letter);
            let value = |row: &Generation| row.spread[gene].mean / unit(row);
            (letter, name.clone(), generations.iter().map(value).collect())
        })
        .collect()
}

/// The arms of a study beside each other: convergence, strength, and how matches or games ended.
fn study_table(view: &ExperimentView, conclusion: &Conclusion) -> String {
    let mut rows: Vec<ArmRow> = Vec::new();
    for (index, arm) in view.arms.iter().enumerate() {
        let mut row = ArmRow { name: view.title(arm).to_owned(), ..ArmRow::default() };
        for run in &arm.runs {
            row.add(&run.generations);
        }
        if !conclusion.playoffs.is_empty() {
            let replicates = 0..view.replicates;
            row.points = replicates.map(|replicate| points(&conclusion.playoffs, index, replicate)).collect();
            row.most = most_points(&conclusion.playoffs, index);
        }
        let classical = conclusion.classical.iter().filter(|classical| classical.arm == index);
        row.elos = classical.map(|classical| Results::from(classical.pairs()).elo().value).collect();
        rows.push(row);
    }
    let has_matches = rows.iter().flat_map(|row| &row.matches).flatten().any(|&share| share > 0.0);
    let has_elo = rows.iter().any(|row| !row.elos.is_empty());
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(12);
    let mut text = format!("{:<width$} {:>19} {:>6} {:>20}", "arm", "convergence", "runs", "play-off points");
    if has_elo {
        let _ = write!(text, " {:>17}", "Elo to classical");
    }
    let has_games = view.runs().flat_map(|run| &run.generations).any(|row| row.games > 0);
    let _ = match (has_matches, has_games) {
        (true, _) => writeln!(text, " {:>12} {:>12} {:>12}", "2-0", "1.5-0.5", "drawn"),
        (false, true) => writeln!(text, " {:>12}", "games drawn"),
        (false, false) => writeln!(text),
    };
    for row in &rows {
        let points = if row.points.is_empty() { "-".to_owned() } else { points_text(&row.points, row.most) };
        let factors = with_ratio_interval(&row.factors);
        let _ = write!(text, "{:<width$} {factors:>19} {:>6} {points:>20}", row.name, row.factors.len());
        if has_elo {
            let _ = write!(text, " {:>17}", signed_with_interval(&row.elos));
        }
        let [won, edged, drawn] = row.matches.each_ref().map(|shares| percent(shares));
        let _ = match (has_matches, has_games) {
            (true, _) => writeln!(text, " {won:>12} {edged:>12} {drawn:>12}"),
            (false, true) => writeln!(text, " {:>12}", percent(&row.draws)),
            (false, false) => writeln!(text),
        };
    }
    text
}

/// What the replicates of an arm came to.
#[derive(Default)]
struct ArmRow {
    name: String,
    factors: Vec<f64>,
    points: Vec<f64>,
    /// The points of one who wins every game.
    most: f64,
    elos: Vec<f64>,
    /// Per cent of matches that ended each way.
    matches: [Vec<f64>; 3],
    /// Per cent of games drawn.
    draws: Vec<f64>,
}

impl ArmRow {
    fn add(&mut self, generations: &[Generation]) {
        let (Some(first), Some(last)) = (generations.first(), generations.last()) else { return };
        self.factors.push(convergence(&first.spread, &last.spread));
        let sum = |of: fn(&Generation) -> u64| generations.iter().map(of).sum::<u64>() as f64;
        let total = sum(|row| row.matches.total()).max(1.0);
        let counts: [fn(&Generation) -> u64; 3] =
            [|row| row.matches.won, |row| row.matches.edged, |row| row.matches.drawn];
        for (shares, count) in self.matches.iter_mut().zip(counts) {
            shares.push(100.0 * sum(count) / total);
        }
        self.draws.push(100.0 * sum(|row| row.draws) / sum(|row| row.games).max(1.0));
    }
}

/// The points of an arm's champion in the play-offs of a replicate.
fn points(playoffs: &[PlayoffMatch], arm: usize, replicate: u32) -> f64 {
    let of = |playoff: &PlayoffMatch| {
        let total: u32 = playoff.scores.iter().map(|score| u32::from(score.0)).sum();
        let all = 4 * playoff.scores.len() as u32;
        match playoff.arms {
            [first, _] if first == arm => total,
            [_, second] if second == arm => all - total,
            _ => 0,
        }
    };
    let halves: u32 = playoffs.iter().filter(|playoff| playoff.replicate == replicate).map(of).sum();
    f64::from(halves) / 2.0
}

/// The points of an arm's champion that wins all games of a replicate.
fn most_points(playoffs: &[PlayoffMatch], arm: usize) -> f64 {
    let of = |replicate: u32| {
        let own = playoffs.iter().filter(|one| one.replicate == replicate && one.arms.contains(&arm));
        own.map(|playoff| 2 * playoff.scores.len()).sum::<usize>()
    };
    playoffs.iter().map(|playoff| of(playoff.replicate)).max().unwrap_or(0) as f64
}

/// The mean of points with both ends of its 95 % interval, which are no less than none and no more than all.
fn points_text(values: &[f64], most: f64) -> String {
    let sample = Sample::of(values.iter().copied());
    let mean = sample.mean();
    match sample.interval().map(|interval| interval.within([0.0, most])) {
        None => format!("{mean:.2}"),
        Some(Interval { low, high }) => format!("{mean:.2} ({low:.2}-{high:.2})"),
    }
}

/// A mean in whole numbers with its sign and half the width of its 95 % interval.
fn signed_with_interval(values: &[f64]) -> String {
    let sample = Sample::of(values.iter().copied());
    let mean = sample.mean();
    match sample.margin() {
        _ if sample.count == 0 => "-".to_owned(),
        None => format!("{mean:+.0}"),
        Some(margin) => format!("{mean:+.0} ± {margin:.0}"),
    }
}

/// A mean share in whole per cent with both ends of its 95 % interval, which are from 0 to 100.
fn percent(values: &[f64]) -> String {
    let sample = Sample::of(values.iter().copied());
    let mean = sample.mean();
    match sample.interval().map(|interval| interval.within([0.0, 100.0])) {
        None => format!("{mean:.0}%"),
        Some(Interval { low, high }) => format!("{mean:.0}% ({low:.0}-{high:.0})"),
    }
}

/// The geometric mean of factors with both ends of its 95 % interval.
fn with_ratio_interval(factors: &[f64]) -> String {
    let (mean, interval) = geometric_mean(factors.iter().copied());
    match interval {
        None => format!("{mean:.2}"),
        Some(Interval { low, high }) => format!("{mean:.2} ({low:.2}-{high:.2})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_points_and_shares_stay_in_their_bounds() {
        assert_eq!(points_text(&[0.0, 0.5, 3.0], 6.0), "1.17 (0.00-5.16)");
        assert_eq!(points_text(&[5.0, 6.0], 6.0), "5.50 (0.00-6.00)");
        assert_eq!(points_text(&[2.5], 6.0), "2.50");
        assert_eq!(percent(&[97.0, 100.0]), "98% (79-100)");
        assert_eq!(percent(&[0.0, 1.0]), "0% (0-7)");
    }

    #[test]
    fn convergence_is_a_number_whatever_the_deviations_are() {
        assert_eq!(with_ratio_interval(&[0.0]), "0.00");
        assert_eq!(with_ratio_interval(&[0.0, 0.5]), "0.00");
        assert_eq!(with_ratio_interval(&[0.5]), "0.50");
    }
}
