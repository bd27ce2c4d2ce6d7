/// What a move is, in the words of its game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveKind {
    /// The piece that moves, as in `knight`.
    pub piece: &'static str,
    /// What it does, as in `capture`; a move does one of these things.
    pub action: &'static str,
    /// Whether it gives check, in games with such a thing.
    pub gives_check: bool,
}

impl MoveKind {
    /// A move that changes nothing but where a piece stands.
    pub const QUIET: &'static str = "quiet move";
    /// A move that takes something.
    pub const CAPTURE: &'static str = "capture";
}
