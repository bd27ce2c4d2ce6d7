use cozy_chess::{
    BitBoard, Board, Color, File, Move, Piece, Rank, Square, get_between_rays, get_bishop_moves,
    get_bishop_rays, get_king_moves, get_knight_moves, get_line_rays, get_pawn_attacks, get_pawn_quiets,
    get_rook_moves, get_rook_rays,
};

use super::fill::{left, relative, right, up};
use super::tally::count;

/// What one side attacks and how many moves it has, as if it were to move.
#[derive(Clone, Copy)]
pub(super) struct Activity {
    /// The squares that some piece or pawn attacks, be they occupied or not.
    pub(super) attacked: BitBoard,
    /// The number of legal moves.
    pub(super) moves: i32,
}

/// The activity of White and of Black.
///
/// With a check on the board the side that gives it has no moves, as it cannot be its turn.
pub(super) fn activity(board: &Board) -> [Activity; 2] {
    let [mut white, mut black] = Color::ALL.map(|color| without_king(board, color));
    if board.checkers().is_empty() {
        white.moves += king_moves(board, Color::White, black.attacked);
        black.moves += king_moves(board, Color::Black, white.attacked);
    } else {
        let mut moves = 0;
        board.generate_moves(|piece| {
            moves += piece.len() as i32;
            false
        });
        (white.moves, black.moves) = match board.side_to_move() {
            Color::White => (moves, 0),
            Color::Black => (0, moves),
        };
    }
    [white, black]
}

/// All that is attacked, and the moves of all but the king as long as that is not in check.
fn without_king(board: &Board, color: Color) -> Activity {
    let own = board.colors(color);
    let king = board.king(color);
    let pinned = pinned(board, color);
    let mut attacked = get_king_moves(king);
    let mut moves = 0;
    let mut add = |from: Square, attacks: BitBoard| {
        attacked |= attacks;
        let line = if pinned.has(from) { get_line_rays(king, from) } else { BitBoard::FULL };
        moves += count(attacks & line & !own);
    };
    let queens = own & board.pieces(Piece::Queen);
    for from in own & board.pieces(Piece::Knight) {
        add(from, get_knight_moves(from));
    }
    for from in own & board.pieces(Piece::Bishop) | queens {
        add(from, get_bishop_moves(from, board.occupied()));
    }
    for from in own & board.pieces(Piece::Rook) | queens {
        add(from, get_rook_moves(from, board.occupied()));
    }

    let pawns = own & board.pieces(Piece::Pawn);
    let forward = up(relative(pawns, color));
    attacked |= relative(left(forward) | right(forward), color);
    moves += free_pawn_moves(board, color, pawns & !pinned) + pinned_pawn_moves(board, color, pawns & pinned);
    if color == board.side_to_move() {
        moves += en_passant_moves(board, pawns);
    }
    Activity { attacked, moves }
}

/// Whatever stands alone between the king and a piece that would give check.
fn pinned(board: &Board, color: Color) -> BitBoard {
    let king = board.king(color);
    let queens = board.pieces(Piece::Queen);
    let snipers = board.colors(!color)
        & (get_bishop_rays(king) & (board.pieces(Piece::Bishop) | queens)
            | get_rook_rays(king) & (board.pieces(Piece::Rook) | queens));
    let mut pinned = BitBoard::EMPTY;
    for sniper in snipers {
        let between = get_between_rays(king, sniper) & board.occupied();
        if between.len() == 1 {
            pinned |= between;
        }
    }
    pinned
}

fn free_pawn_moves(board: &Board, color: Color, pawns: BitBoard) -> i32 {
    let empty = relative(!board.occupied(), color);
    let enemy = relative(board.colors(!color), color);
    let forward = up(relative(pawns, color));
    let steps = forward & empty;
    let leaps = up(steps & Rank::Third.bitboard()) & empty;
    with_promotions(steps)
        + count(leaps)
        + with_promotions(left(forward) & enemy)
        + with_promotions(right(forward) & enemy)
}

fn pinned_pawn_moves(board: &Board, color: Color, pawns: BitBoard) -> i32 {
    pawns
        .into_iter()
        .map(|from| {
            let quiets = get_pawn_quiets(from, color, board.occupied());
            let captures = get_pawn_attacks(from, color) & board.colors(!color);
            let to = (quiets | captures) & get_line_rays(board.king(color), from);
            with_promotions(relative(to, color))
        })
        .sum()
}

/// A pawn that reaches the last rank becomes one of four pieces.
fn with_promotions(to: BitBoard) -> i32 {
    count(to) + 3 * count(to & Rank::Eighth.bitboard())
}

fn en_passant_moves(board: &Board, pawns: BitBoard) -> i32 {
    let Some(file) = board.en_passant() else {
        return 0;
    };
    let turn = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(turn));
    let takers = get_pawn_attacks(to, !turn) & pawns;
    takers.into_iter().filter(|&from| board.is_legal(Move { from, to, promotion: None })).count() as i32
}

/// The moves of a king that is not in check, where the enemy attacks `attacked`.
fn king_moves(board: &Board, color: Color, attacked: BitBoard) -> i32 {
    let steps = get_king_moves(board.king(color)) & !board.colors(color) & !attacked;
    let rights = board.castle_rights(color);
    let castles = [(rights.short, File::G, File::F), (rights.long, File::C, File::D)];
    let castles = castles.into_iter().filter(|&(rook, king_to, rook_to)| {
        rook.is_some_and(|rook| can_castle(board, color, rook, king_to, rook_to, attacked))
    });
    count(steps) + castles.count() as i32
}

fn can_castle(
    board: &Board,
    color: Color,
    rook: File,
    king_to: File,
    rook_to: File,
    attacked: BitBoard,
) -> bool {
    let [rook, king_to, rook_to] =
        [rook, king_to, rook_to].map(|file| Square::new(file, Rank::First.relative_to(color)));
    let king = board.king(color);
    let safe = get_between_rays(king, king_to) | king_to.bitboard();
    let empty = safe | get_between_rays(king, rook) | rook_to.bitboard();
    let others = board.occupied() & !(king.bitboard() | rook.bitboard());
    // In Chess960 the rook that castles can be all that stands between the king and a rook behind it.
    (others & empty).is_empty() && (attacked & safe).is_empty() && !pinned(board, color).has(rook)
}
