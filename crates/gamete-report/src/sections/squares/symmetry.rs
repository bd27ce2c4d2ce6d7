use super::{COLORS, OnBoards, over_squares};
use crate::chart::{Axis, Lines, Size};
use crate::page::{Section, figure, figures, note};
use crate::squares::{KINGS, Kind, MEN, Pieces, Weights};

/// Whether the two sides found the same weights, by square and by generation; nothing where they have no choice.
pub fn symmetry(run: &OnBoards) -> Option<Section> {
    let residual = run.last().residual()?;
    let text = note(
        "What is left of w(s) for a piece of Black and w(33 − s) for one of White together: nothing where a square is \
         worth the same to both owners, more than nothing where Black has the better of it. Root mean squares of the \
         weights stand beside that of the residual, of which two tables that have nothing in common leave 1.41 times \
         their size.",
    ) + &figures(
        "large",
        &(figure("Residual by square", &by_square(&residual))
            + &figure("Root mean squares by generation", &by_generation(run))),
    );
    Some(Section::new("symmetry", "Symmetry", text))
}

fn by_square(residual: &Pieces) -> String {
    let series = vec![
        over_squares("men", COLORS[0], &residual.men),
        over_squares("kings", COLORS[1], &residual.kings),
    ];
    let lines = Lines {
        about: "Anti-symmetry residual of men and kings by square",
        axis: Axis::Linear,
        unit: "",
        size: Size::LARGE,
        series,
        mark: Some((0.0, "")),
    };
    lines.over("square", &[])
}

fn by_generation(run: &OnBoards) -> String {
    let left = |weights: &Weights, kind: Kind| {
        weights.residual().map_or(f64::NAN, |residual| kind(&residual).root_mean_square())
    };
    let series = vec![
        run.by_generation("men, residual", 0, |weights| left(weights, MEN)),
        run.by_generation("kings, residual", 1, |weights| left(weights, KINGS)),
        run.by_generation("men", 5, |weights| size(weights, MEN)),
        run.by_generation("kings", 4, |weights| size(weights, KINGS)),
    ];
    let about = "Root mean squares of the residual and of the weights by generation";
    Lines { about, axis: Axis::Linear, unit: "", size: Size::LARGE, series, mark: None }.svg()
}

/// How large the weights of both sides are.
fn size(weights: &Weights, kind: Kind) -> f64 {
    let squares: Vec<f64> =
        weights.owners().iter().map(|(_, pieces)| kind(pieces).root_mean_square().powi(2)).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}
