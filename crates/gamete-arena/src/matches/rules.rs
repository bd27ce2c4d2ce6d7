use gamete_stats::Sprt;

use super::{Encounter, Schedule, Tournament};

/// Which games a match has and when it is over, whoever plays and from whatever opening.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchRules {
    /// Who meets whom.
    pub tournament: Tournament,
    /// Encounters of every two who meet.
    pub rounds: u64,
    /// Games of an encounter: two make a pair.
    pub games: u64,
    /// Whether colours change from game to game.
    pub swap: bool,
    /// Whether the second of two has White first.
    pub reverse: bool,
    /// The test that ends the match.
    pub sprt: Option<Sprt>,
    /// What all that is random comes from.
    pub seed: u64,
}

impl MatchRules {
    /// The encounters of so many contestants, as far as they are known before any game.
    pub fn schedule(&self, contestants: usize) -> Schedule {
        Schedule::new(self.tournament, contestants, self.rounds, self.seed)
    }

    /// Whether encounters are pairs with colours swapped.
    pub fn has_pairs(&self) -> bool {
        self.games == 2 && self.swap
    }

    /// Whether encounters that were played before their turn count when a match is interrupted. A sequential test takes them
    /// in order, and in a quick-tournament who meets whom follows from those before.
    pub fn counts_out_of_turn(&self) -> bool {
        self.sprt.is_none() && self.tournament != Tournament::Quick
    }

    /// Who has White and who has Black in the games of an encounter.
    pub fn sides(&self, encounter: &Encounter) -> Vec<(usize, usize)> {
        let Encounter { round, first, second, .. } = *encounter;
        let sides = |game: u64| {
            // Single games change colours from round to round.
            let turn = if self.games == 1 { round } else { game };
            let swapped = (self.swap && turn % 2 == 1) != self.reverse;
            if swapped { (second, first) } else { (first, second) }
        };
        (0..self.games).map(sides).collect()
    }

    /// The number of a game in the match, from 0.
    pub fn game_number(&self, encounter: u64, game: usize) -> u64 {
        encounter * self.games + game as u64
    }
}
