use std::fmt::Write;

use gamete_lab::{Differences, KindDifferences};

use crate::page::{Section, note, table};
use crate::subject::Subject;
use crate::text::{Escaped, count, counted, fixed};

/// What moves are told apart by, in the words of the page.
const TITLES: [(&str, &str); 3] = [
    ("action", "what the expert’s move does"),
    ("check", "whether it gives check"),
    ("piece", "the piece that it moves"),
];

/// On which moves the champions differ from the experts, arm by arm.
pub fn differences(subject: &Subject) -> Option<Section> {
    let found = &subject.view.conclusion.as_ref()?.differences;
    let mut text = String::new();
    for (index, arm) in subject.arms.iter().enumerate() {
        let own = found.iter().filter(|run| run.arm == index);
        let all: Vec<&Differences> = own.map(|run| &run.differences).collect();
        let Some(first) = all.first() else { continue };
        let runs = match all.len() {
            1 => "the champion".to_owned(),
            many => format!("the champions of {}, all together", counted(many as u64, "run")),
        };
        let title =
            if subject.view.has_arms { format!("{}: of", Escaped(&arm.title)) } else { "Of".to_owned() };
        text.push_str(&note(&format!(
            "{title} {runs}, in the {} positions that nothing was learned from: how often the expert’s move is chosen, by what that \
             move is, and what is chosen where it is not, in per cent of the positions of the row. The piece that is moved instead \
             may be another one of the same kind, or the same one to another square.",
            count(first.positions.into())
        )));
        for (property, title) in TITLES {
            let kinds = sum(&all, property);
            // Games without checks, or with one kind of piece, have nothing to tell apart.
            if kinds.len() > 1 {
                text.push_str(&kinds_table(title, &kinds, all.len() as u32));
            }
        }
    }
    (!text.is_empty()).then(|| Section::new("differences", "Where it differs", text))
}

/// The kinds of all champions together, the most frequent first.
fn sum(all: &[&Differences], property: &str) -> Vec<KindDifferences> {
    let mut total: Vec<KindDifferences> = Vec::new();
    let by = all.iter().flat_map(|one| &one.by).filter(|by| by.property == property);
    for own in by.flat_map(|by| &by.kinds) {
        let Some(kind) = total.iter_mut().find(|kind| kind.kind == own.kind) else {
            total.push(own.clone());
            continue;
        };
        kind.positions += own.positions;
        kind.hits += own.hits;
        for (name, more) in &own.instead {
            match kind.instead.iter_mut().find(|(known, _)| known == name) {
                Some((_, number)) => *number += more,
                None => kind.instead.push((name.clone(), *more)),
            }
        }
    }
    total
}

/// A row for each kind of so many champions, who were compared in the same positions.
fn kinds_table(title: &str, kinds: &[KindDifferences], champions: u32) -> String {
    let mut instead: Vec<&str> = kinds.iter().map(|kind| kind.kind.as_str()).collect();
    for (name, _) in kinds.iter().flat_map(|kind| &kind.instead) {
        if !instead.contains(&name.as_str()) {
            instead.push(name);
        }
    }
    let mut head = format!(
        "<tr><th></th><th></th><th></th><th colspan=\"{}\" class=\"group edge\">chosen instead</th></tr>\
         <tr><th>{title}</th><th>positions</th><th>hits</th>",
        instead.len()
    );
    for (index, name) in instead.iter().enumerate() {
        let edge = if index == 0 { " class=\"edge\"" } else { "" };
        let _ = write!(head, "<th{edge}>{}</th>", Escaped(name));
    }
    head.push_str("</tr>");
    let mut body = String::new();
    for kind in kinds {
        let share = |number: u32| fixed(100.0 * f64::from(number) / f64::from(kind.positions.max(1)), 1);
        let _ = write!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"main\">{} %</td>",
            Escaped(&kind.kind),
            count(u64::from(kind.positions / champions.max(1))),
            share(kind.hits)
        );
        for (index, name) in instead.iter().enumerate() {
            let edge = if index == 0 { " class=\"edge\"" } else { "" };
            let chosen = kind.instead.iter().find(|(known, _)| known == name);
            let cell = chosen.map_or_else(|| "–".to_owned(), |(_, number)| share(*number));
            let _ = write!(body, "<td{edge}>{cell}</td>");
        }
        body.push_str("</tr>\n");
    }
    table(&head, &body)
}

#[cfg(test)]
mod tests {
    use gamete_lab::DifferencesBy;

    use super::*;

    #[test]
    fn champions_are_put_together() {
        let kind = |positions, hits, instead: &[(&str, u32)]| KindDifferences {
            kind: "knight".to_owned(),
            positions,
            hits,
            instead: instead.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect(),
        };
        let one = |kind| Differences {
            positions: 10,
            hits: 1,
            by: vec![DifferencesBy { property: "piece".to_owned(), kinds: vec![kind] }],
        };
        let [first, second] = [one(kind(4, 1, &[("pawn", 3)])), one(kind(6, 3, &[("pawn", 1), ("king", 2)]))];
        let both = kind(10, 4, &[("pawn", 4), ("king", 2)]);
        let total = sum(&[&first, &second], "piece");
        assert_eq!(total, [both]);
        let html = kinds_table("the piece", &total, 2);
        assert!(html.contains("<td class=\"main\">40.0 %</td>") && html.contains("<td>20.0</td>"), "{html}");
    }
}
