use gamete_lab::Generation;
use gamete_stats::{Sample, Spread, geometric_mean};

use super::playoffs::{playoff_points, playoffs, point_bounds};
use crate::chart::{Axis, Lines, Point, Series, Shares, Size, Strip, Strips};
use crate::mean_text::{mean_text, mean_text_within};
use crate::page::{Section, figure, figures, in_units, note};
use crate::sections::outcomes::{EXPECTATION, KINDS, legend};
use crate::sections::{MAX_GENES, left_out};
use crate::subject::{Arm, Run, Subject, Unit};
use crate::text::{Escaped, counted};

/// Arms beyond these are in the tables only.
pub const MAX_ARMS: usize = 16;

/// How fast the arms converge, and how strong their champions are.
pub fn convergence(subject: &Subject) -> Section {
    let factor = |run: &Run, index: usize| {
        gamete_lab::convergence(&run.generations[0].spread, &run.generations[index].spread)
    };
    let series = series(subject, geometric, factor);
    let about = "Convergence factor of each arm by generation";
    let chart = Lines { about, axis: Axis::Log, unit: "", size: Size::LARGE, series, mark: None };
    let mut all = figure("Convergence factor, logarithmic", &chart.svg());
    let mut words = String::from(
        "Lines are geometric means over replicates; bands reach from the smallest replicate to the largest.",
    );
    if !playoffs(subject).is_empty() {
        words.push_str(" In the play-offs dots are replicates, bars their mean with the 95 % interval.");
        all.push_str(&figure("Points in the play-offs", &strength(subject)));
    }
    Section::new("convergence", "Convergence and strength", note(&words) + &figures("large", &all))
}

fn strength(subject: &Subject) -> String {
    let rows = subject.arms.iter().enumerate().take(MAX_ARMS);
    let strip = |(index, arm): (usize, &Arm)| {
        let points = playoff_points(subject, index);
        let (sample, bounds) = (Sample::of(points.iter().copied()), point_bounds(subject, index));
        Strip {
            interval: sample.interval().map(|interval| interval.within(bounds)),
            hint: hint(arm, &sample, &mean_text_within(&sample, bounds)),
            ..arm_strip(arm, index, points)
        }
    };
    let rows: Vec<Strip> = rows.map(strip).collect();
    let row = ((Size::LARGE.1 - 30.0) / rows.len().max(1) as f64).clamp(20.0, 60.0);
    Strips { about: "Points of each arm in the play-offs", name: "", width: Size::LARGE.0, row, rows }.svg()
}

/// A row of replicates with their mean and its interval.
pub fn arm_strip(arm: &Arm, color: usize, dots: Vec<f64>) -> Strip {
    let sample = Sample::of(dots.iter().copied());
    Strip {
        name: arm.title.clone(),
        color,
        dots,
        behind: Vec::new(),
        mark: sample.mean(),
        interval: sample.interval(),
        hint: hint(arm, &sample, &mean_text(&sample)),
    }
}

fn hint(arm: &Arm, sample: &Sample, text: &str) -> String {
    format!("{}\n{text} of {}", &arm.title, counted(sample.count as u64, "run"))
}

/// The mean of each gene by generation, arm by arm.
pub fn by_generation(subject: &Subject, genes: &[String]) -> Section {
    let mut text = note(
        "Means of each population, averaged over replicates; bands reach from the smallest replicate to the largest.",
    );
    text.push_str(&in_units(subject.arms.first(), |unit| {
        let drawn = (0..genes.len()).filter(|&gene| !unit.is(gene)).take(MAX_GENES);
        figures("", &drawn.map(|gene| gene_chart(subject, &genes[gene], gene, unit)).collect::<String>())
    }));
    text.push_str(&left_out(genes.len()));
    Section::new("genes", "Values by generation", text)
}

fn gene_chart(subject: &Subject, name: &str, gene: usize, unit: Unit) -> String {
    let value = |run: &Run, index: usize| {
        let spread = &run.generations[index].spread;
        unit.show(spread[gene].mean, |gene| spread[gene].mean)
    };
    let series = series(subject, arithmetic, value);
    let about = format!("{name} of each arm by generation");
    let chart = Lines { about: &about, axis: Axis::Linear, unit: "", size: Size::SMALL, series, mark: None };
    figure(&Escaped(name).to_string(), &chart.svg())
}

