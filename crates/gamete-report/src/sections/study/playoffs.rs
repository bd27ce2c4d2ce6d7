use std::fmt::Write;

use gamete_lab::PlayoffMatch;

use crate::page::{Section, note, table};
use crate::subject::Subject;
use crate::text::{Escaped, percent, points};

/// Who met whom in the play-offs.
pub fn cross_table(subject: &Subject) -> Option<Section> {
    let playoffs = playoffs(subject);
    if playoffs.is_empty() {
        return None;
    }
    let against = |arm: usize, other: Option<usize>| {
        playoffs
            .iter()
            .filter(|playoff| other.is_none_or(|other| playoff.arms.contains(&other)))
            .filter_map(|playoff| half_points(playoff, arm))
            .fold((0, 0), |sum, (own, all)| (sum.0 + own, sum.1 + all))
    };
    let mut head = String::from("<tr><th></th>");
    for arm in &subject.arms {
        let _ = write!(head, "<th>{}</th>", Escaped(&arm.title));
    }
    head.push_str("<th class=\"edge\">points</th><th>score</th></tr>");
    let mut body = String::new();
    for (index, arm) in subject.arms.iter().enumerate() {
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", Escaped(&arm.title));
        for other in 0..subject.arms.len() {
            if other == index {
                body.push_str("<td class=\"self\">·</td>");
                continue;
            }
            let (own, all) = against(index, Some(other));
            let _ = write!(body, "<td>{}<small> / {}</small></td>", points(own), all / 2);
        }
        let (own, all) = against(index, None);
        let _ = writeln!(
            body,
            "<td class=\"main edge\">{}<small> / {}</small></td><td>{}</td></tr>",
            points(own),
            all / 2,
            percent(own as f64, all as f64)
        );
    }
    let text = note(
        "Points of the arm at the left against the one above, of all games between their champions, all replicates \
         together.",
    ) + &table(&head, &body);
    Some(Section::new("playoffs", "Play-offs", text))
}

/// The points of an arm's champion in the play-offs of each replicate that had some.
pub fn playoff_points(subject: &Subject, arm: usize) -> Vec<f64> {
    let of = |replicate: u32| {
        let own = playoffs(subject).iter().filter(|playoff| playoff.replicate == replicate);
        let halves: Vec<u64> =
            own.filter_map(|playoff| half_points(playoff, arm)).map(|(own, _)| own).collect();
        (!halves.is_empty()).then(|| halves.iter().sum::<u64>() as f64 / 2.0)
    };
    (0..subject.view.replicates).filter_map(of).collect()
}

/// The fewest and the most points that an arm's champion can have in the play-offs of a replicate.
pub fn point_bounds(subject: &Subject, arm: usize) -> [f64; 2] {
    let of = |replicate: u32| {
        let own = playoffs(subject).iter().filter(|playoff| playoff.replicate == replicate);
        own.filter_map(|playoff| half_points(playoff, arm)).map(|(_, all)| all).sum::<u64>()
    };
    [0.0, (0..subject.view.replicates).map(of).max().unwrap_or(0) as f64 / 2.0]
}

/// All playoffs, once they are over.
pub fn playoffs(subject: &Subject) -> &[PlayoffMatch] {
    subject.view.conclusion.as_ref().map_or(&[], |found| &found.playoffs)
}

/// The half points of an arm in a playoff that it took part in, and how many there were.
fn half_points(playoff: &PlayoffMatch, arm: usize) -> Option<(u64, u64)> {
    let first: u64 = playoff.scores.iter().map(|score| u64::from(score.0)).sum();
    let all = 4 * playoff.scores.len() as u64;
    match playoff.arms {
        [one, _] if one == arm => Some((first, all)),
        [_, two] if two == arm => Some((all - first, all)),
        _ => None,
    }
}
