use gamete_game::{Color, Model, Parameter, Terms};

use super::on_squares::{mean, on_squares};
use super::pieces::{WeightIndices, each_change, each_piece, each_step, in_order_of_squares, weight_of};
use crate::{Bitboard, Kind, Move, Position};

/// The value of each piece on each square, the same for both sides: the antisymmetric genome of Hughes, "Piece
/// Difference: Simple to Evolve?" (2003).
///
/// Squares are those of Black; a white piece is worth what a black one is on the square that White sees there.
#[derive(Debug, Clone, Copy)]
pub struct SquaresSymmetric;

/// Men are crowned on their last row, so 28 squares are left for them.
const MEN: usize = 28;

impl Model<Position> for SquaresSymmetric {
    const NAME: &'static str = "checkers/squares-symmetric";
    const ABOUT: &'static str = "the value of each piece on each square, the same for both sides, in men";
    const WEIGHTS: &'static [Parameter] = on_squares!([-3.0, 3.0] => {
        "man" "men of Black" 1.0
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28]
        "king" "kings of Black" 1.3
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32]
    });
    const SCALE: f64 = 1000.0;
    const INCREMENTAL: bool = true;

    #[inline]
    fn accumulate(position: &Position, terms: &mut impl Terms) {
        each_piece(position, |color, kind, bit| add(terms, color, kind, bit, 1));
    }

    #[inline(always)]
    fn accumulate_move(position: &Position, mv: Move, terms: &mut impl Terms) {
        each_change(position, mv, |color, kind, bit, count| add(terms, color, kind, bit, count));
    }

    fn for_each_quiet_change(f: impl FnMut(&Position, Move)) {
        each_step(f);
    }

    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        let (men, kings) = weights.split_at(MEN);
        Some(mean(if kind == 0 { men } else { kings }))
    }
}

/// A piece of White stands where Black would see the square with the flipped bit.
#[inline]
fn add(terms: &mut impl Terms, color: Color, kind: Kind, bit: u32, count: i32) {
    const INDICES: WeightIndices = in_order_of_squares([[0, MEN], [0, MEN]]);
    let (bit, sign) = match color {
        Color::White => (Bitboard::flipped_bit(bit), 1),
        Color::Black => (bit, -1),
    };
    terms.add(weight_of(&INDICES, color, kind, bit), sign * count);
}

#[cfg(test)]
mod tests {
    use gamete_game::Linear;

    use super::*;

    #[test]
    fn each_piece_is_worth_the_weight_of_its_square_as_its_side_sees_it() {
        let numbers: Vec<_> =
            (1..=SquaresSymmetric::WEIGHTS.len()).map(|number| number as f64 / 1000.0).collect();
        let model = Linear::<Position, SquaresSymmetric>::new(&numbers);
        for (number, weight) in (1..).zip(SquaresSymmetric::WEIGHTS) {
            let (piece, square) = weight.name.rsplit_once('_').expect("a piece and a square");
            let crown = if piece == "king" { "K" } else { "" };
            let seen_by_white = 33 - square.parse::<u32>().expect("a number");
            let value = |fen: &str| model.value(&fen.parse().expect("a FEN"));
            assert_eq!(value(&format!("B:W:B{crown}{square}")), -number, "{}", weight.name);
            assert_eq!(value(&format!("B:W{crown}{seen_by_white}:B")), number, "{}", weight.name);
        }
    }
}
