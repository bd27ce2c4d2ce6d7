use std::fmt::Write;

use crate::page::{Section, note, table};
use crate::subject::Subject;
use crate::text::{Escaped, count, fixed};

/// What a step of each parameter is worth, and what is proposed for a tune.
pub fn screening(subject: &Subject) -> Option<Section> {
    let screening = subject.view.screening.as_ref()?;
    let mut body = String::new();
    for one in &screening.parameters {
        let elo = |elo: f64, precision: f64| format!("{} ± {}", fixed(elo, 1), fixed(precision, 1));
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"main\">{}</td><td>{}</td><td>{}</td></tr>",
            Escaped(&one.name),
            one.start,
            one.step,
            elo(one.slope, one.slope_precision),
            elo(-one.curvature, one.curvature_precision),
            one.worth.as_str(),
            one.proposed_step,
            one.proposed_rate
        );
    }
    let head = "<tr><th></th><th>value</th><th>step</th><th>Elo of a step up</th><th>of a step either way</th><th>worth it</th>\
                <th>proposed c_end</th><th>proposed r_end</th></tr>";
    let text = note(&format!(
        "All parameters are moved at once, each by its step up or down, so that all {} games tell of each. Intervals are of 95 %. \
         Proposed for a tune of {} games, in which a match has an interval of ± {} Elo: <code>-method {}</code>.",
        count(screening.games),
        count(screening.planned_games),
        fixed(screening.planned_match_precision, 1),
        screening.method
    )) + &table(head, &body)
        + &format!(
            "<details><summary>The parameters as a file to edit</summary>\n<pre><code>{}</code></pre>\n</details>\n",
            Escaped(&screening.file())
        );
    Some(Section::new("screening", "What a step is worth", text))
}
