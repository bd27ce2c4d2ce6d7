use super::{MAX_GENES, left_out, only_on_boards};
use crate::chart::{Axis, Lines, Point, Series, Size, Strip, Strips};
use crate::page::{Section, figure, figures, note};
use crate::subject::{Arm, Run};
use crate::text::short;

/// How the population draws together, and where its genes lie in the end.
pub fn convergence(arm: &Arm, run: &Run) -> Section {
    let mut words = String::from(
        "The convergence factor is the geometric mean over all genes of the deviation, relative to that at the start: \
         below 1 the population draws together, above 1 it drifts apart.",
    );
    let mut all = figure("Convergence factor, logarithmic", &factor(run));
    let mut rest = String::new();
    if !only_on_boards(arm) {
        words.push_str(
            " Beside it a dot for each player of the last population, the mean marked, and fainter behind them those \
             of the population at the start.",
        );
        all.push_str(&figure("First and last population, raw values", &populations(arm, run)));
        rest = left_out(arm.view.genes.len());
    }
    let text = note(&words) + &figures("large", &all) + &rest;
    Section::new("convergence", "Convergence", text)
}

fn factor(run: &Run) -> String {
    let points = run
        .generations
        .iter()
        .zip(run.convergence())
        .map(|(row, factor)| Point::new(f64::from(row.number), factor))
        .collect();
    let series = vec![Series { name: "convergence factor".to_owned(), color: 0, points }];
    let about = "Convergence factor by generation";
    Lines { about, axis: Axis::Log, unit: "", size: Size::LARGE, series, mark: None }.svg()
}

fn populations(arm: &Arm, run: &Run) -> String {
    let of = |population: &[Vec<f64>], gene: usize| population.iter().map(|genome| genome[gene]).collect();
    let rows = arm.view.genes.iter().enumerate().take(MAX_GENES).map(|(gene, name)| {
        let [first, last] = [&run.generations[0], run.last()].map(|row| row.spread[gene]);
        Strip {
            name: name.clone(),
            color: gene,
            dots: of(&run.last_population, gene),
            behind: of(&run.first_population, gene),
            mark: last.mean,
            interval: None,
            hint: format!(
                "{name}\nat the start {} ± {}\nat the end {} ± {}",
                short(first.mean),
                short(first.sd),
                short(last.mean),
                short(last.sd)
            ),
        }
    });
    let rows: Vec<Strip> = rows.collect();
    // As high as the chart beside it, where that is enough.
    let room = (Size::LARGE.1 - 30.0) / rows.len().max(1) as f64;
    let about = "Genes of the first and the last population";
    Strips { about, name: "", width: Size::LARGE.0, row: room.clamp(26.0, 60.0), rows }.svg()
}
