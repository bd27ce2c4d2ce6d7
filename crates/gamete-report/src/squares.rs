//! A weight for each square of a board of checkers, and what can be asked of such weights.

use std::ops::Range;

use gamete_lab::{WeightSource, WeightView};

use crate::subject::Arm;

/// The squares have the numbers 1 to 32, from Black's side.
pub const SQUARES: Range<usize> = 1..33;

/// The four squares nearest to the owner.
pub const BACK_RANK: [usize; 4] = [1, 2, 3, 4];
/// Those in the middle of the board.
pub const CENTRE: [usize; 4] = [14, 15, 18, 19];

/// A man that is worth less than this share of the root mean square of men is no measure for a king.
pub const NEARLY_NOTHING: f64 = 0.25;

/// The weights of one kind of piece by square; not a number where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table([f64; 32]);

/// The weights of men and kings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pieces {
    pub men: Table,
    pub kings: Table,
}

/// One kind of piece.
pub type Kind = fn(&Pieces) -> &Table;

pub const MEN: Kind = |pieces| &pieces.men;
pub const KINGS: Kind = |pieces| &pieces.kings;

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
    source: WeightSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    BlackMan,
    BlackKing,
    WhiteMan,
    WhiteKing,
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

    /// A piece of White as White sees it: squares counted from White's side, and positive what is good for White.
    pub fn turned(&self) -> Self {
        Self(std::array::from_fn(|index| -self.0[31 - index]))
    }

    /// The mean over these squares of the weights that there are.
    pub fn mean(&self, squares: impl IntoIterator<Item = usize>) -> f64 {
        mean(squares.into_iter().map(|square| self.at(square)))
    }

    /// How large weights are, whatever their signs.
    pub fn root_mean_square(&self) -> f64 {
        mean(self.0.into_iter().map(|weight| weight * weight)).sqrt()
    }

    /// How many weights are positive as they should be for their owner, and how many there are.
    pub fn positive(&self) -> (usize, usize) {
        let weights = self.0.iter().filter(|weight| !weight.is_nan());
        (weights.clone().filter(|&&weight| weight > 0.0).count(), weights.count())
    }

    /// The mean of all squares but the back rank and the centre.
    pub fn elsewhere(&self) -> f64 {
        self.mean(SQUARES.filter(|square| !BACK_RANK.contains(square) && !CENTRE.contains(square)))
    }

    /// The square with the highest weight, the first of several.
    pub fn highest_square(&self) -> Option<usize> {
        highest(SQUARES.map(|square| (square, self.at(square))))
    }

    /// The rank, counted from the owner, with the highest mean.
    pub fn highest_rank(&self) -> Option<usize> {
        highest((1..=8).map(|rank| (rank, self.mean(4 * rank - 3..=4 * rank))))
    }

    fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|index| self.0[index] - other.0[index]))
    }
}

/// The mean of those that are numbers, not a number if none is.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values
        .filter(|value| !value.is_nan())
        .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// The number of the highest value, the first of several.
fn highest(numbered: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    let better = |best: Option<(usize, f64)>, next: (usize, f64)| match best {
        Some(best) if next.1.is_nan() || next.1 <= best.1 => Some(best),
        None if next.1.is_nan() => None,
        _ => Some(next),
    };
    numbered.fold(None, better).map(|(number, _)| number)
}

impl Pieces {
    const EMPTY: Self = Self { men: Table::EMPTY, kings: Table::EMPTY };

    /// Men and kings of White as White sees them.
    pub fn turned(&self) -> Self {
        Self { men: self.men.turned(), kings: self.kings.turned() }
    }

    /// How many men a king is worth on each square, where the man is worth enough to tell.
    pub fn ratio(&self) -> Table {
        Table(std::array::from_fn(|index| self.in_men(self.kings.0[index], self.men.0[index])))
    }

    /// How many men a king is worth in the mean, if men are worth enough to tell.
    pub fn ratio_of_means(&self) -> f64 {
        self.in_men(self.kings.mean(SQUARES), self.men.mean(SQUARES))
    }

