use std::fmt::Write;

use gamete_lab::{MatchTally, OpponentTally};

use super::measured::{Curve, curves_svg};
use crate::chart::{Axis, Lines, Point, Series, Size};
use crate::page::{Section, figure, figures, note, table};
use crate::subject::{Arm, Subject};
use crate::text::{Escaped, count, percent};

/// What trials made of each opponent, and what the openings of a suite are like.
pub fn match_tally(subject: &Subject) -> Option<Section> {
    let mut text = String::new();
    for arm in &subject.arms {
        let rows = || arm.runs.iter().flat_map(|run| &run.generations);
        let Some(total) = MatchTally::total(rows().filter_map(|row| row.tally.as_ref())) else { continue };
        let of = if subject.view.has_arms { format!("{}: ", Escaped(&arm.title)) } else { String::new() };
        let mut charts = String::new();
        if total.has_opponents() {
            text.push_str(&note(&format!("{of}What all trials together made of each opponent.")));
            text.push_str(&opponents(&total.opponents));
            charts.push_str(&scores(arm, &total));
        }
        if total.suite > 0 {
            text.push_str(&note(&format!("{of}{}", openings(&total))));
            charts.push_str(&balance(&total).unwrap_or_default());
        }
        text.push_str(&figures("large", &charts));
    }
    (!text.is_empty()).then(|| Section::new("opponents", "Opponents and openings", text))
}

fn opponents(all: &[OpponentTally]) -> String {
    let mut body = String::new();
    for one in all {
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{} / {} / {}</td><td class=\"main\">{}</td></tr>",
            Escaped(&one.name),
            count(one.games()),
            count(one.wins),
            count(one.draws),
            count(one.losses),
            percent(one.score().unwrap_or(0.5), 1.0)
        );
    }
    table("<tr><th></th><th>games</th><th>won / drawn / lost</th><th>score</th></tr>", &body)
}

/// Scores against each opponent by generation.
fn scores(arm: &Arm, total: &MatchTally) -> String {
    let curve = |(place, one): (usize, &OpponentTally)| {
        Curve::new(&one.name, place, arm, |row| {
            Some(100.0 * row.tally.as_ref()?.opponents.get(place)?.score()?)
        })
    };
    let curves: Vec<Curve> = total.opponents.iter().enumerate().filter_map(curve).collect();
    let about = format!("Scores of trials of {} against each opponent in per cent, by generation", arm.title);
    figure("Score of all trials of a generation", &curves_svg(&about, " %", Size::LARGE, &curves, &[]))
}

/// How often openings were played, and how even they are.
fn openings(total: &MatchTally) -> String {
    let [least, most] = total.least_and_most();
    format!(
        "{} of {} openings were played, {} to {} games from each. White scores {} of all.",
        count(total.openings.len() as u64),
        count(total.suite as u64),
        count(least),
        count(most),
        percent(total.white_score().unwrap_or(0.5), 1.0)
    )
}

/// White's score of every opening, the least first; nothing where no opening has games enough.
fn balance(total: &MatchTally) -> Option<String> {
    let scores = (1..).zip(total.by_white_score());
    let points: Vec<Point> =
        scores.map(|(rank, (_, score))| Point::new(f64::from(rank), 100.0 * score)).collect();
    if points.is_empty() {
        return None;
    }
    let chart = Lines {
        about: "White's score in per cent of every opening, the least first",
        axis: Axis::Linear,
        unit: " %",
        size: Size::LARGE,
        series: vec![Series { name: "White's score".to_owned(), color: 0, points }],
        mark: Some((50.0, "even")),
    };
    let caption = format!(
        "White's score of every opening with {} games or more, the least first",
        MatchTally::LEAST_GAMES
    );
    Some(figure(&caption, &chart.over("opening", &[])))
}
