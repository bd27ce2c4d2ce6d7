use std::ops::{Add, Sub};

/// How much is left to search, in quarters of a ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Depth(i32);

impl Depth {
    pub(crate) const ZERO: Self = Self(0);
    pub(crate) const ONE_PLY: Self = Self(4);

    #[inline]
    pub(crate) const fn plies(plies: i32) -> Self {
        Self(4 * plies)
    }

    #[inline]
    pub(crate) const fn from_quarters(quarters: i32) -> Self {
        Self(quarters)
    }

    #[inline]
    pub(crate) const fn quarters(self) -> i32 {
        self.0
    }

    /// Whole plies.
    #[inline]
    pub(crate) const fn whole(self) -> i32 {
        self.0 / 4
    }
}

impl Add for Depth {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Depth {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}
