use cozy_chess::{BitBoard, Board, Color, Piece, get_king_moves};

use crate::models::fill::relative;
use crate::models::pawn_structure::PawnStructure;

/// What one side attacks, be it occupied or not.
pub(super) struct Attacks {
    /// By each kind of piece.
    pub(super) by: [BitBoard; Piece::NUM],
    /// By any.
    pub(super) all: BitBoard,
    /// By two pieces or more.
    pub(super) twice: BitBoard,
}

impl Attacks {
    /// What pawns and the king attack.
    #[inline]
    pub(super) fn new(board: &Board, color: Color, pawns: &PawnStructure) -> Self {
        let mut by = [BitBoard::EMPTY; Piece::NUM];
        let pawns = relative(pawns.attacks, color);
        let king = get_king_moves(board.king(color));
        by[Piece::Pawn as usize] = pawns;
        by[Piece::King as usize] = king;
        Self { by, all: pawns | king, twice: pawns & king }
    }

    /// Adds what a piece attacks.
    #[inline]
    pub(super) fn add(&mut self, piece: Piece, attacks: BitBoard) {
        self.by[piece as usize] |= attacks;
        self.twice |= self.all & attacks;
        self.all |= attacks;
    }
}
