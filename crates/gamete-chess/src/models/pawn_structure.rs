use cozy_chess::{BitBoard, Board, Color, Piece, Square};

use super::fill::{beside, down, files, fill_down, fill_up, relative, up};

/// The pawns of both sides as one side sees them, moving up, and what follows for it.
pub(super) struct PawnStructure {
    /// Own pawns.
    pub(super) own: BitBoard,
    /// Enemy pawns.
    pub(super) enemy: BitBoard,
    /// The files with own pawns.
    pub(super) own_files: BitBoard,
    /// The files with enemy pawns.
    pub(super) enemy_files: BitBoard,
    /// What own pawns attack.
    pub(super) attacks: BitBoard,
    /// What own pawns attack or can come to attack by advancing.
    pub(super) reach: BitBoard,
    /// What enemy pawns attack or can come to attack by advancing.
    pub(super) enemy_reach: BitBoard,
    /// Own pawns without an enemy pawn ahead on their file or one beside it.
    pub(super) passed: BitBoard,
    /// Own pawns without an own pawn on the files beside theirs.
    pub(super) isolated: BitBoard,
    /// Own pawns without an own pawn beside or behind on a file next to theirs, when an enemy pawn attacks the square ahead.
    pub(super) backward: BitBoard,
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
            enemy,
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

    /// Enemy pawns without an own pawn ahead of them on their file or one beside it.
    #[inline]
    pub(super) fn enemy_passed(&self) -> BitBoard {
        self.enemy & !(self.reach | fill_up(up(self.own)))
    }

    /// Own pawns that are isolated or backward.
    #[inline]
    pub(super) fn weak(&self) -> BitBoard {
        self.isolated | self.backward
    }
}

/// The moves that a king takes from one square to the other on an empty board.
#[inline]
pub(super) fn king_steps(from: Square, to: Square) -> i32 {
    let files = (from.file() as i32).abs_diff(to.file() as i32);
    let ranks = (from.rank() as i32).abs_diff(to.rank() as i32);
    files.max(ranks) as i32
}
