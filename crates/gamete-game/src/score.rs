use std::fmt;
use std::ops::Neg;

/// What a position is worth to the side to move: thousandths of a pawn or man, or a forced end in so many plies.
///
/// Scores are ordered: any loss is below every evaluation, any win above, and quicker wins are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

/// The meaning of a [`Score`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScoreKind {
    /// Hundredths of a pawn, rounded towards zero.
    Centipawns(i32),
    /// The side to move wins in this many plies.
    Win(u32),
    /// The side to move loses in this many plies.
    Loss(u32),
}

impl Score {
    const END: i32 = 1_000_000_000;
    const MAX_PLIES: i32 = 1_000;

    /// Neither side is better.
    pub const ZERO: Self = Self(0);
    /// The largest evaluation.
    pub const MAX_EVALUATION: Self = Self(Self::END - Self::MAX_PLIES - 1);
    /// Above every score, and so never reached.
    pub const INFINITY: Self = Self(Self::END + 1);

    /// An evaluation in thousandths of a pawn, clamped so that it is never taken for a forced end.
    #[inline]
    pub const fn new(millipawns: i32) -> Self {
        let most = Self::MAX_EVALUATION.0;
        if millipawns > most {
            Self(most)
        } else if millipawns < -most {
            Self(-most)
        } else {
            Self(millipawns)
        }
    }

    /// An evaluation in thousandths of a pawn that may be any number, clamped as well.
    #[inline]
    pub fn saturating(millipawns: i64) -> Self {
        let most = i64::from(Self::MAX_EVALUATION.0);
        Self(millipawns.clamp(-most, most) as i32)
    }

    /// An evaluation in hundredths of a pawn, clamped as well.
    #[inline]
    pub const fn centipawns(value: i32) -> Self {
        Self::new(value.saturating_mul(10))
    }

    /// The side to move wins in `plies`.
    #[inline]
    pub const fn win_in(plies: u32) -> Self {
        let plies = if plies < Self::MAX_PLIES as u32 { plies as i32 } else { Self::MAX_PLIES };
        Self(Self::END - plies)
    }

    /// The side to move loses in `plies`.
    #[inline]
    pub const fn loss_in(plies: u32) -> Self {
        Self(-Self::win_in(plies).0)
    }

    /// Thousandths of a pawn; far beyond any evaluation for a forced end.
    #[inline]
    pub const fn millipawns(self) -> i32 {
        self.0
    }

    /// The score as the other side sees it, for constants.
    #[inline]
    #[must_use]
    pub const fn negated(self) -> Self {
        Self(-self.0)
    }

    /// The least score above this one.
    #[inline]
    #[must_use]
    pub const fn next_up(self) -> Self {
        Self(self.0 + 1)
    }

    /// The greatest score below this one.
    #[inline]
    #[must_use]
    pub const fn next_down(self) -> Self {
        Self(self.0 - 1)
    }

    /// The evaluation that is so much higher. Forced ends become evaluations, the largest there are.
    #[inline]
    #[must_use]
    pub const fn plus(self, millipawns: i32) -> Self {
        Self::new(self.0.saturating_add(millipawns))
    }

    /// The same score as seen from a position so many plies earlier.
    #[inline]
    #[must_use]
    pub const fn earlier(self, plies: u32) -> Self {
        if !self.is_end() {
            self
        } else if self.0 > 0 {
            Self(self.0 - plies as i32)
        } else {
            Self(self.0 + plies as i32)
        }
    }

    /// The same score as seen from a position so many plies later.
    #[inline]
    #[must_use]
    pub const fn later(self, plies: u32) -> Self {
        if !self.is_end() {
            self
        } else if self.0 > 0 {
            Self(self.0 + plies as i32)
        } else {
            Self(self.0 - plies as i32)
        }
    }

    /// Whether this is a forced win or loss.
    #[inline]
    pub const fn is_end(self) -> bool {
        self.0.abs() > Self::MAX_EVALUATION.0
    }

    /// What the number means.
    pub const fn kind(self) -> ScoreKind {
        if !self.is_end() {
            ScoreKind::Centipawns(self.0 / 10)
        } else if self.0 > 0 {
            ScoreKind::Win((Self::END - self.0) as u32)
        } else {
            ScoreKind::Loss((Self::END + self.0) as u32)
        }
    }
}

impl Neg for Score {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// As match runners write it: `+1.45`, `-0.03`, `+M9` for a win and `-M8` for a loss in so many plies.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ScoreKind::Win(plies) => write!(f, "+M{plies}"),
            ScoreKind::Loss(plies) => write!(f, "-M{plies}"),
            ScoreKind::Centipawns(value) => {
                let sign = if value < 0 { '-' } else { '+' };
                write!(f, "{sign}{}.{:02}", value.abs() / 100, value.abs() % 100)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_below_evaluations_and_wins_above() {
        let ascending = [
            Score::loss_in(0),
            Score::loss_in(7),
            Score::centipawns(i32::MIN),
            Score::ZERO,
            Score::centipawns(i32::MAX),
            Score::win_in(7),
            Score::win_in(1),
        ];
        assert!(ascending.is_sorted());
        assert!(!Score::centipawns(i32::MAX).is_end());
        assert_eq!((-Score::win_in(3)).kind(), ScoreKind::Loss(3));
    }

    #[test]
    fn written_as_match_runners_do() {
        let text = |score: Score| score.to_string();
        assert_eq!(text(Score::centipawns(145)), "+1.45");
        assert_eq!(text(Score::centipawns(-3)), "-0.03");
        assert_eq!(text(Score::ZERO), "+0.00");
        assert_eq!(text(Score::win_in(9)), "+M9");
        assert_eq!(text(Score::loss_in(8)), "-M8");
    }
}
