use serde::{Deserialize, Serialize};

use super::{Adjudication, AtMaxMoves};

/// A length at which games are ended that follows the games: so many times their average.
///
/// It is well above what games take, so that only those that lead nowhere reach it; and as those count with the length
/// they had, it rises where many do. Give it games in an order that does not depend on which was over first, a
/// generation at a time.
///
/// ```
/// # use gamete_arena::MoveCap;
/// let mut cap = MoveCap::default();
/// assert_eq!(cap.moves(), 120);
/// for _ in 0..90 {
///     cap.tell(160);
/// }
/// assert_eq!(cap.moves(), 185, "2.4 times 80 moves, the guess not yet forgotten");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveCap {
    /// How many times the average.
    factor: f64,
    /// The average before any game, in full moves; it counts as [`GUESS_GAMES`](Self::GUESS_GAMES) games.
    guess: f64,
    #[serde(default)]
    games: u64,
    #[serde(default)]
    plies: u64,
}

/// Belmonte's: 120 moves, as games take 50 on average.
impl Default for MoveCap {
    fn default() -> Self {
        Self::new(50.0, Self::FACTOR)
    }
}

impl MoveCap {
    /// How many times the average Belmonte's cap is.
    const FACTOR: f64 = 2.4;

    /// A cap of so many full moves to begin with.
    ///
    /// # Panics
    ///
    /// When there are none.
    pub fn from_moves(moves: u32) -> Self {
        Self::new(f64::from(moves) / Self::FACTOR, Self::FACTOR)
    }

    /// How many games the first guess is worth.
    pub const GUESS_GAMES: u64 = 10;

    /// A cap of `factor` times the average, for games that are guessed to take `guess` full moves.
    ///
    /// # Panics
    ///
    /// When either is not a positive number.
    pub fn new(guess: f64, factor: f64) -> Self {
        assert!(guess > 0.0 && factor > 0.0, "a cap of {factor} times {guess} moves");
        Self { factor, guess, games: 0, plies: 0 }
    }

    /// Takes note of the length of a game, its opening not counted.
    pub fn tell(&mut self, plies: usize) {
        self.games += 1;
        self.plies += plies as u64;
    }

    /// The average of the games so far, in full moves.
    pub fn average(&self) -> f64 {
        let guessed = Self::GUESS_GAMES as f64;
        (self.guess * guessed + self.plies as f64 / 2.0) / (guessed + self.games as f64)
    }

    /// The cap for the next games, in full moves.
    pub fn moves(&self) -> u32 {
        // Rounding errors are no reason for one move more.
        ((self.factor * self.average() * 1e6).round() / 1e6).ceil() as u32
    }

    /// The rule for the next games: at the cap the side with more pieces wins.
    pub fn adjudication(&self) -> Adjudication {
        Adjudication {
            max_moves: Some(self.moves()),
            at_max_moves: AtMaxMoves::Material,
            ..Adjudication::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_follows_the_games() {
        assert_eq!(MoveCap::from_moves(77).moves(), 77);
        assert_eq!(MoveCap::from_moves(120), MoveCap::default());
        let mut cap = MoveCap::default();
        for _ in 0..10 {
            cap.tell(60);
        }
        assert_eq!((cap.average(), cap.moves()), (40.0, 96));
        for _ in 0..1_000_000 {
            cap.tell(60);
        }
        assert_eq!(cap.moves(), 73, "a little more than 72");
    }

    #[test]
    fn it_rises_where_games_reach_it() {
        let mut cap = MoveCap::default();
        for _ in 0..30 {
            let before = cap.moves();
            cap.tell(2 * before as usize);
            assert!(cap.moves() > before);
        }
    }

    #[test]
    fn it_is_plain_data_and_makes_a_rule() {
        let mut cap: MoveCap = serde_json::from_str(r#"{"factor":3.0,"guess":40.0}"#).expect("a cap");
        assert_eq!(cap, MoveCap::new(40.0, 3.0));
        cap.tell(100);
        let json = serde_json::to_string(&cap).expect("plain data");
        assert_eq!(serde_json::from_str::<MoveCap>(&json).expect("what was written"), cap);
        let rule = cap.adjudication();
        assert_eq!((rule.max_moves, rule.at_max_moves), (Some(cap.moves()), AtMaxMoves::Material));
    }
}
