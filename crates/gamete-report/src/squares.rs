//! A weight for each square of a board of checkers, and what can be asked of such weights.

use std::ops::Range;

use gamete_lab::Gene;

use crate::subject::Arm;

/// The squares have the numbers 1 to 32, from Black's side.
pub const SQUARES: Range<usize> = 1..33;

/// The weights of one kind of piece by square; not a number where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table([f64; 32]);

/// The weights of men and kings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pieces {
    pub men: Table,
    pub kings: Table,
}

/// All weights of a player. What is positive is good for Black.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Those of Black's pieces; of both sides' where the model does not tell them apart.
    pub black: Pieces,
    /// Those of White's pieces where it does.
    pub white: Option<Pieces>,
}

/// Where on the boards each gene of an experiment stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Boards {
    /// Whether one table holds for both sides.
    pub symmetric: bool,
    places: Vec<Place>,
}

#[derive(Debug, Clone, PartialEq)]
struct Place {
    piece: Piece,
    square: usize,
    source: Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    BlackMan,
    BlackKing,
    WhiteMan,
    WhiteKing,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    Gene(usize),
    Pinned(f64),
}

impl Table {
    /// A table without any weight.
    const EMPTY: Self = Self([f64::NAN; 32]);

    /// The weight on a square.
    pub fn at(&self, square: usize) -> f64 {
        self.0[square - 1]
    }

    /// All weights, from square 1.
    pub fn values(&self) -> [f64; 32] {
        self.0
    }
}

impl Pieces {
    const EMPTY: Self = Self { men: Table::EMPTY, kings: Table::EMPTY };
}

impl Weights {
    /// The tables and what stands on them.
    pub fn tables(&self) -> Vec<(&'static str, Table)> {
        let Pieces { men, kings } = self.black;
        match self.white {
            Some(white) => vec![
                ("Black’s men", men),
                ("White’s men", white.men),
                ("Black’s kings", kings),
                ("White’s kings", white.kings),
            ],
            None => vec![("Men", men), ("Kings", kings)],
        }
    }
}

impl Boards {
    /// The boards of an experiment whose model has a weight for each square.
    pub fn of(arm: &Arm) -> Option<Self> {
        let breed = arm.experiment.plan.breed()?;
        let symmetric = match breed.model().name {
            "checkers/squares" => false,
            "checkers/squares-symmetric" => true,
            _ => return None,
        };
        let place = |name: &str| {
            let (piece, square) = name.rsplit_once('_')?;
            let piece = match piece {
                "black_man" | "man" => Piece::BlackMan,
                "black_king" | "king" => Piece::BlackKing,
                "white_man" => Piece::WhiteMan,
                "white_king" => Piece::WhiteKing,
                _ => return None,
            };
            let square = square.parse().ok().filter(|square| SQUARES.contains(square))?;
            let gene = arm.genes.iter().position(|gene| gene == name).map(Source::Gene);
            let source = gene.or_else(|| match breed.weights.get(name)? {
                Gene::Pinned(value) => Some(Source::Pinned(*value)),
                Gene::Free(_) => None,
            })?;
            Some(Place { piece, square, source })
        };
        let places = breed.model().weights.iter().filter_map(|weight| place(weight.name)).collect();
        Some(Self { symmetric, places })
    }

    /// The weights where each gene has the value that `gene` tells.
    pub fn weights(&self, gene: impl Fn(usize) -> f64) -> Weights {
        self.fill(|source| match source {
            Source::Gene(index) => gene(index),
            Source::Pinned(value) => value,
        })
    }

    fn fill(&self, value: impl Fn(Source) -> f64) -> Weights {
        let (mut black, mut white) = (Pieces::EMPTY, Pieces::EMPTY);
        for place in &self.places {
            let table = match place.piece {
                Piece::BlackMan => &mut black.men,
                Piece::BlackKing => &mut black.kings,
                Piece::WhiteMan => &mut white.men,
                Piece::WhiteKing => &mut white.kings,
            };
            let value = value(place.source);
            table.0[place.square - 1] = if value.is_finite() { value } else { f64::NAN };
        }
        Weights { black, white: (!self.symmetric).then_some(white) }
    }
}

#[cfg(test)]
pub mod tests {
    use gamete_lab::Experiment;

    use super::*;

    /// An experiment without runs.
    pub fn arm(preset: &str, changes: &[&str]) -> Arm {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        let experiment = Experiment::load(preset, &changes, None).unwrap();
        Arm { name: String::new(), genes: experiment.genes(), experiment, runs: Vec::new() }
    }

    #[test]
    fn each_gene_stands_on_the_square_it_is_named_after() {
        let arm = arm("piece-difference", &[]);
        let boards = Boards::of(&arm).unwrap();
        let weights = boards.weights(|gene| gene as f64);
        let gene = |name: &str| arm.genes.iter().position(|gene| gene == name).unwrap() as f64;
        let white = weights.white.unwrap();
        assert_eq!(weights.black.men.at(7), gene("black_man_7"));
        assert_eq!(weights.black.kings.at(32), gene("black_king_32"));
        assert_eq!(white.men.at(5), gene("white_man_5"));
        assert_eq!(white.kings.at(1), gene("white_king_1"));
        assert!(weights.black.men.at(29).is_nan() && white.men.at(4).is_nan(), "no men there");
        assert_eq!(weights.tables().len(), 4);
    }

    #[test]
    fn the_symmetric_form_has_two_tables() {
        let weights =
            Boards::of(&arm("piece-difference-symmetric", &[])).unwrap().weights(|gene| gene as f64);
        assert_eq!(weights.white, None);
        assert_eq!((weights.black.men.at(1), weights.black.kings.at(1)), (0.0, 28.0));
        assert_eq!(weights.tables().len(), 2);
    }

    #[test]
    fn a_pinned_weight_is_no_gene_but_stands_on_its_square() {
        let arm = arm("piece-difference", &["weights.black_man_1=2.5"]);
        assert_eq!(arm.genes.len(), 119);
        let weights = Boards::of(&arm).unwrap().weights(|gene| if gene == 0 { 9.0 } else { f64::INFINITY });
        assert_eq!(weights.black.men.at(1), 2.5);
        assert_eq!(weights.black.men.at(2), 9.0);
        assert!(weights.black.men.at(3).is_nan(), "what is no number is no weight");
    }

    #[test]
    fn other_models_have_no_boards() {
        assert_eq!(Boards::of(&arm("kendall-whitwell", &[])), None);
        assert_eq!(Boards::of(&arm("kendall-whitwell", &["model=checkers/material"])), None);
        assert_eq!(Boards::of(&arm("meta-mutation", &[])), None);
    }
}
