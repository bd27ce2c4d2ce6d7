use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use crate::{Color, Ending};

/// A game, as the type of its positions.
///
/// Parsing and displaying a position is its FEN, in the notation of the game at hand. The methods that a search
/// calls are meant to be inlined; code that is generic over `Game` costs what it would cost written by hand.
pub trait Game:
    Clone + Eq + Hash + Debug + Display + FromStr<Err: Error + Send + Sync> + Send + Sync + 'static
{
    /// A move, complete without its position.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// The name by which users choose the game.
    const NAME: &'static str;

    /// The position that games start from.
    fn start() -> Self;

    /// The side to move.
    fn turn(&self) -> Color;

    /// Calls `f` with every legal move, always in the same order.
    fn for_each_move(&self, f: impl FnMut(Self::Move));

    /// The number of legal moves, without making a list of them.
    fn count_moves(&self) -> usize {
        let mut count = 0;
        self.for_each_move(|_| count += 1);
        count
    }

    /// Whether there is a legal move.
    fn has_moves(&self) -> bool {
        self.count_moves() > 0
    }

    /// Whether `mv`, which may come from anywhere, is legal here.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut found = false;
        self.for_each_move(|legal| found |= legal == mv);
        found
    }

    /// Plays a legal move.
    ///
    /// # Panics
    ///
    /// May panic if `mv` is not legal here.
    fn play(&mut self, mv: Self::Move);

    /// A key that is equal for positions that count as repeated, and in practice only for those.
    fn key(&self) -> u64;

    /// Plies since a move that can never be taken back, as far as the position knows.
    fn reversible_plies(&self) -> u32 {
        0
    }

    /// How the game is over by the position alone; repetition takes a [`Line`](crate::Line). Where somebody has won there are
    /// no legal moves.
    fn ending(&self) -> Option<Ending>;

    /// The number by which this move is counted in the score of a game, from 1.
    fn move_number(&self) -> u32;

    /// The position as the players see it after changing seats: same game, other colours.
    #[must_use]
    fn flipped(&self) -> Self;

    /// The move that `text` means here, in any notation that players of this game use.
    ///
    /// # Errors
    ///
    /// When `text` is not a move, or not one that can be played here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError>;

    /// A legal move in the notation of game scores: SAN in chess, PDN in checkers.
    fn move_text(&self, mv: Self::Move) -> String;

    /// All legal moves.
    fn moves(&self) -> Vec<Self::Move> {
        let mut moves = Vec::with_capacity(64);
        self.for_each_move(|mv| moves.push(mv));
        moves
    }
}

/// Why a text is not a move in some position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is not in any notation of the game.
    #[error("not a move")]
    Syntax,
    /// The text is a move, but not here.
    #[error("illegal move")]
    Illegal,
    /// The text fits more than one legal move.
    #[error("ambiguous move")]
    Ambiguous,
}
