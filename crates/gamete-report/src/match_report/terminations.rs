use std::fmt::Write;

use gamete_lab::MatchView;

use crate::page::{Section, note, table};
use crate::text::{Escaped, count, percent};

/// How games ended.
pub fn terminations(view: &MatchView) -> Section {
    if view.terminations.is_empty() {
        return Section::new("terminations", "Ends of games", note("No encounter is complete yet."));
    }
    // Of more than two it would be a wide table of small numbers.
    let winners =
        if let [first, second] = view.contestants.as_slice() { vec![first, second] } else { Vec::new() };
    let mut body = String::new();
    for one in &view.terminations {
        let _ = write!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>",
            Escaped(&one.termination),
            count(one.games),
            percent(one.games as f64, view.games as f64)
        );
        for won in one.won_by.iter().take(winners.len()) {
            let _ = write!(body, "<td>{}</td>", count(*won));
        }
        body.push_str("</tr>\n");
    }
    let winners: String =
        winners.iter().map(|one| format!("<th>won by {}</th>", Escaped(&one.name))).collect();
    let head = format!("<tr><th></th><th>games</th><th>share</th>{winners}</tr>");
    Section::new("terminations", "Ends of games", table(&head, &body))
}
