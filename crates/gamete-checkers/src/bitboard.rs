use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use crate::Square;

/// A set of squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(u32);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);

    #[inline]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) const fn from_bit(bit: u32) -> Self {
        Self(1 << (bit % 32))
    }

    /// The lowest bit that is set, and 32 without one.
    #[inline]
    pub(crate) const fn lowest_bit(self) -> u32 {
        self.0.trailing_zeros()
    }

    /// The squares of `row`, 0 on Black's side to 7 on White's.
    pub const fn row(row: u32) -> Self {
        let mut set = Self::EMPTY;
        let mut column = 0;
        while column < 8 {
            if let Some(square) = Square::at(row, column) {
                set.0 |= square.bitboard().0;
            }
            column += 1;
        }
        set
    }

    /// The number of squares.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no square.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `square` is one of them.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bitboard().0 != 0
    }

    /// The squares that the other player sees in these places.
    #[inline]
    #[must_use]
    pub const fn flipped(self) -> Self {
        // As `flipped_bit` does with each.
        Self(self.0.reverse_bits().rotate_left(14))
    }

    /// Turning the board takes bit b to 13 - b modulo 32.
    #[inline]
    pub(crate) const fn flipped_bit(bit: u32) -> u32 {
        13_u32.wrapping_sub(bit) % 32
    }

    /// Each bit that is set, as a number.
    #[inline]
    pub(crate) fn each_bit(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros());
            rest &= rest.wrapping_sub(1);
            bit
        })
    }

    /// The squares, in no particular order.
    #[inline]
    pub fn squares(self) -> impl Iterator<Item = Square> {
        self.each_bit().map(Square::from_bit)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.bitboard())
    }
}

impl BitAnd for Bitboard {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOr for Bitboard {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Not for Bitboard {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_the_squares_it_was_made_of() {
        let corners: Bitboard = Square::all().filter(|square| [4, 29].contains(&square.number())).collect();
        assert_eq!(corners.len(), 2);
        assert!(corners.squares().all(|square| corners.contains(square)));
        assert_eq!(corners & Bitboard::row(7), Square::new(29).into_iter().collect());
    }

    #[test]
    fn flips_every_square() {
        for square in Square::all() {
            assert_eq!(square.bitboard().flipped(), square.flipped().bitboard());
            assert_eq!(Bitboard::flipped_bit(square.bit()), square.flipped().bit());
        }
    }
}
