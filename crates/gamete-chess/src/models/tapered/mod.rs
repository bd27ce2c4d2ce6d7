mod attacks;
mod king;
mod pawns;
mod pieces;
mod threats;
mod weights;

use attacks::Attacks;
use cozy_chess::{Board, Color, Piece};
use gamete_game::{Model, Parameter, Terms};
use weights::{CASTLING_LONG, CASTLING_SHORT, FULL, TEMPO, Tally, WEIGHTS};

use super::pawn_structure::PawnStructure;
use super::tally::count as len;
use crate::Position;

/// Several hundred weights, in centipawns: the value of every piece on every square, mobility, pawns, kings and threats, in the
/// middlegame and in the endgame.
///
/// What the side to move threatens and what the other side threatens have weights of their own, for a player that looks a single ply
/// ahead: it evaluates positions in which its opponent is to move.
#[derive(Debug, Clone, Copy)]
pub struct Tapered;

impl Model<Position> for Tapered {
    const NAME: &'static str = "chess/tapered";
    const ABOUT: &'static str =
        "squares, mobility, pawns, kings and threats in middlegame and endgame, in centipawns";
    const WEIGHTS: &'static [Parameter] = WEIGHTS;
    const SCALE: f64 = 10.0;
    const DIVISOR: i32 = FULL;

    #[inline]
    fn accumulate(position: &Position, terms: &mut impl Terms) {
        let board = position.board();
        let phase = phase(board);
        let pawns = Color::ALL.map(|color| PawnStructure::new(board, color));
        let mut attacks = Color::ALL.map(|color| Attacks::new(board, color, &pawns[color as usize]));
        for (color, sign) in SIDES {
            let mut tally = Tally::new(terms, phase, sign);
            let enemy_pawns = attacks[!color as usize].by[Piece::Pawn as usize];
            let own = &mut attacks[color as usize];
            pieces::count(board, color, &pawns[color as usize], enemy_pawns, own, &mut tally);
        }
        for (color, sign) in SIDES {
            let mut tally = Tally::new(terms, phase, sign);
            let (own, enemy) = (&attacks[color as usize], &attacks[!color as usize]);
            pawns::count(board, color, &pawns[color as usize], enemy, &mut tally);
            king::count(board, color, &pawns[color as usize], own, enemy, &mut tally);
            threats::count(board, color, own, enemy, &mut tally);
            let rights = board.castle_rights(color);
            tally.add(CASTLING_SHORT, rights.short.is_some().into());
            tally.add(CASTLING_LONG, rights.long.is_some().into());
            tally.add(TEMPO, (color == board.side_to_move()).into());
        }
    }

    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        (kind <= Piece::Queen as usize).then(|| weights[2 * kind])
    }
}

const SIDES: [(Color, i32); 2] = [(Color::White, 1), (Color::Black, -1)];

fn phase(board: &Board) -> i32 {
    let minors = len(board.pieces(Piece::Knight) | board.pieces(Piece::Bishop));
    let (rooks, queens) = (len(board.pieces(Piece::Rook)), len(board.pieces(Piece::Queen)));
    (minors + 2 * rooks + 4 * queens).min(FULL)
}
