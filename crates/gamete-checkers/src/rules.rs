/// Which moves are legal; everything else is common to all rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Whether a jump must be taken.
    pub captures: Captures,
    /// Whether a move of several jumps must be completed.
    pub multi_jumps: MultiJumps,
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

impl Rules {
    /// The rules that tournaments are played by.
    pub const ENGLISH: Self = Self { captures: Captures::Compulsory, multi_jumps: MultiJumps::Complete };

    /// The rules behind the search benchmark of the MIT report on mutation parameters: nobody has to jump.
    pub const MIT: Self = Self { captures: Captures::Optional, multi_jumps: MultiJumps::MayStop };
}

impl Default for Rules {
    fn default() -> Self {
        Self::ENGLISH
    }
}
