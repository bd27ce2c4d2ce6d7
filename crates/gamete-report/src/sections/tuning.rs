use std::fmt::Write;

use gamete_lab::{BaselineView, TuningView};

use crate::page::{Section, note, table};
use crate::subject::Subject;
use crate::text::{Escaped, count, fixed, percent};

/// What values came to that were sought from a start, whether they are better, and how to paste them back.
pub fn tuning(subject: &Subject) -> Option<Section> {
    let view = &subject.view;
    let tuning = view.tuning.as_ref()?;
    let mut text = values(tuning);
    text.push_str(&verification(subject));
    if let Some(training) = view.training_elo().filter(|elo| elo.is_finite()) {
        let gap = view.overfit_gap().map_or_else(String::new, |gap| {
            format!(", and the over-fit gap between the two {} Elo", fixed(gap, 1))
        });
        text.push_str(&note(&format!(
            "By the games that they were chosen by, the training, these values are {} Elo stronger{gap}.",
            fixed(training, 1)
        )));
    }
    for values in &tuning.texts {
        let _ = write!(
            text,
            "<details><summary>The values for {}</summary>\n<pre><code>{}</code></pre>\n</details>\n",
            values.form,
            Escaped(&values.text)
        );
    }
    Some(Section::new("tuning", "Tuned values", text))
}

fn values(tuning: &TuningView) -> String {
    let mut body = String::new();
    for one in &tuning.parameters {
        let decimals = if one.is_whole { 0 } else { 3 };
        let change = one.change().map_or_else(|| "–".to_owned(), |change| format!("{} %", fixed(change, 1)));
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"main\">{}</td><td>{change}</td><td>{}</td><td>{}</td></tr>",
            Escaped(&one.name),
            fixed(one.start, decimals),
            fixed(one.value, decimals),
            fixed(one.min, decimals),
            fixed(one.max, decimals)
        );
    }
    table(
        "<tr><th></th><th>original</th><th>tuned</th><th>change</th><th>smallest</th><th>largest</th></tr>",
        &body,
    )
}

/// The games of the tuned values against the original ones.
fn verification(subject: &Subject) -> String {
    let view = &subject.view;
    let played: Vec<&BaselineView> = view.verification.iter().filter(|one| one.score.pairs > 0).collect();
    let Some(first) = played.first() else {
        return note("The tuned values have not been verified by games against the original ones.");
    };
    let mut body = String::new();
    for one in &played {
        let test = one.sprt.as_ref().map_or_else(String::new, |sprt| {
            let decision = if sprt.decision == "continue" { "no decision" } else { sprt.decision };
            format!("[{}, {}]: LLR {}, {decision}", sprt.elo0, sprt.elo1, fixed(sprt.llr, 2))
        });
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{} / {} / {}</td><td>{}</td><td class=\"main\">{}</td><td class=\"left\">{test}</td></tr>",
            Escaped(&one.limits.map_or_else(String::new, |limits| limits.to_string())),
            count(one.score.games()),
            count(one.score.wins),
            count(one.score.draws),
            count(one.score.losses),
            percent(one.score.share(), 1.0),
            super::elo_text(one),
        );
    }
    let missing = match played.iter().all(|one| one.is_complete()) {
        true => "",
        false => " Not all games are played yet: the command that ran the tune resumes them.",
    };
    note(&format!(
        "The tuned values against the original ones, after the search, from openings that no trial started from ({}), in pairs of \
         games with colours reversed: <strong>{}</strong>. Elo has a 95 % interval over pairs.{missing}",
        Escaped(first.openings.as_deref().unwrap_or_default()),
        view.tuning_verdict()
    )) + &table(
        "<tr><th>limits</th><th>games</th><th>won / drawn / lost</th><th>score</th><th>Elo [95 % interval]</th>\
         <th class=\"left\">SPRT</th></tr>",
        &body,
    )
}
