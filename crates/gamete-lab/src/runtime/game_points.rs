//! What games come to for one of the players. Games that do not count are taken for draws.

use gamete_arena::Termination;
use gamete_game::Color;
use gamete_stats::{GamePoints, PairResult};

use super::GameResult;

impl GameResult {
    /// What the player of a colour made of it.
    pub(crate) fn points(&self, color: Color) -> GamePoints {
        self.termination.points(color).unwrap_or(GamePoints::Draw)
    }

    /// Whether the opponent of the player of a colour failed, so that the game says nothing of the player. Who is out of time
    /// has lost a game that was played.
    pub(crate) fn is_void(&self, color: Color) -> bool {
        let is_late = matches!(self.termination, Termination::TimeLoss { .. });
        !is_late && self.termination.at_fault() == Some(!color)
    }

    /// What the player that had White in the first of two games made of them.
    pub(crate) fn pair([first, second]: [&Self; 2]) -> PairResult {
        PairResult([first.points(Color::White), second.points(Color::Black)])
    }
}
