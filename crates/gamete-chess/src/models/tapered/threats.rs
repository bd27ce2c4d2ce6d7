use cozy_chess::{
    BitBoard, Board, Color, Piece, Rank, get_between_rays, get_bishop_moves, get_bishop_rays,
    get_knight_moves, get_rook_moves, get_rook_rays,
};
use gamete_game::Terms;

use super::attacks::Attacks;
use super::weights::*;
use crate::models::fill::{beside, relative, up};
use crate::models::tally::count as len;

/// What a side attacks and threatens, and what it leaves without defence.
#[inline]
pub(super) fn count<T: Terms>(
    board: &Board,
    color: Color,
    own: &Attacks,
    enemy: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let to_move = board.side_to_move() == color;
    count_attacked(board, color, to_move, own, enemy, tally);
    count_pushes(board, color, to_move, own, enemy, tally);
    count_lines(board, color, to_move, tally);
    count_checks(board, color, to_move, own, enemy, tally);

    let pieces = board.colors(color) & !board.pieces(Piece::King) & !own.all;
    let pawns = board.pieces(Piece::Pawn);
    if !(pieces & pawns).is_empty() {
        tally.add(LOOSE.plus(Piece::Pawn as usize), len(pieces & pawns));
    }
    for square in pieces & !pawns {
        tally.add(LOOSE.plus(board.piece_on(square).map_or(0, |piece| piece as usize)), 1);
    }
}

#[inline]
fn count_attacked<T: Terms>(
    board: &Board,
    color: Color,
    to_move: bool,
    own: &Attacks,
    enemy: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let [loose, guarded, outnumbered] = if to_move {
        [LOOSE_THREATS_TO_MOVE, GUARDED_THREATS_TO_MOVE, OUTNUMBERED_TO_MOVE]
    } else {
        [LOOSE_THREATS_WAITING, GUARDED_THREATS_WAITING, OUTNUMBERED_WAITING]
    };
    let mut threatened = 0;
    let attacked = board.colors(!color) & own.all & !board.pieces(Piece::King);
    for square in attacked {
        let victim = board.piece_on(square).map_or(0, |piece| piece as usize);
        let is_guarded = enemy.all.has(square);
        let first = if is_guarded { guarded } else { loose };
        let mut is_threatened = !is_guarded && victim != Piece::Pawn as usize;
        for (attacker, attacks) in own.by.iter().enumerate() {
            if attacks.has(square) {
                tally.add(first.plus(5 * attacker + victim), 1);
                is_threatened |= CLASS[attacker] < CLASS[victim];
            }
        }
        threatened += i32::from(is_threatened);
        if is_guarded && own.twice.has(square) && !enemy.twice.has(square) {
            tally.add(outnumbered.plus(victim), 1);
        }
    }
    if threatened >= 2 {
        tally.add(if to_move { FORK_TO_MOVE } else { FORK_WAITING }, 1);
    }
}

/// Pieces in the order of their value; a knight and a bishop are worth the same.
const CLASS: [u8; Piece::NUM] = [0, 1, 1, 2, 3, 4];

/// Pieces that a pawn would attack after a step.
#[inline]
fn count_pushes<T: Terms>(
    board: &Board,
    color: Color,
    to_move: bool,
    own: &Attacks,
    enemy: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    let empty = relative(!board.occupied(), color);
    let pawns = relative(board.colored_pieces(color, Piece::Pawn), color);
    let steps = up(pawns) & empty;
    let steps = steps | up(steps & Rank::Third.bitboard()) & empty;
    let unsafe_squares = enemy.by[Piece::Pawn as usize] | enemy.all & !own.all;
    let steps = steps & relative(!unsafe_squares, color);
    let pieces = board.colors(!color) & !board.pieces(Piece::Pawn) & !own.by[Piece::Pawn as usize];
    let targets = up(beside(steps)) & relative(pieces, color);
    if !targets.is_empty() {
        tally.add(if to_move { PUSH_THREAT_TO_MOVE } else { PUSH_THREAT_WAITING }, len(targets));
    }
}

/// What stands alone between a piece of this side and the enemy king.
#[inline]
fn count_lines<T: Terms>(board: &Board, color: Color, to_move: bool, tally: &mut Tally<'_, T>) {
    let king = board.king(!color);
    let queens = board.pieces(Piece::Queen);
    let snipers = board.colors(color)
        & (get_bishop_rays(king) & (board.pieces(Piece::Bishop) | queens)
            | get_rook_rays(king) & (board.pieces(Piece::Rook) | queens));
    for sniper in snipers {
        let between = get_between_rays(king, sniper) & board.occupied();
        let Some(square) = between.next_square() else { continue };
        if between != square.bitboard() {
            continue;
        }
        if board.colors(color).has(square) {
            tally.add(if to_move { DISCOVERY_TO_MOVE } else { DISCOVERY_WAITING }, 1);
        } else {
            tally.add(PINNED.plus(board.piece_on(square).map_or(0, |piece| piece as usize)), 1);
        }
    }
}

/// The checks that are given, and those that could be given without losing a piece.
#[inline]
fn count_checks<T: Terms>(
    board: &Board,
    color: Color,
    to_move: bool,
    own: &Attacks,
    enemy: &Attacks,
    tally: &mut Tally<'_, T>,
) {
    if !to_move {
        for checker in board.checkers() {
            let by_others = enemy.twice | enemy.all & !enemy.by[Piece::King as usize];
            let is_safe = !enemy.all.has(checker) || own.all.has(checker) && !by_others.has(checker);
            tally.add(if is_safe { CHECK_SAFE } else { CHECK_UNSAFE }, 1);
        }
    }
    let king = board.king(!color);
    let safe = !board.colors(color) & !enemy.all;
    let first = if to_move { SAFE_CHECK_TO_MOVE } else { SAFE_CHECK_WAITING };
    let straight = get_rook_moves(king, board.occupied()) & safe;
    let diagonal = get_bishop_moves(king, board.occupied()) & safe;
    let checks: [BitBoard; 4] = [get_knight_moves(king) & safe, diagonal, straight, straight | diagonal];
    for (place, squares) in checks.into_iter().enumerate() {
        if !(squares & own.by[Piece::Knight as usize + place]).is_empty() {
            tally.add(first.plus(place), 1);
        }
    }
}
