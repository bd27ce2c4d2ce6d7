use std::fmt::Write;

use gamete_lab::{CrossTable, Generation};

use super::measured::{Curve, curves_svg};
use crate::chart::Size;
use crate::page::{Section, figure, figures, note, table};
use crate::subject::{Arm, Run, Subject};
use crate::text::{Escaped, percent, points};

/// What players of a generation made of each other, and their points by generation.
pub fn cross_table(subject: &Subject) -> Option<Section> {
    let mut text = String::new();
    for arm in &subject.arms {
        let last = |run: &Run| -> Option<(u32, CrossTable)> {
            let row = run.generations.iter().rev().find(|row| row.cross_table.is_some())?;
            Some((row.number, row.cross_table.clone()?))
        };
        let Some((number, found)) = arm.runs.iter().find_map(last) else { continue };
        let of = match (subject.view.has_arms, arm.runs.len()) {
            (false, 1) => String::new(),
            (false, _) => " of the first run".to_owned(),
            (true, _) => format!(" of the first run of {}", Escaped(&arm.title)),
        };
        text.push_str(&note(&format!(
            "Generation {number}{of}: points of the player at the left against the one above, the best first, of {} \
             of every two.",
            crate::text::counted(found.games.into(), "game")
        )));
        text.push_str(&html(&found));
        text.push_str(&figures("one", &charts(arm)));
    }
    (!text.is_empty()).then(|| Section::new("cross-table", "Cross table", text))
}

fn html(found: &CrossTable) -> String {
    let players = found.half_points.len();
    let mut head = String::from("<tr><th></th>");
    for player in 1..=players {
        let _ = write!(head, "<th>{player}</th>");
    }
    head.push_str("<th class=\"edge\">points</th><th>score</th></tr>");
    let mut body = String::new();
    for (player, row) in found.half_points.iter().enumerate() {
        let _ = write!(body, "<tr><th scope=\"row\">{}.</th>", player + 1);
        for (other, &halves) in row.iter().enumerate() {
            body.push_str(&match other == player {
                true => "<td class=\"self\">·</td>".to_owned(),
                false => format!("<td>{}</td>", points(halves.into())),
            });
        }
        let halves: u32 = row.iter().sum();
        let _ = writeln!(
            body,
            "<td class=\"main edge\">{}</td><td>{}</td></tr>",
            points(halves.into()),
            percent(found.points(player), found.most_points())
        );
    }
    table(&head, &body)
}

/// Shares of all points by generation, of the best, the one in the middle and the last.
fn charts(arm: &Arm) -> String {
    let score = |row: &Generation, place: fn(usize) -> usize| {
        let table = row.cross_table.as_ref()?;
        let player = place(table.half_points.len());
        Some(100.0 * table.points(player) / table.most_points())
    };
    let curves: Vec<Curve> = [
        Curve::new("best", 0, arm, |row| score(row, |_| 0)),
        Curve::new("middle", 2, arm, |row| score(row, |players| players / 2)),
        Curve::new("last", 1, arm, |row| score(row, |players| players - 1)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let about = format!("Points of players of {} in per cent, by generation", arm.title);
    figure(
        "Points of the best, the middle and the last player, of all that can be won",
        &curves_svg(&about, " %", Size::WIDE, &curves, &[]),
    )
}
