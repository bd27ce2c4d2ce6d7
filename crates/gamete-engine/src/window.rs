use std::ops::Neg;

use gamete_game::Score;

/// The scores that matter: anything up to `alpha` is too little, anything from `beta` on is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
}

impl Window {
    pub(crate) const FULL: Self = Self { alpha: Score::INFINITY.negated(), beta: Score::INFINITY };

    /// So much to either side of `score`.
    pub(crate) fn around(score: Score, millipawns: i32) -> Self {
        Self { alpha: score.plus(-millipawns), beta: score.plus(millipawns) }
    }

    /// Asks whether the score is above `alpha`.
    #[inline]
    pub(crate) const fn above(alpha: Score) -> Self {
        Self { alpha, beta: alpha.next_up() }
    }

    /// Asks whether the score reaches `beta`.
    #[inline]
    pub(crate) const fn below(beta: Score) -> Self {
        Self { alpha: beta.next_down(), beta }
    }
}

/// The window as the other side sees it.
impl Neg for Window {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}
