use std::collections::BTreeMap;

use gamete_stats::GamePoints;
use serde::{Deserialize, Serialize};

/// Games of trials against fixed opponents, by opponent and by opening.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatchTally {
    /// What trials made of each opponent; empty where they played rivals.
    pub opponents: Vec<OpponentTally>,
    /// How many openings there are to play; 0 where every pair has a random one of its own.
    pub suite: usize,
    /// The openings that were played, by their numbers in the suite, from 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub openings: BTreeMap<u32, OpeningTally>,
}

/// What trials made of an opponent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpponentTally {
    /// Who it is.
    pub name: String,
    /// Games of trials that were won.
    pub wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games of trials that were lost.
    pub losses: u64,
}

impl OpponentTally {
    /// How many games there were.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The score of trials, from 0 to 1; nothing without games.
    pub fn score(&self) -> Option<f64> {
        share(2 * self.wins + self.draws, self.games())
    }
}

/// What came of the games from an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpeningTally {
    /// How many there were.
    pub games: u64,
    /// What White made of them, in half points.
    pub white: u64,
}

impl OpeningTally {
    /// White's score, from 0 to 1; nothing without games.
    pub fn white_score(&self) -> Option<f64> {
        share(self.white, self.games)
    }
}

fn share(half_points: u64, games: u64) -> Option<f64> {
    (games > 0).then(|| half_points as f64 / (2 * games) as f64)
}

impl MatchTally {
    /// Games that say something of an opening.
    pub const LEAST_GAMES: u64 = 10;

    /// No games yet against opponents with these names, from so many openings.
    pub(crate) fn new<'a>(opponents: impl IntoIterator<Item = &'a str>, suite: usize) -> Self {
        let none = |name: &str| OpponentTally { name: name.to_owned(), wins: 0, draws: 0, losses: 0 };
        Self { opponents: opponents.into_iter().map(none).collect(), suite, openings: BTreeMap::new() }
    }

    /// Counts a game: for the opponent of this place what the trial made of it, for the opening of this number what White did.
    pub(crate) fn add(&mut self, opponent: Option<(usize, GamePoints)>, opening: Option<(u32, GamePoints)>) {
        if let Some((place, points)) = opponent {
            let OpponentTally { wins, draws, losses, .. } = &mut self.opponents[place];
            *match points {
                GamePoints::Win => wins,
                GamePoints::Draw => draws,
                GamePoints::Loss => losses,
            } += 1;
        }
        if let Some((number, white)) = opening {
            let opening = self.openings.entry(number).or_default();
            opening.games += 1;
            opening.white += u64::from(white.half_points());
        }
    }

    /// Counts the games of another one with the same opponents and openings, too.
    pub fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.opponents.iter_mut().zip(&other.opponents) {
            ours.wins += theirs.wins;
            ours.draws += theirs.draws;
            ours.losses += theirs.losses;
        }
        for (number, theirs) in &other.openings {
            let ours = self.openings.entry(*number).or_default();
            ours.games += theirs.games;
            ours.white += theirs.white;
        }
    }

    /// All games of several, if there are any.
    pub fn total<'a>(tallies: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        tallies.into_iter().fold(None, |total: Option<Self>, one| match total {
            None => Some(one.clone()),
            Some(mut total) => {
                total.merge(one);
                Some(total)
            }
        })
    }

    /// Whether opponents can be told apart.
    pub fn has_opponents(&self) -> bool {
        self.opponents.len() > 1 && self.opponents.iter().any(|one| one.games() > 0)
    }

    /// The fewest and the most games from an opening of the suite.
    pub fn least_and_most(&self) -> [u64; 2] {
        let games = || self.openings.values().map(|one| one.games);
        let least = if self.openings.len() < self.suite { 0 } else { games().min().unwrap_or(0) };
        [least, games().max().unwrap_or(0)]
    }

    /// What White scored in all games from openings of the suite.
    pub fn white_score(&self) -> Option<f64> {
        let sum = |count: fn(&OpeningTally) -> u64| self.openings.values().map(count).sum();
        share(sum(|one| one.white), sum(|one| one.games))
    }

    /// Openings by what White scored from them, the least first: their numbers and scores. Those with fewer than
    /// [`LEAST_GAMES`](Self::LEAST_GAMES) are left out, as they show luck.
    pub fn by_white_score(&self) -> Vec<(u32, f64)> {
        let known = self.openings.iter().filter(|(_, one)| one.games >= Self::LEAST_GAMES);
        let mut scores: Vec<(u32, f64)> =
            known.filter_map(|(number, one)| Some((*number, one.white_score()?))).collect();
        scores.sort_by(|one, other| one.1.total_cmp(&other.1));
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_by_opponent_and_by_opening() {
        let mut tally = MatchTally::new(["a", "b"], 3);
        tally.add(Some((0, GamePoints::Win)), Some((2, GamePoints::Loss)));
        tally.add(Some((0, GamePoints::Draw)), Some((2, GamePoints::Draw)));
        tally.add(Some((1, GamePoints::Loss)), Some((3, GamePoints::Win)));
        assert_eq!(tally.opponents[0].score(), Some(0.75));
        assert_eq!(tally.opponents[1].score(), Some(0.0));
        assert_eq!(tally.least_and_most(), [0, 2], "one opening was never played");
        assert_eq!(tally.white_score(), Some(0.5));
        assert_eq!(tally.by_white_score(), [], "too few games to tell");
        for _ in 0..10 {
            tally.add(None, Some((1, GamePoints::Draw)));
            tally.add(None, Some((2, GamePoints::Loss)));
        }
        assert_eq!(tally.by_white_score(), [(2, 1.0 / 24.0), (1, 0.5)]);
        let mut other = MatchTally::new(["a", "b"], 3);
        other.add(Some((1, GamePoints::Win)), Some((1, GamePoints::Draw)));
        let total = MatchTally::total([&tally, &other]).expect("two tallies");
        assert_eq!((total.opponents[1].games(), total.opponents[1].score()), (2, Some(0.5)));
        assert_eq!((total.least_and_most(), total.has_opponents()), ([1, 12], true));
        let text = serde_json::to_string(&total).expect("plain data");
        assert_eq!(serde_json::from_str::<MatchTally>(&text).expect("a tally"), total);
    }

    #[test]
    fn rivals_have_openings_and_no_opponents() {
        let mut tally = MatchTally::new(["a", "b"], 2);
        tally.add(None, Some((1, GamePoints::Win)));
        assert!(!tally.has_opponents());
        assert_eq!(tally.openings[&1].white_score(), Some(1.0));
    }
}
