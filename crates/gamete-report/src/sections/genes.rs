use gamete_lab::Generation;

use super::{MAX_GENES, left_out, only_on_boards};
use crate::chart::{Axis, Lines, Point, Series, Size};
use crate::page::{Section, figure, figures, in_units, note};
use crate::subject::{Arm, Run, Unit};
use crate::text::Escaped;

/// The mean of each gene by generation, all together and each with its deviation.
pub fn genes(arm: &Arm, run: &Run) -> Section {
    if only_on_boards(arm) {
        let text = note("A line for each weight, of all pieces and squares.")
            + &figures("large", &(means(arm, run, Unit::Raw) + &deviations(arm, run, Unit::Raw)));
        return Section::new("genes", "Values by generation", text);
    }
    let mut text = note(&format!(
        "Means over the population by generation; bands reach one standard deviation to both sides. Dashed lines are \
         the {} values.",
        arm.known()
    ));
    text.push_str(&in_units(Some(arm), |unit| match arm.view.genes.len() {
        1 => figures("large", &(one(arm, run, unit, 0, Size::LARGE) + &deviations(arm, run, unit))),
        _ => {
            let each =
                (0..arm.view.genes.len().min(MAX_GENES)).map(|gene| one(arm, run, unit, gene, Size::SMALL));
            figures("large", &(means(arm, run, unit) + &deviations(arm, run, unit)))
                + &figures("", &each.collect::<String>())
        }
    }));
    text.push_str(&left_out(arm.view.genes.len()));
    Section::new("genes", "Values by generation", text)
}

fn means(arm: &Arm, run: &Run, unit: Unit) -> String {
    let value = |row: &Generation, gene: usize| shown(unit, row, row.spread[gene].mean);
    figure("Mean", &all(arm, run, "Mean of each gene by generation", Axis::Linear, value))
}

fn deviations(arm: &Arm, run: &Run, unit: Unit) -> String {
    let value = |row: &Generation, gene: usize| shown(unit, row, row.spread[gene].sd);
    let about = "Standard deviation of each gene by generation";
    figure("Standard deviation, logarithmic", &all(arm, run, about, Axis::Log, value))
}

fn all(arm: &Arm, run: &Run, about: &str, axis: Axis, value: impl Fn(&Generation, usize) -> f64) -> String {
    let points = |gene| {
        run.generations.iter().map(|row| Point::new(f64::from(row.number), value(row, gene))).collect()
    };
    let series = arm.view.genes.iter().enumerate();
    let series = series.map(|(gene, name)| Series { name: name.clone(), color: gene, points: points(gene) });
    Lines { about, axis, unit: "", size: Size::LARGE, series: series.collect(), mark: None }.svg()
}

fn one(arm: &Arm, run: &Run, unit: Unit, gene: usize, size: Size) -> String {
    let point = |row: &Generation| {
        let spread = row.spread[gene];
        Point {
            x: f64::from(row.number),
            y: shown(unit, row, spread.mean),
            low: shown(unit, row, spread.mean - spread.sd),
            high: shown(unit, row, spread.mean + spread.sd),
        }
    };
    let name = &arm.view.genes[gene];
    let mark = arm.classical_in(unit, name);
    let points = run.generations.iter().map(point).collect();
    let chart = Lines {
        about: &format!("{name} by generation"),
        axis: Axis::Linear,
        unit: "",
        size,
        series: vec![Series { name: name.clone(), color: gene, points }],
        mark: mark.is_finite().then_some((mark, arm.known())),
    };
    figure(&Escaped(name).to_string(), &chart.svg())
}

fn shown(unit: Unit, row: &Generation, value: f64) -> f64 {
    unit.show(value, |gene| row.spread[gene].mean)
}
