use std::num::NonZeroU16;

use crate::{Evaluator, Game};

/// What a search wants to know of a game beyond its rules.
///
/// Pieces have kinds, numbered from the weakest. Moves are tactical or quiet, and the two lists together are all
/// legal moves.
pub trait Tactics: Game {
    /// What a piece of each kind is worth by the textbook, in thousandths of a pawn or man.
    const PIECE_VALUES: &'static [i32];

    /// One more than the largest [`history_index`](Self::history_index).
    const HISTORY_SIZE: usize;

    /// The [`reversible_plies`](Game::reversible_plies) at which the game is drawn.
    const MAX_REVERSIBLE_PLIES: u32;

    /// Whether the side to move must answer something, a check or a compulsory jump. Such a position is unfit for
    /// evaluation.
    fn is_forced(&self) -> bool;

    /// Whether the game is drawn although there are moves; repetition takes more than a position.
    fn is_drawn(&self) -> bool;

    /// Whether the side to move has no move, as far as a glance tells: chess does not look for stalemate.
    fn is_stuck(&self) -> bool;

    /// Whether the game goes on after every quiet move, as far as a glance tells; repetition takes more.
    #[inline]
    fn goes_on_after_quiet(&self) -> bool {
        false
    }

    /// Whether the move captures or makes a queen. Promotions to less are quiet, even with a capture.
    fn is_tactical(&self, mv: Self::Move) -> bool;

    /// Whether the move captures.
    fn is_capture(&self, mv: Self::Move) -> bool;

    /// Whether there is a tactical move.
    fn has_tactical(&self) -> bool;

    /// Calls `f` with every tactical move.
    fn for_each_tactical(&self, f: impl FnMut(Self::Move));

    /// Calls `f` with every other legal move.
    fn for_each_quiet(&self, f: impl FnMut(Self::Move));

    /// The position after passing, where that is a fair guess at the least a move is worth: not in check, not in
    /// endings of kings and pawns, and not in checkers, where having to move loses games.
    fn null_move(&self) -> Option<Self>;

    /// The kind of piece that moves.
    fn mover(&self, mv: Self::Move) -> usize;

    /// What the move takes, and adds by promotion, if kinds are worth `values`.
    fn gain(&self, mv: Self::Move, values: &[i32]) -> i32;

    /// Whether the move and all that is then taken on its target gain at least `threshold`.
    fn see_ge(&self, mv: Self::Move, values: &[i32], threshold: i32) -> bool;

    /// Whether the move brings a pawn to the last rank but one.
    fn is_far_push(&self, mv: Self::Move) -> bool;

    /// A small number for the square where the move ends.
    fn target(mv: Self::Move) -> usize;

    /// A small number that similar moves by the same side share.
    fn history_index(&self, mv: Self::Move) -> usize;

    /// The move in two bytes.
    fn code(mv: Self::Move) -> MoveCode;

    /// A legal move with this code.
    fn decode(&self, code: MoveCode) -> Option<Self::Move>;
}

/// A move squeezed into two bytes; only a position can say which one it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MoveCode(NonZeroU16);

impl MoveCode {
    /// The code with these bits, not all of them zero.
    #[inline]
    pub const fn new(bits: u16) -> Option<Self> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// The bits.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }
}

/// What the pieces are worth to whoever evaluates: a search looks at large captures first.
pub trait PieceValues<G: Tactics>: Evaluator<G> {
    /// The worth of a piece of this kind, in thousandths of a pawn or man.
    #[inline]
    fn piece_value(&self, kind: usize) -> i32 {
        G::PIECE_VALUES[kind]
    }
}
