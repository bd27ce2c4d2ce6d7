use cozy_chess::{BitBoard, Board, Color, Piece};
use gamete_game::{Model, Parameter, Terms};

use super::fill::{ranks_advanced, relative};
use super::tally::{count, difference};
use super::weights::weights;
use crate::Position;

/// The values of the pieces in the opening and in the endgame, and something to move towards.
///
/// In between, a value goes from the one to the other in proportion to the pieces that have left the board.
#[derive(Debug, Clone, Copy)]
pub struct MaterialPhased;

weights! {
    integer [1.0, 20000.0] => {
        PAWN_OPENING   "pawn_opening"   1000.0 "pawns, as much as the opening lasts"
        KNIGHT_OPENING "knight_opening" 3200.0 "knights, as much as the opening lasts"
        BISHOP_OPENING "bishop_opening" 3300.0 "bishops, as much as the opening lasts"
        ROOK_OPENING   "rook_opening"   5000.0 "rooks, as much as the opening lasts"
        QUEEN_OPENING  "queen_opening"  9000.0 "queens, as much as the opening lasts"
        PAWN_ENDGAME   "pawn_endgame"   1200.0 "pawns, as much as the endgame has come"
        KNIGHT_ENDGAME "knight_endgame" 3100.0 "knights, as much as the endgame has come"
        BISHOP_ENDGAME "bishop_endgame" 3300.0 "bishops, as much as the endgame has come"
        ROOK_ENDGAME   "rook_endgame"   5300.0 "rooks, as much as the endgame has come"
        QUEEN_ENDGAME  "queen_endgame"  9300.0 "queens, as much as the endgame has come"
    }
    integer [0.0, 1000.0] => {
        CENTER  "center"  0.0 "steps from the edge of the board, 0 to 3, over all knights, bishops, rooks and queens"
        ADVANCE "advance" 0.0 "ranks that pawns have advanced from their second"
    }
}

const VALUES: [(Piece, usize, usize); 5] = [
    (Piece::Pawn, PAWN_OPENING, PAWN_ENDGAME),
    (Piece::Knight, KNIGHT_OPENING, KNIGHT_ENDGAME),
    (Piece::Bishop, BISHOP_OPENING, BISHOP_ENDGAME),
    (Piece::Rook, ROOK_OPENING, ROOK_ENDGAME),
    (Piece::Queen, QUEEN_OPENING, QUEEN_ENDGAME),
];

/// The phase of a full board: a minor piece counts 1, a rook 2, a queen 4.
const OPENING: i32 = 24;

impl Model<Position> for MaterialPhased {
    const NAME: &'static str = "chess/material-phased";
    const ABOUT: &'static str = "the values of the pieces in opening and endgame, in thousandths of a pawn";
    const WEIGHTS: &'static [Parameter] = WEIGHTS;
    const SCALE: f64 = 1.0;
    const DIVISOR: i32 = OPENING;

    #[inline]
    fn accumulate(position: &Position, terms: &mut impl Terms) {
        let board = position.board();
        let phase = phase(board);
        for (piece, opening, endgame) in VALUES {
            let difference = difference(board, piece);
            terms.add(opening, difference * phase);
            terms.add(endgame, difference * (OPENING - phase));
        }
        terms.add(
            CENTER,
            OPENING * (steps_from_edge(board, Color::White) - steps_from_edge(board, Color::Black)),
        );
        terms.add(ADVANCE, OPENING * (advanced(board, Color::White) - advanced(board, Color::Black)));
    }

    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        (kind <= QUEEN_OPENING).then(|| weights[kind])
    }
}

fn phase(board: &Board) -> i32 {
    let minors = count(board.pieces(Piece::Knight) | board.pieces(Piece::Bishop));
    let (rooks, queens) = (count(board.pieces(Piece::Rook)), count(board.pieces(Piece::Queen)));
    (minors + 2 * rooks + 4 * queens).min(OPENING)
}

fn advanced(board: &Board, color: Color) -> i32 {
    ranks_advanced(relative(board.colored_pieces(color, Piece::Pawn), color))
}

fn steps_from_edge(board: &Board, color: Color) -> i32 {
    const INNER: [BitBoard; 3] =
        [BitBoard(0x007e_7e7e_7e7e_7e00), BitBoard(0x0000_3c3c_3c3c_0000), BitBoard(0x0000_0018_1800_0000)];
    let pieces = board.colors(color) & !(board.pieces(Piece::Pawn) | board.pieces(Piece::King));
    INNER.into_iter().map(|squares| count(pieces & squares)).sum()
}

#[cfg(test)]
mod tests {
    use gamete_game::{Features, Linear};

    use super::*;

    fn position(fen: &str) -> Position {
        fen.parse().expect("a FEN")
    }

    fn value(fen: &str) -> i32 {
        Linear::<Position, MaterialPhased>::default().value(&position(fen))
    }

    #[test]
    fn a_pawn_goes_from_its_opening_to_its_endgame_value() {
        assert_eq!(value("rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 1000);
        assert_eq!(value("4k3/8/8/8/8/8/P7/4K3 w - - 0 1"), 1200);
        assert_eq!(value("q1q1k3/8/8/8/8/P7/8/1QQ1K3 w - - 0 1"), (16 * 1000 + 8 * 1200) / 24);
    }

    #[test]
    fn promoted_pieces_do_not_take_the_game_back_before_the_opening() {
        assert_eq!(value("rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPP1/RNBQKBNR w KQkq - 0 1"), 0);
        assert_eq!(value("rnbqkbnr/pppp1ppp/8/8/8/8/1PPPPPP1/RNBQKBNQ w Qkq - 0 1"), 4000 - 1000);
    }

    #[test]
    fn the_gradient_is_steps_from_the_edge_and_ranks_advanced() {
        let features =
            Features::of::<_, MaterialPhased>(&position("n3k3/6p1/8/4P3/3N4/2R5/P6B/4K2Q w - - 0 1"));
        assert_eq!(features.0[CENTER], 24 * (3 + 2));
        assert_eq!(features.0[ADVANCE], 24 * 3);
    }
}
