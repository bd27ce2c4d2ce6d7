use gamete_stats::Sprt;
use serde::{Deserialize, Serialize};

use super::{Encounter, Schedule, Tournament};
use crate::task::GameTask;
use crate::{Adjudication, Contestant, OpeningSource, Playable, Rng};

/// All that decides which games a match has, and when it is over.
pub struct MatchPlan<G: Playable> {
    /// Who plays.
    pub contestants: Vec<Contestant>,
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
    /// Where games start.
    pub openings: OpeningSource<G>,
    /// Which encounters have an opening in common.
    pub policy: OpeningPolicy,
    /// When games are decided before their end.
    pub adjudication: Adjudication,
    /// The test that ends the match.
    pub sprt: Option<Sprt>,
    /// What all that is random comes from.
    pub seed: u64,
    /// Whether the match goes on when a contestant fails.
    pub recover: bool,
    /// Whether outcomes have [details](crate::MoveDetail) of every move.
    pub details: bool,
}

/// Which pairs of games have an opening in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningPolicy {
    /// Those of one round, whoever plays.
    #[default]
    Round,
    /// None.
    Encounter,
}

impl OpeningPolicy {
    /// Whether it is that of matches for which nothing else is said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl<G: Playable> MatchPlan<G> {
    /// The encounters, as far as they are known before any game.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.tournament, self.contestants.len(), self.rounds, self.seed)
    }

    /// How many pairs of games have openings of their own.
    pub fn pairs(&self) -> u64 {
        match self.policy {
            OpeningPolicy::Round => self.rounds,
            OpeningPolicy::Encounter => self.schedule().expected_len(),
        }
    }

    /// Whether encounters are pairs with colours swapped.
    pub fn has_pairs(&self) -> bool {
        self.games == 2 && self.swap
    }

    /// Who has White and who has Black in the games of an encounter.
    pub fn sides(&self, encounter: &Encounter) -> Vec<(usize, usize)> {
        (0..self.games).map(|game| encounter.sides(game, self.games, self.swap, self.reverse)).collect()
    }

    /// The games of an encounter.
    pub fn tasks(&self, encounter: &Encounter) -> Vec<GameTask> {
        let opening = self.openings.opening(match self.policy {
            OpeningPolicy::Round => encounter.round,
            OpeningPolicy::Encounter => encounter.number,
        });
        let first_game = encounter.number.wrapping_mul(self.games);
        let task = |(game, (white, black)): (u64, (usize, usize))| {
            let mut seeds = Rng::new(self.seed.wrapping_add(first_game + game));
            let [white, black] = [white, black].map(|index| self.contestants[index].clone());
            let task = GameTask::new(&opening, white, black, self.adjudication, seeds.next_u64());
            GameTask { details: self.details, ..task }
        };
        (0..).zip(self.sides(encounter)).map(task).collect()
    }

    /// The name of a contestant.
    pub(super) fn name(&self, contestant: usize) -> &str {
        &self.contestants[contestant].name
    }

    /// The number of a game in the match, from 0.
    pub(super) fn game_number(&self, encounter: u64, game: usize) -> u64 {
        encounter * self.games + game as u64
    }
}
