use cozy_chess::{Board, Color, Rank, Square};
use gamete_game::Terms;

use super::attacks::Attacks;
use super::weights::*;
use crate::models::fill::{beside, fill_up, relative, right, up};
use crate::models::pawn_structure::{PawnStructure, king_steps};
use crate::models::tally::count as len;

#[inline]
pub(super) fn count<T: Terms>(
    board: &Board,
    color: Color,
    pawns: &PawnStructure,
    enemy: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let own = pawns.own;
    tally.add(PAWN, len(own));
    let beside_own = beside(own);
    for pawn in own {
        tally.add(PAWN_SQUARES.at(pawn as usize - 8), 1);
    }
    for pawn in own & beside_own {
        tally.add(PHALANX.plus(pawn.rank() as usize - 1), 1);
    }
    for pawn in own & pawns.attacks {
        tally.add(DEFENDED_PAWN.plus(pawn.rank() as usize - 2), 1);
    }
    let doubled = own & fill_up(up(own));
    if !doubled.is_empty() {
        tally.add(DOUBLED, len(doubled));
    }
    if !pawns.isolated.is_empty() {
        tally.add(ISOLATED, len(pawns.isolated));
        tally.add(ISOLATED_HALF_OPEN, len(pawns.isolated & !pawns.enemy_files));
    }
    if !pawns.backward.is_empty() {
        tally.add(BACKWARD, len(pawns.backward));
        tally.add(BACKWARD_HALF_OPEN, len(pawns.backward & !pawns.enemy_files));
    }
    let first = pawns.own_files & Rank::First.bitboard();
    tally.add(PAWN_ISLANDS, len(first & !right(first)));
    if !pawns.passed.is_empty() {
        count_passed(board, color, pawns, enemy, tally);
    }
}

fn count_passed<T: Terms>(
    board: &Board,
    color: Color,
    pawns: &PawnStructure,
    enemy: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let occupied = relative(board.occupied(), color);
    let enemies = relative(board.colors(!color), color);
    let attacked = relative(enemy.all, color);
    let [own_king, enemy_king] = [color, !color].map(|side| board.king(side).relative_to(color));
    let supported = pawns.attacks | beside(pawns.own);
    for pawn in pawns.passed {
        let ahead: Square = pawn.offset(0, 1);
        tally.add(PASSED.at(pawn.rank() as usize - 1), 1);
        if enemies.has(ahead) {
            tally.add(PASSED_BLOCKED, 1);
        } else if occupied.has(ahead) {
            tally.add(PASSED_OBSTRUCTED, 1);
        } else {
            tally.add(PASSED_SAFE_STEP, (!attacked.has(ahead)).into());
            tally.add(PASSED_FREE, (fill_up(ahead.bitboard()) & occupied).is_empty().into());
        }
        tally.add(PASSED_SUPPORTED, supported.has(pawn).into());
        tally.add(PASSED_OWN_KING, king_steps(own_king, ahead));
        tally.add(PASSED_ENEMY_KING, king_steps(enemy_king, ahead));
    }
}
