use std::fmt::Write;

use gamete_stats::Sample;

use super::charts::{MAX_ARMS, arm_strip};
use crate::chart::Strips;
use crate::mean_text::mean_text;
use crate::page::{Section, figure, figures, in_units, note, table};
use crate::sections::{MAX_GENES, left_out};
use crate::subject::{Arm, Subject, Unit};
use crate::text::{Escaped, short};

/// What the arms came to, gene by gene.
pub fn champions(subject: &Subject, genes: &[String]) -> Section {
    let answer = subject.arms.first().map_or("its answer", |arm| arm.view.answer.as_str());
    let mut text = note(&format!(
        "The champion of a run is {answer}. Dots are replicates, bars their mean with the 95 % interval. Champions whose \
         pawn is not worth more than nothing have no place where the pawn is 100."
    ));
    text.push_str(&in_units(subject.arms.first(), |unit| {
        values(subject, genes, unit) + &charts(subject, genes, unit)
    }));
    text.push_str(&left_out(genes.len()));
    Section::new("champions", "Champions", text)
}

fn values_of(arm: &Arm, gene: usize, unit: Unit) -> Vec<f64> {
    arm.runs.iter().map(|run| unit.show(run.champion[gene], |gene| run.champion[gene])).collect()
}

fn values(subject: &Subject, genes: &[String], unit: Unit) -> String {
    let Some(first) = subject.arms.first() else { return String::new() };
    let mut head = String::from("<tr><th></th>");
    for arm in &subject.arms {
        let _ = write!(head, "<th>{}</th>", Escaped(&arm.title));
    }
    let _ = write!(head, "<th class=\"edge\">{}</th></tr>", first.known());
    let mut body = String::new();
    for (gene, name) in genes.iter().enumerate() {
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", Escaped(name));
        for arm in &subject.arms {
            let _ = write!(body, "<td>{}</td>", mean_text(&Sample::of(values_of(arm, gene, unit))));
        }
        let _ = writeln!(body, "<td class=\"edge\">{}</td></tr>", short(first.classical_in(unit, name)));
    }
    table(&head, &body)
}

fn charts(subject: &Subject, genes: &[String], unit: Unit) -> String {
    let mut all = String::new();
    for gene in (0..genes.len()).filter(|&gene| !unit.is(gene)).take(MAX_GENES) {
        let name = &genes[gene];
        let rows = subject.arms.iter().enumerate().take(MAX_ARMS);
        let rows = rows.map(|(color, arm)| arm_strip(arm, color, values_of(arm, gene, unit))).collect();
        let about = format!("{name} of the champions, by arm");
        let chart = Strips { about: &about, name: "", width: 350.0, row: 30.0, rows };
        all.push_str(&figure(&Escaped(name).to_string(), &chart.svg()));
    }
    figures("", &all)
}
