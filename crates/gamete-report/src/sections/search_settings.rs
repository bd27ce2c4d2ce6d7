use std::fmt::Write;

use gamete_stats::Sample;

use super::measured::range_text;
use crate::page::{Section, note, table};
use crate::published::search_setting;
use crate::subject::{Arm, Subject};
use crate::text::{Escaped, short};

/// The settings of the search that were evolved, beside those of the paper.
pub fn search_settings(subject: &Subject) -> Option<Section> {
    let arms: Vec<&Arm> = subject.arms.iter().filter(|arm| !arm.runs.is_empty()).collect();
    let mut genes: Vec<&String> = Vec::new();
    for gene in arms.iter().flat_map(|arm| &arm.view.genes) {
        if gene.starts_with("search.") && !genes.contains(&gene) {
            genes.push(gene);
        }
    }
    let has_published = genes.iter().any(|gene| search_setting(gene).is_some());
    if !has_published {
        return None;
    }
    let mut head = String::from("<tr><th></th>");
    for arm in &arms {
        let _ = write!(head, "<th class=\"edge\">{}</th>", Escaped(&arm.title));
    }
    head.push_str("<th class=\"edge theirs\">published</th></tr>");
    let mut body = String::new();
    for gene in genes {
        let name = gene.trim_start_matches("search.").replace('_', " ");
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", Escaped(&name));
        for arm in &arms {
            let place = arm.view.genes.iter().position(|own| own == gene);
            let values = place.map_or_else(Vec::new, |place| {
                arm.runs.iter().map(|run| run.champion[place]).collect::<Vec<f64>>()
            });
            let whole = Sample::of(values.iter().copied()).mean().fract() == 0.0;
            let _ = write!(
                body,
                "<td class=\"main edge\">{}</td>",
                range_text(&values, if whole { 0 } else { 1 }, "")
            );
        }
        let published = search_setting(gene).map_or_else(|| "–".to_owned(), whole);
        let _ = writeln!(body, "<td class=\"edge theirs\">{published}</td></tr>");
    }
    let text = note(
        "Of the champion, or of several the mean and how far they reach. Published is what David, van den Herik, Koppel and \
         Netanyahu (2014) evolved. Depths are in plies, extensions in quarters of a ply, and futility margins in hundredths of a \
         pawn; 0 and 1 are off and on.",
    ) + &table(&head, &body);
    Some(Section::new("search-settings", "Settings of the search", text))
}

fn whole(value: f64) -> String {
    if value.fract() == 0.0 { crate::text::fixed(value, 0) } else { short(value) }
}
