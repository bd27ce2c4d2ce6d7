use cozy_chess::Piece;
use gamete_game::{Model, Parameter, Terms};

use super::tally::difference;
use super::weights::weights;
use crate::Position;

/// Nothing but the values of the pieces: the genome of Belmonte, "Applying Genetic Algorithms to Evolve Chess Piece
/// Relative Values" (2013).
#[derive(Debug, Clone, Copy)]
pub struct Material;

weights! {
    integer [1.0, 20000.0] => {
        PAWN   "pawn"   1000.0 "pawns"
        KNIGHT "knight" 3200.0 "knights"
        BISHOP "bishop" 3300.0 "bishops"
        ROOK   "rook"   5000.0 "rooks"
        QUEEN  "queen"  9000.0 "queens"
    }
}

impl Model<Position> for Material {
    const NAME: &'static str = "chess/material";
    const ABOUT: &'static str = "the values of the pieces, in thousandths of a pawn";
    const WEIGHTS: &'static [Parameter] = WEIGHTS;
    const SCALE: f64 = 1.0;

    #[inline]
    fn accumulate(position: &Position, terms: &mut impl Terms) {
        let board = position.board();
        terms.add(PAWN, difference(board, Piece::Pawn));
        terms.add(KNIGHT, difference(board, Piece::Knight));
        terms.add(BISHOP, difference(board, Piece::Bishop));
        terms.add(ROOK, difference(board, Piece::Rook));
        terms.add(QUEEN, difference(board, Piece::Queen));
    }

    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        (kind <= QUEEN).then(|| weights[kind])
    }
}