    /// The smallest and the largest of the ratios of single squares.
    pub fn range_of_ratios(&self) -> [f64; 2] {
        let ratios = self.ratio().0;
        [f64::min, f64::max].map(|choose| ratios.into_iter().fold(f64::NAN, choose))
    }

    fn in_men(&self, king: f64, man: f64) -> f64 {
        let enough = man.abs() >= NEARLY_NOTHING * self.men.root_mean_square() && man != 0.0;
        if enough { king / man } else { f64::NAN }
    }
}

impl Weights {
    /// The pieces of each side as their owner sees them, and whose they are.
    pub fn owners(&self) -> Vec<(&'static str, Pieces)> {
        match self.white {
            Some(white) => vec![("Black", self.black), ("White", white.turned())],
            None => vec![("both sides", self.black)],
        }
    }

    /// What is left of w(s) for Black and w(33 − s) for White together: nothing where a square is worth the same to both
    /// owners.
    pub fn residual(&self) -> Option<Pieces> {
        let white = self.white?.turned();
        let Pieces { men, kings } = self.black;
        Some(Pieces { men: men.minus(&white.men), kings: kings.minus(&white.kings) })
    }

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
        let players = arm.view.players.as_ref()?;
        let symmetric = match players.model.as_str() {
            "checkers/squares" => false,
            "checkers/squares-symmetric" => true,
            _ => return None,
        };
        let place = |weight: &WeightView| {
            let (piece, square) = weight.name.rsplit_once('_')?;
            let piece = match piece {
                "black_man" | "man" => Piece::BlackMan,
                "black_king" | "king" => Piece::BlackKing,
                "white_man" => Piece::WhiteMan,
                "white_king" => Piece::WhiteKing,
                _ => return None,
            };
            let square = square.parse().ok().filter(|square| SQUARES.contains(square))?;
            Some(Place { piece, square, source: weight.source })
        };
        let places = players.weights.iter().filter_map(place).collect();
        Some(Self { symmetric, places })
    }

    /// The weights where each gene has the value that `gene` tells.
    pub fn weights(&self, gene: impl Fn(usize) -> f64) -> Weights {
        self.fill(|source| source.value(&gene))
    }

    /// How far each weight is spread where genes have the deviations that `gene` tells.
    pub fn deviations(&self, gene: impl Fn(usize) -> f64) -> Weights {
        self.fill(|source| match source {
            WeightSource::Evolved(index) => gene(index),
            WeightSource::Pinned(_) => 0.0,
        })
    }

    fn fill(&self, value: impl Fn(WeightSource) -> f64) -> Weights {
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
    use gamete_lab::{ArmView, Experiment};

    use super::*;

    /// An experiment without runs.
    pub fn arm(preset: &str, changes: &[&str]) -> Arm {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        let experiment = Experiment::load(preset, &changes, None).unwrap();
        Arm { view: ArmView::new("", &experiment), title: preset.to_owned(), runs: Vec::new() }
    }

    #[test]
    fn each_gene_stands_on_the_square_it_is_named_after() {
        let arm = arm("piece-difference", &[]);
        let boards = Boards::of(&arm).unwrap();
        let weights = boards.weights(|gene| gene as f64);
        let gene = |name: &str| arm.view.genes.iter().position(|gene| gene == name).unwrap() as f64;
        let white = weights.white.unwrap();
        assert_eq!(weights.black.men.at(7), gene("black_man_7"));
        assert_eq!(weights.black.kings.at(32), gene("black_king_32"));
        assert_eq!(white.men.at(5), gene("white_man_5"));
        assert_eq!(white.kings.at(1), gene("white_king_1"));
        assert!(weights.black.men.at(29).is_nan() && white.men.at(4).is_nan(), "no men there");
        assert_eq!(white.men.turned().at(28), -gene("white_man_5"));
        assert!(white.men.turned().at(29).is_nan());
        assert_eq!(weights.tables().len(), 4);
    }

    #[test]
    fn nothing_is_left_of_weights_that_are_the_same_for_both_owners() {
        let arm = arm("piece-difference", &[]);
        let boards = Boards::of(&arm).unwrap();
        // A square is worth its number to its owner; White's king on 30, Black's square 3, half a man more.
        let value = |gene: usize| {
            let (piece, square) = arm.view.genes[gene].rsplit_once('_').unwrap();
            let square: f64 = square.parse().unwrap();
            match piece {
                "black_man" | "black_king" => square,
                "white_king" if square == 30.0 => square - 33.5,
                _ => square - 33.0,
            }
        };
        let residual = boards.weights(value).residual().unwrap();
        assert_eq!(residual.men.root_mean_square(), 0.0);
        assert!(residual.men.at(29).is_nan());
        assert_eq!((residual.kings.at(3), residual.kings.at(30)), (-0.5, 0.0));
        assert!((residual.kings.root_mean_square() - 0.5 / 32_f64.sqrt()).abs() < 1e-12);
        let black = boards.weights(value).owners()[0].1;
        assert_eq!(boards.weights(value).owners()[1].1.men.values()[..28], black.men.values()[..28]);
    }

    #[test]
    fn kings_are_measured_by_men_that_are_worth_something() {
        let mut pieces = Pieces::EMPTY;
        (pieces.men.0[0], pieces.men.0[1], pieces.men.0[2]) = (2.0, 0.1, -2.0);
        (pieces.kings.0[0], pieces.kings.0[1], pieces.kings.0[3]) = (3.0, 3.0, 6.0);
        let ratio = pieces.ratio();
        assert_eq!(ratio.at(1), 1.5);
        assert!(ratio.at(2).is_nan(), "a tenth of a man is no measure");
        assert!(ratio.at(3).is_nan() && ratio.at(4).is_nan(), "there is only one of them");
        assert!(pieces.ratio_of_means().is_nan(), "men are worth nothing in the mean");
        pieces.men.0[2] = 2.0;
        assert!((pieces.ratio_of_means() - 4.0 / (4.1 / 3.0)).abs() < 1e-12);
        assert!(Pieces::EMPTY.ratio_of_means().is_nan());
        pieces.kings.0[2] = -1.0;
        assert_eq!(pieces.range_of_ratios(), [-0.5, 1.5]);
        pieces.men.0[..3].fill(0.0);
        assert!(pieces.ratio().at(1).is_nan(), "nothing is no measure either");
    }

    #[test]
    fn regions_are_means_of_what_is_there() {
        let mut table = Table::EMPTY;
        assert_eq!((table.positive(), table.highest_square(), table.highest_rank()), ((0, 0), None, None));
        assert!(table.mean(BACK_RANK).is_nan());
        table.0[..28].fill(1.0);
        assert_eq!((table.highest_square(), table.highest_rank()), (Some(1), Some(1)), "the first of equals");
        (table.0[0], table.0[1], table.0[2], table.0[3]) = (3.0, 5.0, 4.0, -8.0);
        (table.0[13], table.0[14], table.0[17], table.0[18]) = (0.0, 2.0, 4.0, f64::NAN);
        table.0[20] = 7.0;
        assert_eq!(table.positive(), (25, 27), "neither nothing nor less is positive");
        assert_eq!((table.mean(BACK_RANK), table.mean(1..=3), table.mean(CENTRE)), (1.0, 4.0, 2.0));
        assert_eq!(table.elsewhere(), 26.0 / 20.0);
        assert_eq!(table.highest_square(), Some(21));
        assert_eq!(table.highest_rank(), Some(6), "that of squares 21 to 24, of 10 a quarter");
    }

    #[test]
    fn what_is_pinned_has_no_deviation() {
        let boards = Boards::of(&arm("piece-difference-symmetric", &["weights.king_4=2"])).unwrap();
        let deviations = boards.deviations(|_| 0.5).black;
        assert_eq!((deviations.kings.at(3), deviations.kings.at(4)), (0.5, 0.0));
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
        assert_eq!(arm.view.genes.len(), 119);
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
