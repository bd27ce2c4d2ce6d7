use cozy_chess::{BitBoard, Color, Piece};
use gamete_game::{Model, Parameter, Terms};

use super::fill::{ranks_advanced, relative};
use super::legal_moves::activity;
use super::tally::{count, difference};
use super::weights::weights;
use crate::Position;

/// Material and legal moves: the evaluation of Kendall and Whitwell, "An Evolutionary Approach for the Tuning of a
/// Chess Evaluation Function Using Population Dynamics" (2001).
///
/// The king's weight never matters, as both sides have one. The last two weights are the paper's fixed bonuses, of
/// unknown size.
#[derive(Debug, Clone, Copy)]
pub struct KendallWhitwell;

weights! {
    real [0.0, 12.0] => {
        PAWN     "pawn"     1.0 "pawns"
        KNIGHT   "knight"   3.0 "knights"
        BISHOP   "bishop"   3.0 "bishops"
        ROOK     "rook"     5.0 "rooks"
        QUEEN    "queen"    9.0 "queens"
        KING     "king"     0.0 "kings"
        MOBILITY "mobility" 0.1 "legal moves, the other side's as if it were to move and none if it gives check"
    }
    real [0.0, 1.0] => {
        CENTER        "center"         0.0 "squares of d4, e4, d5 and e5 that some piece or pawn attacks"
        ADVANCED_PAWN "advanced_pawns" 0.0 "ranks that pawns have advanced from their second"
    }
}

impl Model<Position> for KendallWhitwell {
    const NAME: &'static str = "chess/kendall-whitwell";
    const ABOUT: &'static str = "material and the number of legal moves, in pawns";
    const WEIGHTS: &'static [Parameter] = WEIGHTS;
    const SCALE: f64 = 1000.0;

    #[inline]
    fn accumulate(position: &Position, terms: &mut impl Terms) {
        const CENTER_SQUARES: BitBoard = BitBoard(0x0000_0018_1800_0000);
        let board = position.board();
        let [white, black] = activity(board);
        let advanced = |color| ranks_advanced(relative(board.colored_pieces(color, Piece::Pawn), color));
        terms.add(PAWN, difference(board, Piece::Pawn));
        terms.add(KNIGHT, difference(board, Piece::Knight));
        terms.add(BISHOP, difference(board, Piece::Bishop));
        terms.add(ROOK, difference(board, Piece::Rook));
        terms.add(QUEEN, difference(board, Piece::Queen));
        terms.add(KING, difference(board, Piece::King));
        terms.add(MOBILITY, white.moves - black.moves);
        terms.add(CENTER, count(white.attacked & CENTER_SQUARES) - count(black.attacked & CENTER_SQUARES));
        terms.add(ADVANCED_PAWN, advanced(Color::White) - advanced(Color::Black));
    }

    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        (kind <= QUEEN).then(|| weights[kind])
    }
}

#[cfg(test)]
mod tests {
    use gamete_game::Features;

    use super::*;

    fn features(fen: &str) -> Vec<i32> {
        Features::of::<Position, KendallWhitwell>(&fen.parse().expect("a FEN")).0
    }

    #[test]
    fn a_side_that_gives_check_has_no_moves() {
        assert_eq!(features("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")[MOBILITY], 10 + 5 + 1 - 5);
        assert_eq!(features("R3k3/8/8/8/8/8/8/4K3 b - - 0 1")[MOBILITY], -3);
    }

    #[test]
    fn a_rook_that_covers_the_king_cannot_castle() {
        assert_eq!(features("4k3/8/8/8/8/8/8/1RK5 w B - 0 1")[MOBILITY], 8 + 4 + 1 - 5);
        assert_eq!(features("4k3/8/8/8/8/8/8/rRK5 w B - 0 1")[MOBILITY], 1 + 4 - (8 + 5));
    }

    #[test]
    fn the_bonuses_are_for_attacks_on_the_centre_and_for_advance() {
        let features = features("4k3/pp6/8/8/8/2P5/P4B2/4K3 w - - 0 1");
        assert_eq!(features[CENTER], 1);
        assert_eq!(features[ADVANCED_PAWN], 1);
    }
}
