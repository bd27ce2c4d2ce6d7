/// What a piece can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Moves and jumps forward.
    Man,
    /// Moves and jumps in all four directions, one square at a time.
    King,
}
