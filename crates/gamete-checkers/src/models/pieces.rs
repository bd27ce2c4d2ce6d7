use gamete_game::{ByColor, Color, Game};

use crate::{Bitboard, Kind, Move, Position, Square};

/// For each colour and kind, and the bit of each square: the index of a weight.
pub(super) type WeightIndices = [[[u8; 32]; 2]; 2];

/// The weights of men and kings of each colour are in the order of squares, numbered on from these.
pub(super) const fn in_order_of_squares(first: [[usize; 2]; 2]) -> WeightIndices {
    let mut indices = [[[0; 32]; 2]; 2];
    let mut n = 0;
    while n < 128 {
        let (color, kind, bit) = (n / 64, n / 32 % 2, n % 32);
        indices[color][kind][bit] = (first[color][kind] + Square::from_bit(bit as u32).index()) as u8;
        n += 1;
    }
    indices
}

#[inline]
pub(super) fn weight_of(indices: &WeightIndices, color: Color, kind: Kind, bit: u32) -> usize {
    indices[color as usize][kind as usize][(bit % 32) as usize].into()
}

/// Calls `f` with every piece on the board and the bit of its square.
#[inline]
pub(super) fn each_piece(position: &Position, mut f: impl FnMut(Color, Kind, u32)) {
    let kings = position.kings();
    for color in Color::ALL {
        let pieces = position.pieces(color);
        (pieces & !kings).each_bit().for_each(|bit| f(color, Kind::Man, bit));
        (pieces & kings).each_bit().for_each(|bit| f(color, Kind::King, bit));
    }
}

/// Calls `f` with every piece that a legal move puts somewhere, with 1, or takes away, with -1.
#[inline(always)]
pub(super) fn each_change(position: &Position, mv: Move, mut f: impl FnMut(Color, Kind, u32, i32)) {
    let turn = position.turn();
    let [before, after] = position.kinds_of_mover(mv);
    f(turn, before, mv.origin_bit(), -1);
    f(turn, after, mv.target_bit(), 1);
    for bit in mv.captured().each_bit() {
        f(!turn, position.kind_on(bit), bit, -1);
    }
}

/// Calls `f` with every step of every piece.
pub(super) fn each_step(mut f: impl FnMut(&Position, Move)) {
    for color in Color::ALL {
        for square in Square::all().map(Square::bitboard) {
            for kings in [Bitboard::EMPTY, square] {
                let mut pieces = ByColor::default();
                pieces[color] = square;
                let position = Position::from_pieces(pieces, kings, color);
                position.for_each_move(|mv| f(&position, mv));
            }
        }
    }
}
