use cozy_chess::{
    BitBoard, Board, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::{
    BISHOP_MOBILITY, BISHOP_PAIR, BISHOP_VALUE, CENTRAL_FILES, Counts, KING_PRESSURE_MULT,
    KNIGHT_OUTPOST_MULT, KNIGHT_SQ_MULT, KNIGHT_VALUE, QUEEN_MOBILITY, QUEEN_VALUE, ROOK_7TH_RANK,
    ROOK_ATCK_WEAK_PAWN_OPEN_COLUMN, ROOK_ATTACK_KING_ADJ_FILE, ROOK_ATTACK_KING_ADJ_FILE_ABGH,
    ROOK_ATTACK_KING_FILE, ROOK_BEHIND_PASSED_PAWN, ROOK_COLUMN_MULT, ROOK_CONNECTED, ROOK_MOBILITY,
    ROOK_OPEN_FILE, ROOK_SEMI_OPEN_FILE, ROOK_VALUE,
};
use crate::models::fill::{beside, down, fill_down, relative};
use crate::models::pawn_structure::PawnStructure;
use crate::models::tally::count as len;

const CENTER_TABLE: [i32; Square::NUM] = {
    const fn distance(line: usize) -> i32 {
        [3, 2, 1, 0, 0, 1, 2, 3][line]
    }
    let mut table = [0; Square::NUM];
    let mut square = 0;
    while square < Square::NUM {
        table[square] = 4 - distance(square % 8) - distance(square / 8);
        square += 1;
    }
    table
};

const COLUMN_TABLE: [i32; File::NUM] = [0, 1, 2, 3, 3, 2, 1, 0];

/// The knights, bishops, rooks and queens of a side, and what they do to the enemy king.
#[inline]
pub(super) fn count(
    board: &Board,
    color: Color,
    own_pawns: &PawnStructure,
    enemy_pawns: &PawnStructure,
    counts: &mut Counts,
) {
    let own = board.colors(color);
    let knights = own & board.pieces(Piece::Knight);
    let bishops = own & board.pieces(Piece::Bishop);
    let rooks = own & board.pieces(Piece::Rook);
    let queens = own & board.pieces(Piece::Queen);
    let occupied = board.occupied();
    let around_king = get_king_moves(board.king(!color));
    let mut pressure = 0;

    counts[KNIGHT_VALUE] = len(knights);
    counts[KNIGHT_OUTPOST_MULT] = outposts(relative(knights, color), own_pawns);
    for knight in knights {
        counts[KNIGHT_SQ_MULT] += CENTER_TABLE[knight as usize];
        pressure += len(get_knight_moves(knight) & around_king);
    }

    counts[BISHOP_VALUE] = len(bishops);
    counts[BISHOP_PAIR] = i32::from(bishops.len() >= 2);
    for bishop in bishops {
        let attacks = get_bishop_moves(bishop, occupied);
        counts[BISHOP_MOBILITY] += len(attacks & !own);
        pressure += len(attacks & around_king);
    }

    counts[ROOK_VALUE] = len(rooks);
    count_placed_rooks(board, color, relative(rooks, color), own_pawns, counts);
    let weak_pawns = relative(enemy_pawns.weak(), !color);
    let mut defended = BitBoard::EMPTY;
    for rook in rooks {
        let attacks = get_rook_moves(rook, occupied);
        defended |= attacks;
        counts[ROOK_MOBILITY] += len(attacks & !own);
        counts[ROOK_COLUMN_MULT] += COLUMN_TABLE[rook.file() as usize];
        let hits_weak_pawn = !own_pawns.own_files.has(rook) && !(attacks & weak_pawns).is_empty();
        counts[ROOK_ATCK_WEAK_PAWN_OPEN_COLUMN] += i32::from(hits_weak_pawn);
        pressure += len(attacks & around_king);
    }
    counts[ROOK_CONNECTED] = i32::from(!(rooks & defended).is_empty());

    counts[QUEEN_VALUE] = len(queens);
    for queen in queens {
        let attacks = get_bishop_moves(queen, occupied) | get_rook_moves(queen, occupied);
        counts[QUEEN_MOBILITY] += len(attacks & !own);
        pressure += len(attacks & around_king);
    }

    // What counts against the one king counts for the other side.
    counts[KING_PRESSURE_MULT] = pressure;
}

fn outposts(knights: BitBoard, pawns: &PawnStructure) -> i32 {
    const RANKS: BitBoard =
        BitBoard(Rank::Fourth.bitboard().0 | Rank::Fifth.bitboard().0 | Rank::Sixth.bitboard().0);
    let outposts = knights & RANKS & pawns.attacks & !pawns.enemy_reach;
    len(outposts) + len(outposts & CENTRAL_FILES)
}

/// What rooks have from where they stand, whatever is in their way.
#[inline]
fn count_placed_rooks(
    board: &Board,
    color: Color,
    rooks: BitBoard,
    pawns: &PawnStructure,
    counts: &mut Counts,
) {
    let semi_open = rooks & !pawns.own_files;
    counts[ROOK_SEMI_OPEN_FILE] = len(semi_open);
    counts[ROOK_OPEN_FILE] = len(semi_open & !pawns.enemy_files);
    counts[ROOK_BEHIND_PASSED_PAWN] = len(rooks & fill_down(down(pawns.passed)));

    let king = board.king(!color).relative_to(color);
    let king_file = king.file().bitboard();
    let adjacent = len(rooks & beside(king_file));
    counts[ROOK_ATTACK_KING_FILE] = len(rooks & king_file);
    if CENTRAL_FILES.has(king) {
        counts[ROOK_ATTACK_KING_ADJ_FILE] = adjacent;
    } else {
        counts[ROOK_ATTACK_KING_ADJ_FILE_ABGH] = adjacent;
    }

    let seventh = Rank::Seventh.bitboard();
    let enemy_pawns = relative(board.colored_pieces(!color, Piece::Pawn), color);
    if king.rank() == Rank::Eighth || !(enemy_pawns & seventh).is_empty() {
        counts[ROOK_7TH_RANK] = len(rooks & seventh);
    }
}
