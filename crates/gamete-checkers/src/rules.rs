/// Which moves are legal, and what ends a game beside them; everything else is common to all rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Whether a jump must be taken.
    pub captures: Captures,
    /// Whether a move of several jumps must be completed.
    pub multi_jumps: MultiJumps,
    /// Whether games without progress are drawn.
    pub draws: Draws,
}

/// Whether a side that can jump must jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Captures {
    /// A side that can jump has no other moves.
    Compulsory,
    /// Jumps are moves like others.
    Optional,
}

/// Whether a piece that can jump again must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MultiJumps {
    /// The move ends when no further jump is open, or with crowning.
    Complete,
    /// The move may end after any jump.
    MayStop,
}

/// Whether the third repetition of a position and the forty-move rule end a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Draws {
    /// They do.
    Counted,
    /// Only a side without a move ends it: plies that can be taken back are not counted.
    Never,
}

impl Rules {
    /// The rules that tournaments are played by.
    pub const ENGLISH: Self =
        Self { captures: Captures::Compulsory, multi_jumps: MultiJumps::Complete, draws: Draws::Counted };

    /// The rules behind the search benchmark of the MIT report on mutation parameters: nobody has to jump.
    pub const MIT: Self =
        Self { captures: Captures::Optional, multi_jumps: MultiJumps::MayStop, draws: Draws::Counted };
}

impl Default for Rules {
    fn default() -> Self {
        Self::ENGLISH
    }
}
