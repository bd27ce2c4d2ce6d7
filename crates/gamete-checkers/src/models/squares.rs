use gamete_game::{Model, Parameter, Terms};

use super::on_squares::{mean, on_squares};
use super::pieces::{WeightIndices, each_change, each_piece, each_step, in_order_of_squares, weight_of};
use crate::{Move, Position};

/// The value of each piece on each square, for the two sides apart: the genome of Hughes, "Piece Difference: Simple to
/// Evolve?" (2003).
///
/// As in the paper, weights that are positive are good for Black, whosever the piece is.
#[derive(Debug, Clone, Copy)]
pub struct Squares;

/// Men are crowned on their last row, so 28 squares are left for them.
const MEN: usize = 28;
const KINGS: usize = 32;

const BLACK_MEN: usize = 0;
const WHITE_MEN: usize = BLACK_MEN + MEN;
const BLACK_KINGS: usize = WHITE_MEN + MEN;
const WHITE_KINGS: usize = BLACK_KINGS + KINGS;

/// White's men start on square 5.
const INDICES: WeightIndices = in_order_of_squares([[WHITE_MEN - 4, WHITE_KINGS], [BLACK_MEN, BLACK_KINGS]]);

impl Model<Position> for Squares {
    const NAME: &'static str = "checkers/squares";
    const ABOUT: &'static str = "the value for Black of each piece on each square, in men";
    const WEIGHTS: &'static [Parameter] = on_squares!([-5.0, 5.0] => {
        "black_man" "for Black: a black man" 1.0
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28]
        "white_man" "for Black: a white man" -1.0
            [5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32]
        "black_king" "for Black: a black king" 1.3
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32]
        "white_king" "for Black: a white king" -1.3
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32]
    });
    const SCALE: f64 = 1000.0;
    const INCREMENTAL: bool = true;

    #[inline]
    fn accumulate(position: &Position, terms: &mut impl Terms) {
        each_piece(position, |color, kind, bit| terms.add(weight_of(&INDICES, color, kind, bit), -1));
    }

    #[inline(always)]
    fn accumulate_move(position: &Position, mv: Move, terms: &mut impl Terms) {
        each_change(position, mv, |color, kind, bit, count| {
            terms.add(weight_of(&INDICES, color, kind, bit), -count);
        });
    }

    fn for_each_quiet_change(f: impl FnMut(&Position, Move)) {
        each_step(f);
    }

    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        let [black, white] = match kind {
            0 => [&weights[BLACK_MEN..WHITE_MEN], &weights[WHITE_MEN..BLACK_KINGS]],
            _ => [&weights[BLACK_KINGS..WHITE_KINGS], &weights[WHITE_KINGS..]],
        };
        Some(((i64::from(mean(black)) - i64::from(mean(white))) / 2) as i32)
    }
}

#[cfg(test)]
mod tests {
    use gamete_game::Linear;

    use super::*;

    #[test]
    fn each_piece_is_worth_the_weight_that_bears_its_name() {
        let numbers: Vec<_> = (1..=Squares::WEIGHTS.len()).map(|number| number as f64 / 1000.0).collect();
        let model = Linear::<_, Squares>::new(&numbers);
        for (number, weight) in (1..).zip(Squares::WEIGHTS) {
            let (piece, square) = weight.name.rsplit_once('_').expect("a piece and a square");
            let fen = match piece {
                "black_man" => format!("B:W:B{square}"),
                "white_man" => format!("B:W{square}:B"),
                "black_king" => format!("B:W:BK{square}"),
                _ => format!("B:WK{square}:B"),
            };
            let position = fen.parse().expect("a FEN");
            assert_eq!(model.value(&position), -number, "{}", weight.name);
        }
    }

    #[test]
    fn the_defaults_know_only_men_and_kings() {
        let model = Linear::<Position, Squares>::default();
        let value = |fen: &str| model.value(&fen.parse().expect("a FEN"));
        assert_eq!(value("B:W32,20,K10:B1"), 2300);
        assert_eq!(value("W:W32:B1,K2,28"), -2300);
    }
}
