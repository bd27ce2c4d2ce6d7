use super::{COLORS, OnBoards, over_squares};
use crate::chart::{Axis, Lines, Series, Size};
use crate::page::{Section, figure, figures, note};
use crate::published::KING_IN_MEN;
use crate::squares::{NEARLY_NOTHING, SQUARES, Weights};
use crate::text::percent;

/// How many men a king is worth, by square and by generation.
pub fn kings(run: &OnBoards) -> Section {
    let text = note(&format!(
        "What a king is worth in men on the same square, counted from the owner’s side, and the mean king in mean men. Where \
         the man is worth less than {} of the root mean square of men, it is no measure and left out{}.",
        percent(NEARLY_NOTHING, 1.0),
        left_out(run)
    )) + &figures(
        "large",
        &(figure("King / man by square", &by_square(run))
            + &figure("Mean king / mean man by generation", &by_generation(run))),
    );
    Section::new("kings", "Kings and men", text)
}

/// The squares that are.
fn left_out(run: &OnBoards) -> String {
    let mut words = String::new();
    for (owner, pieces) in run.last().owners() {
        let ratio = pieces.ratio();
        let is_small = |square: &usize| {
            !pieces.men.at(*square).is_nan()
                && !pieces.kings.at(*square).is_nan()
                && ratio.at(*square).is_nan()
        };
        let squares: Vec<String> = SQUARES.filter(is_small).map(|square| square.to_string()).collect();
        if !squares.is_empty() {
            words.push_str(&format!("; of {owner} on {}", squares.join(", ")));
        }
    }
    words
}

fn by_square(run: &OnBoards) -> String {
    let owners = run.last().owners();
    let series: Vec<Series> = (owners.iter().zip(COLORS))
        .map(|((owner, pieces), color)| over_squares(owner, color, &pieces.ratio()))
        .collect();
    let about = "Value of a king in men by square";
    let mark = Some((1.0, "a man"));
    Lines { about, axis: Axis::Linear, unit: "", size: Size::LARGE, series, mark }.over("square", &[])
}

fn by_generation(run: &OnBoards) -> String {
    let owners = run.last().owners();
    let ratio = |side: usize| move |weights: &Weights| weights.owners()[side].1.ratio_of_means();
    let series: Vec<Series> = (owners.iter().zip(COLORS).enumerate())
        .map(|(side, ((owner, _), color))| run.by_generation(owner, color, ratio(side)))
        .collect();
    let about = "Mean king / mean man by generation";
    let mark = run.boards.symmetric.then_some((KING_IN_MEN, "published 1.23"));
    Lines { about, axis: Axis::Linear, unit: "", size: Size::LARGE, series, mark }.svg()
}
