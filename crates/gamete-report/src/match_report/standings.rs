use std::fmt::Write;

use gamete_lab::{ContestantView, MatchView};

use crate::page::{Section, note, table};
use crate::text::{Escaped, count, counted, fixed, percent, points};

/// Everybody with points, Elo and faults, the best first.
pub fn standings(view: &MatchView) -> Section {
    let rated = view.contestants.iter().any(|one| one.rating.is_some());
    let paired = view.contestants.iter().any(|one| one.ptnml.is_some());
    let mut body = String::new();
    for one in in_order(view) {
        let _ = write!(
            body,
            "<tr><th scope=\"row\" title=\"{}\">{}</th><td class=\"left\">{}</td><td>{}</td><td>{} / {} / {}</td><td>{}</td>\
             <td class=\"main\">{}</td><td>{}</td>",
            Escaped(&one.what),
            Escaped(&one.name),
            Escaped(&one.limits),
            count(one.games),
            count(one.wins),
            count(one.draws),
            count(one.losses),
            percent(one.score, 1.0),
            elo(one),
            percent(one.los, 1.0),
        );
        if rated {
            let rating = one.rating.zip(one.rating_margin);
            let text = rating.map_or_else(
                || "–".to_owned(),
                |(elo, margin)| format!("{} ± {}", fixed(elo, 0), fixed(margin, 0)),
            );
            let _ = write!(body, "<td>{text}</td>");
        }
        if paired {
            let text = one.ptnml.map_or_else(|| "–".to_owned(), |counts| counts.map(count).join(" / "));
            let _ = write!(body, "<td>{text}</td>");
        }
        let _ = writeln!(body, "<td>{}</td></tr>", count(faults(one)));
    }
    let mut head =
        "<tr><th></th><th class=\"left\">limits</th><th>games</th><th>won / drawn / lost</th><th>score</th>\
                    <th>Elo [95 % interval]</th><th title=\"likelihood of superiority\">LOS</th>"
            .to_owned();
    if rated {
        head.push_str("<th>rating</th>");
    }
    if paired {
        head.push_str("<th>pairs with 0 / ½ / 1 / 1½ / 2 points</th>");
    }
    head.push_str("<th title=\"games lost by time, illegal moves, crashes or silence\">faults</th></tr>");
    let unit = if view.has_pairs() { "pairs of games" } else { "games" };
    let mut text = note(&format!("Elo is over the opponents, with a 95 % interval over {unit}."));
    if rated {
        text.push_str(&note("Ratings are by all games together, 0 on average."));
    }
    text.push_str(&table(&head, &body));
    text.push_str(&fault_notes(view));
    if view.kept_games > 0 {
        let verbs = if view.kept_games == 1 { "is over and waits" } else { "are over and wait" };
        text.push_str(&note(&format!(
            "Besides these, {} {verbs} for others from the same opening.",
            counted(view.kept_games, "game")
        )));
    }
    Section::new("standings", "Standings", text)
}

/// As the tournament ranks them, or by their points.
fn in_order(view: &MatchView) -> Vec<&ContestantView> {
    let mut all: Vec<&ContestantView> = view.contestants.iter().collect();
    match &view.ranking {
        Some(ranking) => all.sort_by_key(|one| ranking.iter().position(|name| *name == one.name)),
        None if all.len() > 2 => all.sort_by(|one, other| other.score.total_cmp(&one.score)),
        None => {}
    }
    all
}

fn elo(one: &ContestantView) -> String {
    if one.games == 0 {
        return "–".to_owned();
    }
    gamete_stats::elo_text(one.elo, one.interval(), |elo| fixed(elo, 0))
}

fn faults(one: &ContestantView) -> u64 {
    one.faults.time_losses + one.faults.illegal_moves + one.faults.disconnects + one.faults.stalls
}

fn fault_notes(view: &MatchView) -> String {
    let mut text = String::new();
    for one in &view.contestants {
        let kinds = one.faults.kinds().into_iter().filter(|(count, _)| *count > 0);
        let kinds: Vec<_> = kinds.map(|(games, kind)| format!("{} {kind}", count(games))).collect();
        if !kinds.is_empty() {
            text.push_str(&note(&format!("{}: {}.", Escaped(&one.name), kinds.join(", "))));
        }
    }
    text
}

/// Points of everybody against everybody else, where there are more than two.
pub fn cross_table(view: &MatchView) -> Option<Section> {
    if view.contestants.len() < 3 {
        return None;
    }
    let index = |one: &ContestantView| view.contestants.iter().position(|other| other.name == one.name);
    let order: Vec<usize> = in_order(view).into_iter().filter_map(index).collect();
    let mut head = "<tr><th></th>".to_owned();
    let mut body = String::new();
    for (place, &row) in order.iter().enumerate() {
        let _ = write!(head, "<th title=\"{}\">{}</th>", Escaped(&view.contestants[row].name), place + 1);
        let _ = write!(
            body,
            "<tr><th scope=\"row\">{}. {}</th>",
            place + 1,
            Escaped(&view.contestants[row].name)
        );
        for &column in &order {
            let [wins, draws, losses] = view.table[row][column];
            let games = wins + draws + losses;
            if row == column || games == 0 {
                body.push_str("<td>–</td>");
            } else {
                let _ = write!(
                    body,
                    "<td title=\"{wins} won, {draws} drawn, {losses} lost\">{} of {}</td>",
                    points(2 * wins + draws),
                    count(games)
                );
            }
        }
        body.push_str("</tr>\n");
    }
    head.push_str("</tr>");
    let text = note("Points of each in the games against each other one.") + &table(&head, &body);
    Some(Section::new("table", "Cross table", text))
}
