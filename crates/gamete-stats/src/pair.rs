use std::iter::Sum;

use serde::{Deserialize, Serialize};

use crate::{Pentanomial, Trinomial};

/// What a player made of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GamePoints {
    /// It lost.
    Loss,
    /// Nobody won.
    Draw,
    /// It won.
    Win,
}

/// What a player made of the two games of a pair, with White and then with Black.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairResult(pub [GamePoints; 2]);

/// What a player makes of two games, in half points from 0 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PairScore(pub u8);

impl GamePoints {
    /// A win is two half points, a draw one.
    pub const fn half_points(self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }

    const fn letter(self) -> char {
        match self {
            Self::Win => 'W',
            Self::Draw => 'D',
            Self::Loss => 'L',
        }
    }

    const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'W' => Some(Self::Win),
            b'D' => Some(Self::Draw),
            b'L' => Some(Self::Loss),
            _ => None,
        }
    }
}

impl From<GamePoints> for Trinomial {
    fn from(points: GamePoints) -> Self {
        match points {
            GamePoints::Loss => Self::new(0, 0, 1),
            GamePoints::Draw => Self::new(0, 1, 0),
            GamePoints::Win => Self::new(1, 0, 0),
        }
    }
}

impl PairResult {
    /// The half points of both games.
    pub const fn score(self) -> PairScore {
        let [white, black] = self.0;
        PairScore(white.half_points() + black.half_points())
    }

    /// As two letters, the game with White first: `WL`.
    pub fn letters(self) -> String {
        self.0.iter().map(|points| points.letter()).collect()
    }

    /// From two letters.
    pub fn from_letters(letters: &[u8]) -> Option<Self> {
        let [white, black] = letters.try_into().ok()?;
        Some(Self([GamePoints::from_letter(white)?, GamePoints::from_letter(black)?]))
    }
}

impl From<PairResult> for Pentanomial {
    fn from(PairResult(games): PairResult) -> Self {
        use GamePoints::{Draw, Loss, Win};
        let mut pairs = Self::default();
        match games {
            [Win, Win] => pairs.ww = 1,
            [Win, Draw] | [Draw, Win] => pairs.wd = 1,
            [Win, Loss] | [Loss, Win] => pairs.wl = 1,
            [Draw, Draw] => pairs.dd = 1,
            [Draw, Loss] | [Loss, Draw] => pairs.ld = 1,
            [Loss, Loss] => pairs.ll = 1,
        }
        pairs
    }
}

impl Sum<PairResult> for Pentanomial {
    fn sum<I: Iterator<Item = PairResult>>(results: I) -> Self {
        results.map(Self::from).sum()
    }
}

impl Sum<PairScore> for Pentanomial {
    /// Pairs with two half points are taken for two draws, which changes no estimate of pairs.
    fn sum<I: Iterator<Item = PairScore>>(scores: I) -> Self {
        let mut pairs = Self::default();
        for PairScore(score) in scores {
            match score {
                0 => pairs.ll += 1,
                1 => pairs.ld += 1,
                2 => pairs.dd += 1,
                3 => pairs.wd += 1,
                _ => pairs.ww += 1,
            }
        }
        pairs
    }
}

impl PairScore {
    /// What a match of several pairs counts as, which the paper defines for one pair only.
    ///
    /// Whoever has more points wins the match, and with as many for both it is drawn. A win counts as 2–0 from seven
    /// eighths of the points on, where 2–0 is nearer than 1½–½, and else as 1½–½. So a match counts for one player as it
    /// counts against the other, and a single pair as itself.
    #[must_use]
    pub fn of_match(pairs: &[Self]) -> Self {
        let even = 2 * pairs.len() as i64;
        let lead = pairs.iter().map(|pair| i64::from(pair.0)).sum::<i64>() - even;
        let margin = match 4 * lead.abs() {
            0 => 0,
            close if close < 3 * even => 1,
            _ => 2,
        };
        Self((2 + lead.signum() * margin) as u8)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection, prop_assert, prop_assert_eq, proptest, sample};

    use super::*;

    const ALL: [GamePoints; 3] = [GamePoints::Loss, GamePoints::Draw, GamePoints::Win];

    fn all_pairs() -> impl Iterator<Item = PairResult> {
        ALL.into_iter().flat_map(|white| ALL.map(|black| PairResult([white, black])))
    }

    #[test]
    fn letters_are_read_back() {
        for result in all_pairs() {
            assert_eq!(PairResult::from_letters(result.letters().as_bytes()), Some(result));
        }
        assert_eq!(PairResult::from_letters(b".."), None);
        assert_eq!(PairResult::from_letters(b"W"), None);
    }

    #[test]
    fn pairs_are_sorted_by_their_points() {
        for result in all_pairs() {
            let mut counts = [0; 5];
            counts[usize::from(result.score().0)] = 1;
            assert_eq!(Pentanomial::from(result).counts(), counts, "{result:?}");
        }
        let pair = |letters: &[u8]| Pentanomial::from(PairResult::from_letters(letters).unwrap());
        assert_eq!((pair(b"LW").wl, pair(b"WL").wl, pair(b"DD").dd), (1, 1, 1));
        assert_eq!(all_pairs().sum::<Pentanomial>().counts(), [1, 2, 3, 2, 1]);
        assert_eq!(all_pairs().map(PairResult::score).sum::<Pentanomial>().counts(), [1, 2, 3, 2, 1]);
    }

    fn count(scores: &[u8]) -> u8 {
        PairScore::of_match(&scores.iter().copied().map(PairScore).collect::<Vec<_>>()).0
    }

    #[test]
    fn whoever_has_more_points_wins_a_match_of_two_pairs() {
        let counted: Vec<u8> = [[0, 0], [1, 0], [1, 1], [2, 1], [2, 2], [3, 2], [3, 3], [4, 3], [4, 4]]
            .map(|scores| count(&scores))
            .to_vec();
        assert_eq!(counted, [0, 0, 1, 1, 2, 3, 3, 4, 4]);
    }

    #[test]
    fn a_match_of_a_thousand_pairs_counts_by_all_of_them() {
        for score in 0..=4 {
            assert_eq!(count(&[score; 1000]), score);
        }
        let mut scores = [2; 1000];
        scores[999] = 1;
        assert_eq!(count(&scores), 1);
        scores[0] = 4;
        assert_eq!(count(&scores), 3);
    }

    proptest! {
        #[test]
        fn a_match_counts_for_one_player_as_against_the_other(
            scores in collection::vec(0..=4_u8, 1..600),
        ) {
            let mirrored: Vec<u8> = scores.iter().map(|score| 4 - score).collect();
            prop_assert_eq!(count(&mirrored), 4 - count(&scores));
        }

        #[test]
        fn another_half_point_never_makes_a_match_count_for_less(
            scores in collection::vec(0..=4_u8, 1..20), which: sample::Index,
        ) {
            let mut better = scores.clone();
            let score = which.get_mut(&mut better);
            *score = (*score + 1).min(4);
            prop_assert!(count(&better) >= count(&scores));
        }

        #[test]
        fn a_single_pair_counts_as_itself(score in 0..=4_u8) {
            prop_assert_eq!(count(&[score]), score);
        }
    }
}
