use std::fmt::Write;

use gamete_lab::{Baseline, BaselineView};

use crate::page::{Section, note, table};
use crate::subject::Subject;
use crate::text::{Escaped, count, fixed, percent};

/// Whether evolution helped: the champions against where they began and against the classical weights.
pub fn verification(subject: &Subject) -> Option<Section> {
    let played: Vec<&BaselineView> =
        subject.view.verification.iter().filter(|one| one.score.pairs > 0).collect();
    let first = played.first()?;
    let mut body = String::new();
    for one in &played {
        let own = one.champion.strip_prefix(subject.view.id.as_str()).and_then(|rest| rest.strip_prefix('/'));
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\" title=\"{}\">{}</th><td class=\"left\" title=\"{}\">{}</td><td>{}</td>\
             <td>{} / {} / {}</td><td>{}</td><td class=\"main\">{}</td><td class=\"left\">{}</td></tr>",
            Escaped(&one.champion),
            Escaped(own.unwrap_or("champion")),
            Escaped(&one.opponent),
            baseline_text(one.against),
            count(one.score.games()),
            count(one.score.wins),
            count(one.score.draws),
            count(one.score.losses),
            percent(one.score.share(), 1.0),
            elo_text(one),
            one.verdict.as_str()
        );
    }
    let head = "<tr><th></th><th class=\"left\">against</th><th>games</th><th>won / drawn / lost</th>\
                <th>score</th><th>Elo [95 % interval]</th><th></th></tr>";
    let who = if !subject.view.has_arms && !subject.view.is_study {
        "The champion"
    } else if !subject.view.has_arms {
        "The mean of the champions of all runs"
    } else {
        "The mean of the champions of each arm"
    };
    let missing =
        if played.iter().all(|one| one.is_complete()) && played.len() == subject.view.verification.len() {
            ""
        } else {
            " Not all games are played yet: the command that ran the experiment resumes them."
        };
    let text = note(&format!(
        "{who} after the experiment, in pairs of games with colours reversed from random even openings, with the limits of \
         the experiment. Its start is the mean player of the initial population; the classical weights are the defaults \
         of the model. Elo has a 95 % interval over pairs. The digest does not depend on these games, and \
         <code>gamete compare {} {} --pairs {}</code> plays the same ones again.{missing}",
        Escaped(&first.champion),
        Escaped(&first.opponent),
        first.score.pairs
    )) + &table(head, &body);
    Some(Section::new("verification", "Did it help?", text))
}

fn baseline_text(baseline: Baseline) -> &'static str {
    match baseline {
        Baseline::Start => "its start",
        Baseline::Classical => "classical weights",
        Baseline::OtherLimits => "its start, with other limits",
    }
}

/// Elo with its interval, or the one end that it has where every pair was won or lost.
pub fn elo_text(one: &BaselineView) -> String {
    one.score.elo_text(|elo| fixed(elo, 0)).unwrap_or_else(|| "–".to_owned())
}
