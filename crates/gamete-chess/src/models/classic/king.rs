use cozy_chess::{Board, Color, Rank};

use super::{
    Counts, KING_FRIENDLY_PAWN_ADVANCED1, KING_NO_ENEMY_PAWN, KING_NO_ENEMY_PAWN_ADJ, KING_NO_FRIENDLY_PAWN,
    KING_NO_FRIENDLY_PAWN_ADJ,
};
use crate::models::fill::{beside, files, up};
use crate::models::pawn_structure::PawnStructure;
use crate::models::tally::count as len;

/// The pawns around the king: what is missing counts against it.
#[inline]
pub(super) fn count(board: &Board, color: Color, pawns: &PawnStructure, counts: &mut Counts) {
    // A file is counted by its square on the first rank.
    let first = Rank::First.bitboard();
    let king_file = board.king(color).file().bitboard();
    let (file, adjacent) = (king_file & first, beside(king_file) & first);
    counts[KING_NO_FRIENDLY_PAWN] = -len(file & !pawns.own_files);
    counts[KING_NO_FRIENDLY_PAWN_ADJ] = -len(adjacent & !pawns.own_files);
    counts[KING_NO_ENEMY_PAWN] = -len(file & !pawns.enemy_files);
    counts[KING_NO_ENEMY_PAWN_ADJ] = -len(adjacent & !pawns.enemy_files);

    let at_home = pawns.own & Rank::Second.bitboard();
    let advanced = pawns.own & Rank::Third.bitboard() & !up(at_home);
    counts[KING_FRIENDLY_PAWN_ADVANCED1] = -len(advanced & files(file | adjacent));
}
