//! What games come to for one of the players. Games that do not count are taken for draws.

use gamete_game::Color;
use gamete_stats::{GamePoints, PairResult};

use super::GameResult;

impl GameResult {
    /// What the player of a colour made of it.
    pub(crate) fn points(&self, color: Color) -> GamePoints {
        self.termination.points(color).unwrap_or(GamePoints::Draw)
    }

    /// What the player that had White in the first of two games made of them.
    pub(crate) fn pair([first, second]: [&Self; 2]) -> PairResult {
        PairResult([first.points(Color::White), second.points(Color::Black)])
    }
}