/// How the matches or games of each arm ended.
pub fn outcomes(subject: &Subject) -> Section {
    let text = if subject.has_matches() { matches(subject) } else { games(subject) };
    Section::new("outcomes", "Outcomes", text)
}

/// Draws and lengths of games by generation, and how many there were.
fn games(subject: &Subject) -> String {
    let chart = |about: &str, unit: &str, value: fn(&Generation) -> f64| {
        let series = series(subject, arithmetic, |run, index| match &run.generations[index] {
            row if row.games > 0 => value(row),
            _ => f64::NAN,
        });
        Lines { about, axis: Axis::Linear, unit, size: Size::LARGE, series, mark: None }.svg()
    };
    let mut all = figure(
        "Games drawn",
        &chart("Share of games drawn, by generation", "%", |row| 100.0 * row.draws as f64 / row.games as f64),
    );
    all.push_str(&figure(
        "Plies a game",
        &chart("Average plies of a game, by generation", "", |row| row.plies as f64 / row.games as f64),
    ));
    let mut text = note("Means over replicates; bands reach from the smallest replicate to the largest.")
        + &figures("large", &all);
    let counts: String =
        subject.arms.iter().enumerate().take(MAX_ARMS).map(|(color, arm)| game_count(color, arm)).collect();
    if !counts.is_empty() {
        text.push_str(&note(&format!("Games by generation. {EXPECTATION}")));
        text.push_str(&figures("large", &counts));
    }
    text
}

/// The games of an arm by generation beside what is expected.
fn game_count(color: usize, arm: &Arm) -> String {
    let Some(expected) = arm.view.expected_games else { return String::new() };
    let mut series = arm_series(color, arm, arithmetic, |run, index| match run.generations[index].games {
        0 => f64::NAN,
        games => games as f64,
    });
    series.points.retain(|point| point.y.is_finite());
    let about = format!("Games of {} by generation", &arm.title);
    let size = Size(Size::LARGE.0, 230.0);
    let mark = Some((expected, "expected"));
    let chart = Lines { about: &about, axis: Axis::Linear, unit: "", size, series: vec![series], mark };
    figure(&Escaped(&arm.title).to_string(), &chart.svg())
}

fn matches(subject: &Subject) -> String {
    // Two or four are best seen in twos.
    let (class, size) = match subject.arms.len() {
        1 | 2 | 4 => ("large", Size(Size::LARGE.0, 230.0)),
        _ => ("", Size::SMALL),
    };
    let mut all = String::new();
    for arm in subject.arms.iter().take(MAX_ARMS) {
        let about = format!("How matches of {} ended, by generation", &arm.title);
        let shares = Shares { about: &about, size, kinds: KINDS, rows: arm.matches() };
        all.push_str(&figure(&Escaped(&arm.title).to_string(), &shares.svg()));
    }
    note(
        "A match is two games with colours reversed. Drawn are those with two draws, or a win each. All replicates \
         together.",
    ) + &format!("<p>{}</p>\n", legend())
        + &figures(class, &all)
}

/// Something by generation, a line for each arm: a mean over replicates, and a band from the smallest to the largest.
fn series(
    subject: &Subject,
    mean: impl Fn(&[f64]) -> f64,
    value: impl Fn(&Run, usize) -> f64,
) -> Vec<Series> {
    let arms = subject.arms.iter().enumerate().take(MAX_ARMS);
    arms.map(|(color, arm)| arm_series(color, arm, &mean, &value)).collect()
}

fn arm_series(
    color: usize,
    arm: &Arm,
    mean: impl Fn(&[f64]) -> f64,
    value: impl Fn(&Run, usize) -> f64,
) -> Series {
    let point = |index: usize| {
        let runs = arm.runs.iter().filter(|run| index < run.generations.len());
        let number = runs.clone().next().map_or(0, |run| run.generations[index].number);
        let values: Vec<f64> = runs.map(|run| value(run, index)).filter(|value| value.is_finite()).collect();
        let spread = Spread::of(values.iter().copied());
        let (low, high) = if values.len() > 1 { (spread.min, spread.max) } else { (f64::NAN, f64::NAN) };
        Point { x: f64::from(number), y: mean(&values), low, high }
    };
    let last = arm.runs.iter().map(|run| run.generations.len()).max().unwrap_or(0);
    Series { name: arm.title.clone(), color, points: (0..last).map(point).collect() }
}

fn arithmetic(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn geometric(values: &[f64]) -> f64 {
    geometric_mean(values.iter().copied()).0
}
