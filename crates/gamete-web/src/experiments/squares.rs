//! Weights of squares as boards, for models of checkers that have one for each.

use gamete_lab::{PlayersView, WeightSource};
use serde::Serialize;

/// Where on boards the genes of an experiment stand.
#[derive(Debug, Serialize)]
pub struct Squares {
    boards: Vec<SquareBoard>,
}

/// The weights of one kind of piece.
#[derive(Debug, Serialize)]
struct SquareBoard {
    title: &'static str,
    /// Which gene stands on each square, row by row from the top.
    cells: Vec<Vec<Option<usize>>>,
}

const TITLES: [(&str, &str); 6] = [
    ("black_man", "Black’s men"),
    ("white_man", "White’s men"),
    ("man", "Men"),
    ("black_king", "Black’s kings"),
    ("white_king", "White’s kings"),
    ("king", "Kings"),
];

impl Squares {
    /// The boards of a model that has a weight for each square, as `man_7` or `black_king_32`.
    pub fn of(players: &PlayersView) -> Option<Self> {
        let boards: Vec<SquareBoard> =
            TITLES.iter().filter_map(|&(piece, title)| board(players, piece, title)).collect();
        (!boards.is_empty()).then_some(Self { boards })
    }
}

fn board(players: &PlayersView, piece: &str, title: &'static str) -> Option<SquareBoard> {
    let gene = |square: usize| match players.weight(&format!("{piece}_{square}"))?.source {
        WeightSource::Evolved(gene) => Some(gene),
        WeightSource::Pinned(_) => None,
    };
    let mut cells = vec![vec![None; 8]; 8];
    for square in 1..=32 {
        let (row, place) = ((square - 1) / 4, (square - 1) % 4);
        cells[row][2 * place + usize::from(row % 2 == 0)] = gene(square);
    }
    cells.iter().flatten().any(Option::is_some).then_some(SquareBoard { title, cells })
}

#[cfg(test)]
mod tests {
    use gamete_lab::{ArmView, Experiment};

    use super::*;

    #[test]
    fn genes_stand_on_the_squares_they_are_named_after() {
        let experiment = Experiment::load("piece-difference", &[], None).expect("a preset");
        let arm = ArmView::new("", &experiment);
        let squares = Squares::of(arm.players.as_ref().expect("players")).expect("boards");
        assert_eq!(squares.boards.len(), 4);
        // Square 7 is the third of the second row, 32 the last of the last.
        let gene = |board: usize, row: usize, column: usize| {
            squares.boards[board].cells[row][column].map(|gene| arm.genes[gene].clone())
        };
        assert_eq!(gene(0, 1, 4).as_deref(), Some("black_man_7"));
        assert_eq!(gene(2, 7, 6).as_deref(), Some("black_king_32"));
        let chess = Experiment::load("kendall-whitwell", &[], None).expect("a preset");
        assert!(Squares::of(ArmView::new("", &chess).players.as_ref().expect("players")).is_none());
    }
}
