use std::fmt::Write;

use crate::page::{Section, note, table};
use crate::subject::{Arm, Run, Unit};
use crate::text::{Escaped, counted, fixed};

/// What evolved, beside what was known.
pub fn champion(arm: &Arm, run: &Run) -> Section {
    let mut text = note(&format!(
        "The champion is {}, here of {} after {}; σ, the smallest and the largest value are of that population{}.",
        arm.view.answer,
        counted(run.last_population.len() as u64, "player"),
        counted(run.last().number.into(), "generation"),
        arm.view.judged
    ));
    let pawn = arm.pawn();
    let scaled = pawn.filter(|unit| unit.show(1.0, |gene| run.champion[gene]).is_finite());
    let values = values(arm, run, scaled);
    text.push_str(&match super::only_on_boards(arm) {
        true => {
            format!("<details><summary>All {} weights</summary>\n{values}</details>\n", arm.view.genes.len())
        }
        false => values,
    });
    if pawn != scaled {
        text.push_str(&note(
            "The pawn is not worth more than nothing, so values cannot be told with the pawn as 100.",
        ));
    }
    Section::new("champion", "Champion", text)
}

fn values(arm: &Arm, run: &Run, scaled: Option<Unit>) -> String {
    let known = arm.known();
    let mut head = String::new();
    if scaled.is_some() {
        head.push_str(
            "<tr><th></th><th colspan=\"2\" class=\"group edge\">pawn = 100</th>\
             <th colspan=\"5\" class=\"group edge\">raw values</th></tr>",
        );
    }
    head.push_str("<tr><th></th>");
    if scaled.is_some() {
        let _ = write!(head, "<th class=\"edge\">evolved</th><th>{known}</th>");
    }
    let _ = write!(
        head,
        "<th class=\"edge\">evolved</th><th>{known}</th><th>σ</th><th>smallest</th><th>largest</th></tr>"
    );

    let classical = |gene: usize| arm.classical(&arm.view.genes[gene]).unwrap_or(f64::NAN);
    let decimals = decimals(&run.champion);
    let mut body = String::new();
    for (gene, name) in arm.view.genes.iter().enumerate() {
        let (value, spread) = (run.champion[gene], run.last().spread[gene]);
        let _ = write!(body, "<tr><th scope=\"row\"{}>{}</th>", about(arm, name), Escaped(name));
        if let Some(unit) = scaled {
            let _ = write!(
                body,
                "<td class=\"main edge\">{}</td><td>{}</td>",
                fixed(unit.show(value, |gene| run.champion[gene]), 1),
                fixed(arm.classical_in(unit, name), 1)
            );
        }
        let main = if scaled.is_some() { "edge" } else { "main edge" };
        let _ = write!(body, "<td class=\"{main}\">{}</td>", fixed(value, decimals));
        for number in [classical(gene), spread.sd, spread.min, spread.max] {
            let _ = write!(body, "<td>{}</td>", fixed(number, decimals));
        }
        body.push_str("</tr>\n");
    }
    table(&head, &body)
}

/// As many as a column of these values needs.
fn decimals(values: &[f64]) -> usize {
    match values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs())) {
        large if large >= 1000.0 => 0,
        large if large >= 100.0 => 1,
        _ => 3,
    }
}

/// What a weight multiplies, for those who point at its name.
fn about(arm: &Arm, name: &str) -> String {
    let weight = arm.view.players.as_ref().and_then(|players| players.weight(name));
    weight.map_or_else(String::new, |weight| format!(" title=\"{}\"", Escaped(&weight.about)))
}
