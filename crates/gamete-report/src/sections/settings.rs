use std::fmt::Write;

use crate::page::{Section, note, table};
use crate::published;
use crate::subject::{Arm, Run};
use crate::text::short;

/// The factors R that an evolution of settings came to, as the papers print them.
pub fn settings(arm: &Arm, run: &Run) -> Option<Section> {
    let found = |key: &str| match arm.view.genes.iter().position(|gene| gene == key) {
        Some(gene) => Some(run.champion[gene]),
        None => arm.view.numbers.get(&format!("inner.{key}")).copied(),
    };
    let factors = ["win_winner", "win_loser", "edge_winner", "edge_loser", "draw"];
    if !arm.view.genes.iter().any(|gene| gene == "scale" || gene.starts_with("mutation.")) {
        return None;
    }
    let scale = found("scale")?;
    let ours = |index: usize| {
        found(&format!("mutation.{}", factors[index])).map_or_else(|| "–".to_owned(), |r| short(scale * r))
    };
    let theirs = |index: usize| {
        let key = format!("mutation.{}", factors[index]);
        published::setting(&key).map_or_else(|| "–".to_owned(), short)
    };
    let mut body = String::new();
    for (outcome, winner, loser) in
        [("two wins", 0, 1), ("a win and a draw", 2, 3), ("two draws, or a win each", 4, 4)]
    {
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{outcome}</th><td class=\"main\">{}</td><td class=\"main\">{}</td><td>{}</td><td>{}</td></tr>",
            ours(winner),
            ours(loser),
            theirs(winner),
            theirs(loser)
        );
    }
    let head = "<tr><th></th><th colspan=\"2\" class=\"group\">evolved</th><th colspan=\"2\" class=\"group\">published</th></tr>\
                <tr><th>match</th><th>winner</th><th>other slot</th><th>winner</th><th>other slot</th></tr>";
    let text = note(
        "The factors R by which the deviation of the population is multiplied when a player changes after a match, any \
         scale included. The other slot is filled with a clone of the winner, except after a match without one.",
    ) + &table(head, &body);
    Some(Section::new("factors", "Factors of the mutation", text))
}
