use std::fmt::Write;

use gamete_lab::{Estimate, RankedArm, RankedBy, Ranking};
use gamete_stats::Sample;

use crate::mean_text::mean_text;
use crate::page::{Section, note, table};
use crate::subject::Subject;
use crate::text::{Escaped, count};

/// Optimisers by what came of them.
pub fn ranking(subject: &Subject) -> Option<Section> {
    let Ranking { by, arms } = subject.ranking.as_ref()?;
    let (what, scale, words) = match by {
        RankedBy::Regret => (
            "regret",
            1.0,
            "Regret is how much worse than the optimum the point is that an optimiser recommends at the end, without noise; the less \
             the better.",
        ),
        RankedBy::Play => (
            "points, %",
            100.0,
            "Points are those of the champions of each replicate in games against each other.",
        ),
    };
    let has_baseline = arms.iter().any(|arm| arm.better_than_random.is_some());
    let has_elo = arms.iter().any(|arm| arm.elo_to_start.is_some());
    let mut head = format!("<tr><th>rank</th><th class=\"left\">optimiser</th><th>{what}</th>");
    if has_baseline {
        head.push_str("<th>better than random by</th>");
    }
    if has_elo {
        head.push_str("<th>Elo to the defaults</th>");
    }
    head.push_str("<th>games of a run</th><th>runs</th></tr>");
    let mut body = String::new();
    for RankedArm { arm, rank, value, better_than_random, elo_to_start, games } in arms {
        let _ = write!(
            body,
            "<tr><td>{rank}</td><th scope=\"row\">{}</th><td class=\"main\">{}</td>",
            Escaped(arm),
            estimate(Some(value), scale)
        );
        if has_baseline {
            let _ = write!(body, "<td>{}</td>", estimate(better_than_random.as_ref(), scale));
        }
        if has_elo {
            let _ = write!(body, "<td>{}</td>", estimate(elo_to_start.as_ref(), 1.0));
        }
        let _ = writeln!(body, "<td>{}</td><td>{}</td></tr>", count(games.round() as u64), value.runs.len());
    }
    let text = note(&format!(
        "{words} Means over runs with 95 % intervals by Student’s t. Runs of a replicate share their seed, so that what one is better \
         than another by is the mean of the differences within replicates."
    )) + &table(&head, &body);
    Some(Section::new("ranking", "Which optimiser is worth its games?", text))
}

fn estimate(found: Option<&Estimate>, scale: f64) -> String {
    let runs = found.into_iter().flat_map(|found| found.runs.iter().map(|value| scale * value));
    mean_text(&Sample::of(runs))
}
