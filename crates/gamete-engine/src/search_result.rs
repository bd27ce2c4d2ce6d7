use std::time::Duration;

use gamete_game::{Game, Score};

/// What a search has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult<G: Game> {
    /// The best move; nothing only if there is no legal one.
    pub best: Option<G::Move>,
    /// What it is worth to the side to move.
    pub score: Score,
    /// The last iteration that was completed, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// Positions visited, the root included.
    pub nodes: u64,
    /// Positions visited until the best move became the choice for good.
    pub settled: u64,
    /// The line that both sides should play.
    pub pv: Vec<G::Move>,
}

/// What a search has found so far.
#[derive(Debug, Clone, Copy)]
pub struct Info<'a, G: Game> {
    /// The iteration that was completed, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// What the position is worth to the side to move.
    pub score: Score,
    /// Positions visited.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// How much of the table is in use, in thousandths.
    pub hashfull: u32,
    /// The line that both sides should play.
    pub pv: &'a [G::Move],
}
