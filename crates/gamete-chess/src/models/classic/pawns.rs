use cozy_chess::{BitBoard, Board, Color, Piece, Rank, Square};

use super::{
    BACKWARD_PAWN_PENALTY, CENTRAL_FILES, Counts, DOUBLED_PAWN_PENALTY, ISOLATED_PAWN_PENALTY,
    PASSED_PAWN_ENEMY_KING_DIST, PASSED_PAWN_MULT, PAWN_ADVANCE_A, PAWN_ADVANCE_B, PAWN_VALUE,
    WEAK_SQUARE_PENALTY,
};
use crate::models::fill::{beside, down, files, fill_down, fill_up, ranks_advanced, relative, up};
use crate::models::tally::count as len;

/// The pawns of both sides as one side sees them, moving up, and what follows for it.
pub(super) struct PawnStructure {
    /// Own pawns.
    pub(super) own: BitBoard,
    /// The files with own pawns.
    pub(super) own_files: BitBoard,
    /// The files with enemy pawns.
    pub(super) enemy_files: BitBoard,
    /// What own pawns attack.
    pub(super) attacks: BitBoard,
    /// What own pawns attack or can come to attack by advancing.
    reach: BitBoard,
    /// What enemy pawns attack or can come to attack by advancing.
    pub(super) enemy_reach: BitBoard,
    /// Own pawns without an enemy pawn ahead on their file or one beside it.
    pub(super) passed: BitBoard,
    isolated: BitBoard,
    backward: BitBoard,
}

impl PawnStructure {
    #[inline]
    pub(super) fn new(board: &Board, color: Color) -> Self {
        let pawns = board.pieces(Piece::Pawn);
        let own = relative(pawns & board.colors(color), color);
        let enemy = relative(pawns & board.colors(!color), color);
        let own_files = files(own);
        let enemy_attacks = beside(down(enemy));
        let enemy_reach = fill_down(enemy_attacks);
        // The squares with an own pawn beside them or behind that.
        let supported = fill_up(beside(own));
        Self {
            own,
            own_files,
            enemy_files: files(enemy),
            attacks: up(beside(own)),
            reach: up(supported),
            enemy_reach,
            passed: own & !(enemy_reach | fill_down(down(enemy))),
            isolated: own & !beside(own_files),
            backward: own & !supported & down(enemy_attacks),
        }
    }

    /// Own pawns that are isolated or backward.
    #[inline]
    pub(super) fn weak(&self) -> BitBoard {
        self.isolated | self.backward
    }
}

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

fn king_steps(from: Square, to: Square) -> i32 {
    let files = (from.file() as i32).abs_diff(to.file() as i32);
    let ranks = (from.rank() as i32).abs_diff(to.rank() as i32);
    files.max(ranks) as i32
}
