use std::iter::Sum;
use std::ops::{Add, AddAssign};

use crate::Trinomial;

/// Pairs of games from one opening with colours swapped, by what the first player made of them.
///
/// The middle of the five kinds has two parts that score alike: a win and a loss, and two draws. They are kept apart,
/// because their ratio tells how unbalanced the openings are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Pentanomial {
    /// Two losses.
    pub ll: u64,
    /// A loss and a draw.
    pub ld: u64,
    /// A win and a loss.
    pub wl: u64,
    /// Two draws.
    pub dd: u64,
    /// A win and a draw.
    pub wd: u64,
    /// Two wins.
    pub ww: u64,
}

impl Pentanomial {
    /// How many pairs.
    pub const fn pairs(self) -> u64 {
        self.ll + self.ld + self.middle() + self.wd + self.ww
    }

    /// The pairs that scored one point.
    pub const fn middle(self) -> u64 {
        self.wl + self.dd
    }

    /// The five counts from worst to best, as reports print them.
    pub const fn counts(self) -> [u64; 5] {
        [self.ll, self.ld, self.middle(), self.wd, self.ww]
    }

    /// The games of the pairs.
    pub const fn games(self) -> Trinomial {
        Trinomial {
            wins: 2 * self.ww + self.wd + self.wl,
            draws: self.wd + self.ld + 2 * self.dd,
            losses: 2 * self.ll + self.ld + self.wl,
        }
    }

    /// Five counts, the middle one split so that the games won, drawn and lost come out; `None` if they cannot.
    pub fn from_counts(counts: [u64; 5], games: Trinomial) -> Option<Self> {
        let [ll, ld, middle, wd, ww] = counts;
        let wl = games.wins.checked_sub(ww.checked_mul(2)?.checked_add(wd)?)?;
        let pairs = Self { ll, ld, wl, dd: middle.checked_sub(wl)?, wd, ww };
        (pairs.games() == games).then_some(pairs)
    }

    /// The share of pairs that scored one point, which reports call the draw ratio; NaN before the first.
    pub fn draw_ratio(self) -> f64 {
        self.middle() as f64 / self.pairs() as f64
    }

    /// Pairs won by pairs lost, infinite or NaN where none was lost.
    pub fn pairs_ratio(self) -> f64 {
        (self.wd + self.ww) as f64 / (self.ll + self.ld) as f64
    }

    /// Pairs with a win and a loss by pairs with two draws, infinite or NaN where there are none of these.
    pub fn wl_dd_ratio(self) -> f64 {
        self.wl as f64 / self.dd as f64
    }

    /// The same pairs as the opponent counts them.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self { ll: self.ww, ld: self.wd, wl: self.wl, dd: self.dd, wd: self.ld, ww: self.ll }
    }
}

impl Add for Pentanomial {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            ll: self.ll + other.ll,
            ld: self.ld + other.ld,
            wl: self.wl + other.wl,
            dd: self.dd + other.dd,
            wd: self.wd + other.wd,
            ww: self.ww + other.ww,
        }
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Pentanomial {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_split_by_the_games() {
        let pairs = Pentanomial { ll: 43, ld: 61, wl: 119, dd: 25, wd: 55, ww: 37 };
        assert_eq!(pairs.games(), Trinomial::new(248, 166, 266));
        assert_eq!(Pentanomial::from_counts(pairs.counts(), pairs.games()), Some(pairs));
        assert_eq!(Pentanomial::from_counts(pairs.counts(), Trinomial::new(248, 166, 267)), None);
        assert_eq!(Pentanomial::from_counts(pairs.counts(), Trinomial::new(10, 166, 504)), None);
    }
}
