use cozy_chess::{BitBoard, Board, Color, Piece};

/// The number of squares, to be multiplied by weights.
#[inline]
pub(super) fn count(set: BitBoard) -> i32 {
    set.len() as i32
}

/// White's pieces of a kind less Black's.
#[inline]
pub(super) fn difference(board: &Board, piece: Piece) -> i32 {
    count(board.colored_pieces(Color::White, piece)) - count(board.colored_pieces(Color::Black, piece))
}
