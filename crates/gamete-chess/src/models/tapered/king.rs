use cozy_chess::{BitBoard, Board, Color, Piece, Rank, Square, get_king_moves};
use gamete_game::Terms;

use super::attacks::Attacks;
use super::weights::*;
use crate::models::fill::fill_up;
use crate::models::pawn_structure::PawnStructure;
use crate::models::tally::count as len;

/// A side's king, and what that side does around the enemy's.
#[inline]
pub(super) fn count<T: Terms>(
    board: &Board,
    color: Color,
    pawns: &PawnStructure,
    own: &Attacks,
    enemy: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let king = board.king(color);
    count_shelter(king.relative_to(color), pawns, tally);
    tally.add(KING_SQUARES.at(king.relative_to(color) as usize), 1);
    tally.add(KING_ESCAPES, len(get_king_moves(king) & !board.colors(color) & !enemy.all));

    let around = get_king_moves(board.king(!color)) & own.all;
    if !around.is_empty() {
        tally.add(KING_RING_WEAK, len(around & !enemy.twice));
        tally.add(PAWNS_AT_KING, len(around & own.by[Piece::Pawn as usize]));
    }
}

/// The pawns on the king's file and those beside it.
#[inline]
fn count_shelter<T: Terms>(king: Square, pawns: &PawnStructure, tally: &mut Tally<'_, T>) {
    let ahead = fill_up(king.rank().bitboard());
    let (own, enemy) = (pawns.own & ahead, pawns.enemy & ahead);
    let file = king.file() as usize;
    for other in file.saturating_sub(1)..=(file + 1).min(7) {
        let squares = BitBoard(0x0101_0101_0101_0101 << other);
        let (shield, storm) =
            if other == file { (SHIELD_KING_FILE, STORM_KING_FILE) } else { (SHIELD_BESIDE, STORM_BESIDE) };
        tally.add(shield.plus(hindmost(own & squares)), 1);
        tally.add(storm.plus(hindmost(enemy & squares)), 1);
    }
}

/// The rank of the first pawn that the king sees, from 1 for the second; 0 if there is none.
#[inline]
fn hindmost(pawns: BitBoard) -> usize {
    const NONE: Rank = Rank::First;
    pawns.next_square().map_or(NONE, Square::rank) as usize
}
