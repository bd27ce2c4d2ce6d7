use crate::distribution::Distribution;
use crate::{Pentanomial, Trinomial};

/// Results as they are judged: game by game, or pair by pair.
///
/// Judge games that were played in pairs as pairs: the two games of one opening are not independent, and as single
/// games their variance comes out too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// Games that have nothing to do with one another.
    Games(Trinomial),
    /// Pairs of games, colours swapped.
    Pairs(Pentanomial),
}

impl From<Trinomial> for Results {
    fn from(games: Trinomial) -> Self {
        Self::Games(games)
    }
}

impl From<Pentanomial> for Results {
    fn from(pairs: Pentanomial) -> Self {
        Self::Pairs(pairs)
    }
}

impl Results {
    /// The games won, drawn and lost.
    pub const fn games(self) -> Trinomial {
        match self {
            Self::Games(games) => games,
            Self::Pairs(pairs) => pairs.games(),
        }
    }

    /// How many independent results: games, or pairs.
    pub const fn count(self) -> u64 {
        match self {
            Self::Games(games) => games.games(),
            Self::Pairs(pairs) => pairs.pairs(),
        }
    }

    /// Games in one independent result.
    pub const fn games_each(self) -> u64 {
        match self {
            Self::Games(_) => 1,
            Self::Pairs(_) => 2,
        }
    }

    /// Points a game; ½ before the first.
    pub fn score(self) -> f64 {
        self.games().score()
    }

    /// The variance of one independent result around the score, with the count as its divisor.
    pub fn variance(self) -> f64 {
        if self.count() == 0 { 0.0 } else { Distribution::new(&self.counts()).mean_and_variance().1 }
    }

    /// The share of draws: drawn games, or pairs that scored one point.
    pub fn draw_ratio(self) -> f64 {
        match self {
            Self::Games(games) => games.draw_ratio(),
            Self::Pairs(pairs) => pairs.draw_ratio(),
        }
    }

    /// The same results as the opponent counts them.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Games(games) => Self::Games(games.flipped()),
            Self::Pairs(pairs) => Self::Pairs(pairs.flipped()),
        }
    }

    /// The counts from worst to best.
    pub(crate) fn counts(self) -> Vec<f64> {
        match self {
            Self::Games(games) => [games.losses, games.draws, games.wins].map(|count| count as f64).to_vec(),
            Self::Pairs(pairs) => pairs.counts().map(|count| count as f64).to_vec(),
        }
    }

    /// The distribution tests are made on: a count of zero becomes a thousandth, so that nothing is impossible.
    pub(crate) fn regularised(self) -> Distribution {
        let counts: Vec<_> =
            self.counts().iter().map(|&count| if count == 0.0 { 1e-3 } else { count }).collect();
        Distribution::new(&counts)
    }
}
