use super::{COLORS, OnBoards, over_squares, squares_of};
use crate::chart::{Axis, Lines, Point, Series, Size};
use crate::page::{Section, figure, figures, note};
use crate::squares::{KINGS, Kind, MEN, Pieces};

/// The weights as the paper draws them: lines over the numbers of the squares.
pub fn by_square(run: &OnBoards) -> Section {
    let sides = sides(run);
    let (words, all) = if let [black, white] = &sides[..] {
        let chart = |caption, kind| {
            draw(caption, [black.line("Black", 0, kind), white.line("White, reversed", 1, kind)])
        };
        let words = "White is reversed, as White sees it: over square s stands −w(33 − s).";
        (words, chart("Men", MEN) + &chart("Kings", KINGS))
    } else {
        let lines = [sides[0].line("men", 0, MEN), sides[0].line("kings", 1, KINGS)];
        ("Squares are counted from the owner’s side.", draw("Men and kings", lines))
    };
    let text = note(&format!(
        "Weights after the last generation over the number of the square. Lines are means over the population, bands \
         reach one deviation to both sides, and dots are the champion’s. {words}"
    )) + &figures("large", &all);
    Section::new("by-square", "By square", text)
}

/// The pieces of a side as their owner sees them.
struct Side {
    mean: Pieces,
    deviation: Pieces,
    champion: Pieces,
}

fn sides(run: &OnBoards) -> Vec<Side> {
    let last = run.run.last();
    let deviations = run.boards.deviations(|gene| last.spread[gene].sd).owners();
    let champion = run.boards.weights(|gene| run.run.champion[gene]).owners();
    let all = run.last().owners().into_iter().zip(deviations).zip(champion);
    all.map(|(((_, mean), (_, deviation)), (_, champion))| Side { mean, deviation, champion }).collect()
}

impl Side {
    /// The line of one kind of piece, and the champion's dots.
    fn line(&self, name: &str, color: usize, kind: Kind) -> [Series; 2] {
        let point = |square: usize| {
            let y = kind(&self.mean).at(square);
            // Turned round, a deviation has a sign.
            let reach = kind(&self.deviation).at(square).abs();
            Point { x: square as f64, y, low: y - reach, high: y + reach }
        };
        let color = COLORS[color];
        [
            Series {
                name: name.to_owned(),
                color,
                points: squares_of(kind(&self.mean)).map(point).collect(),
            },
            over_squares(&format!("{name}, champion"), color, kind(&self.champion)),
        ]
    }
}

fn draw(caption: &str, lines: [[Series; 2]; 2]) -> String {
    let [[one, dots_of_one], [other, dots_of_other]] = lines;
    let lines = Lines {
        about: &format!("{caption}: weights by square"),
        axis: Axis::Linear,
        unit: "",
        size: Size::LARGE,
        series: vec![one, other],
        mark: Some((0.0, "")),
    };
    figure(caption, &lines.over("square", &[dots_of_one, dots_of_other]))
}
