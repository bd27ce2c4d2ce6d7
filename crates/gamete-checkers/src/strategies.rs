//! Positions for property tests.

use gamete_game::{ByColor, Color, Game};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::{Bitboard, Move, Position, Rules, Square};

/// Which of the legal moves to play, ply after ply.
#[derive(Debug, Clone)]
pub(crate) struct Playout(Vec<Index>);

impl Playout {
    /// Plays on from `position` as long as there are choices and moves.
    pub(crate) fn play(&self, position: &mut Position) -> Vec<Move> {
        let mut played = Vec::new();
        for choice in &self.0 {
            let moves = position.moves();
            if moves.is_empty() {
                break;
            }
            let mv = *choice.get(&moves);
            position.play(mv);
            played.push(mv);
        }
        played
    }
}

pub(crate) fn playout() -> impl Strategy<Value = Playout> {
    vec(any::<Index>(), 0..150).prop_map(Playout)
}

/// A position that play from the start leads to.
pub(crate) fn reachable() -> impl Strategy<Value = Position> {
    playout().prop_map(|playout| {
        let mut position = Position::start();
        playout.play(&mut position);
        position
    })
}

/// A few pieces on any squares, many of them kings, under either rules.
pub(crate) fn scattered() -> impl Strategy<Value = Position> {
    let contents = prop_oneof![6 => Just(None), 4 => any::<(bool, bool)>().prop_map(Some)];
    (vec(contents, 32), any::<bool>(), any::<bool>()).prop_map(|(board, white_to_move, mit)| {
        let mut pieces = ByColor::<Bitboard>::default();
        let mut kings = Bitboard::EMPTY;
        for (square, content) in Square::all().zip(board) {
            let Some((is_white, is_king)) = content else {
                continue;
            };
            let color = if is_white { Color::White } else { Color::Black };
            if pieces[color].len() < Position::MAX_PIECES {
                pieces[color] |= square.bitboard();
                if is_king || Position::crown_row(color).contains(square) {
                    kings |= square.bitboard();
                }
            }
        }
        let turn = if white_to_move { Color::White } else { Color::Black };
        let rules = if mit { Rules::MIT } else { Rules::ENGLISH };
        Position::from_pieces(pieces, kings, turn).with_rules(rules)
    })
}
