use cozy_chess::{BitBoard, Board, Color, Rank};

use super::{
    BACKWARD_PAWN_PENALTY, CENTRAL_FILES, Counts, DOUBLED_PAWN_PENALTY, ISOLATED_PAWN_PENALTY,
    PASSED_PAWN_ENEMY_KING_DIST, PASSED_PAWN_MULT, PAWN_ADVANCE_A, PAWN_ADVANCE_B, PAWN_VALUE,
    WEAK_SQUARE_PENALTY,
};
use crate::models::fill::{fill_up, ranks_advanced, up};
use crate::models::pawn_structure::{PawnStructure, king_steps};
use crate::models::tally::count as len;

#[inline]
pub(super) fn count(board: &Board, color: Color, pawns: &PawnStructure, counts: &mut Counts) {
    const WEAK_SQUARES: BitBoard =
        BitBoard(CENTRAL_FILES.0 & (Rank::Third.bitboard().0 | Rank::Fourth.bitboard().0));
    let own = pawns.own;
    counts[PAWN_VALUE] = len(own);
    counts[PAWN_ADVANCE_A] = ranks_advanced(own & !CENTRAL_FILES);
    counts[PAWN_ADVANCE_B] = ranks_advanced(own & CENTRAL_FILES);
    counts[DOUBLED_PAWN_PENALTY] = -len(own & fill_up(up(own)));
    counts[ISOLATED_PAWN_PENALTY] = -len(pawns.isolated);
    counts[BACKWARD_PAWN_PENALTY] = -len(pawns.backward);
    counts[WEAK_SQUARE_PENALTY] = -len(WEAK_SQUARES & !pawns.reach);

    let enemy_king = board.king(!color).relative_to(color);
    for pawn in pawns.passed {
        counts[PASSED_PAWN_MULT] += [0, 0, 1, 2, 3, 5, 8, 0][pawn.rank() as usize];
        counts[PASSED_PAWN_ENEMY_KING_DIST] += king_steps(enemy_king, pawn.offset(0, 1));
    }
}
