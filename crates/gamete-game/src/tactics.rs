use std::num::NonZeroU16;

use crate::{Evaluator, Game};

/// What a search wants to know of a game beyond its rules.
///
/// Pieces have kinds, numbered from the weakest. Moves are tactical or quiet, and the two lists together are all
/// legal moves. What has a default fits games without captures, in which pieces of one kind are put on a board.
pub trait Tactics: Game {
    /// What a piece of each kind is worth by the textbook, in thousandths of a pawn or man.
    const PIECE_VALUES: &'static [i32] = &[1_000];

    /// One more than the largest [`history_index`](Self::history_index).
    const HISTORY_SIZE: usize;

    /// The [`reversible_plies`](Game::reversible_plies) at which the game is drawn.
    const MAX_REVERSIBLE_PLIES: u32 = u32::MAX;

    /// Whether the side to move must answer something, a check or a compulsory jump. Such a position is unfit for
    /// evaluation.
    #[inline]
    fn is_forced(&self) -> bool {
        false
    }

    /// Whether the game is drawn although there are moves; repetition takes more than a position.
    #[inline]
    fn is_drawn(&self) -> bool {
        false
    }

    /// Whether the side to move has no move, as far as a glance tells: chess does not look for stalemate.
    #[inline]
    fn is_stuck(&self) -> bool {
        !self.has_moves()
    }

    /// Whether the game goes on after every quiet move, as far as a glance tells; repetition takes more.
    #[inline]
    fn goes_on_after_quiet(&self) -> bool {
        false
    }

    /// Whether the move captures or makes a queen. Promotions to less are quiet, even with a capture.
    #[inline]
    fn is_tactical(&self, mv: Self::Move) -> bool {
        self.is_capture(mv)
    }

    /// Whether the move captures.
    #[inline]
    fn is_capture(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// Whether there is a tactical move.
    #[inline]
    fn has_tactical(&self) -> bool {
        let mut found = false;
        self.for_each_tactical(|_| found = true);
        found
    }

    /// Calls `f` with every tactical move.
    #[inline]
    fn for_each_tactical(&self, f: impl FnMut(Self::Move)) {
        let _ = f;
    }

    /// Calls `f` with every other legal move.
    #[inline]
    fn for_each_quiet(&self, f: impl FnMut(Self::Move)) {
        self.for_each_move(f);
    }

    /// The position after passing, where that is a fair guess at the least a move is worth: not in check, not in
    /// endings of kings and pawns, and not in checkers, where having to move loses games.
    #[inline]
    fn null_move(&self) -> Option<Self> {
        None
    }

    /// The kind of piece that moves.
    #[inline]
    fn mover(&self, mv: Self::Move) -> usize {
        let _ = mv;
        0
    }

    /// What the move takes, and adds by promotion, if kinds are worth `values`.
    #[inline]
    fn gain(&self, mv: Self::Move, values: &[i32]) -> i32 {
        let _ = (mv, values);
        0
    }

    /// Whether the move and all that is then taken on its target gain at least `threshold`.
    #[inline]
    fn see_ge(&self, mv: Self::Move, values: &[i32], threshold: i32) -> bool {
        self.gain(mv, values) >= threshold
    }

    /// Whether the move brings a pawn to the last rank but one.
    #[inline]
    fn is_far_push(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// A small number for the square where the move ends.
    #[inline]
    fn target(mv: Self::Move) -> usize {
        Self::code(mv).bits().into()
    }

    /// A small number that similar moves by the same side share.
    fn history_index(&self, mv: Self::Move) -> usize;

    /// The move in two bytes.
    fn code(mv: Self::Move) -> MoveCode;

    /// A legal move with this code.
    #[inline]
    fn decode(&self, code: MoveCode) -> Option<Self::Move> {
        let mut found = None;
        self.for_each_move(|mv| found = found.or((Self::code(mv) == code).then_some(mv)));
        found
    }
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
