use std::fmt;
use std::str::FromStr;

use crate::Bitboard;

/// One of the 32 dark squares, numbered from 1 on Black's side of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// How many squares there are.
    pub const COUNT: usize = 32;

    /// The square with this number, from 1 to 32.
    pub const fn new(number: u32) -> Option<Self> {
        if number >= 1 && number <= 32 { Some(Self(number as u8 - 1)) } else { None }
    }

    /// All squares in the order of their numbers.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..32).map(Self)
    }

    /// The number that players use, from 1 to 32.
    pub const fn number(self) -> u32 {
        self.0 as u32 + 1
    }

    /// The number less one, to index arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The row, 0 on Black's side to 7 on White's.
    #[inline]
    pub const fn row(self) -> u32 {
        self.0 as u32 / 4
    }

    /// The column, 0 to 7 from the left with Black at the top.
    #[inline]
    pub const fn column(self) -> u32 {
        self.0 as u32 % 4 * 2 + (self.row() + 1) % 2
    }

    /// The dark square at this row and column.
    pub const fn at(row: u32, column: u32) -> Option<Self> {
        if row < 8 && column < 8 && (row + column) % 2 == 1 {
            Some(Self((row * 4 + column / 2) as u8))
        } else {
            None
        }
    }

    /// The square that the other player sees in this place.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self(31 - self.0)
    }

    /// The place of the square in a [`Bitboard`].
    #[inline]
    pub(crate) const fn bit(self) -> u32 {
        BIT[self.0 as usize] as u32
    }

    #[inline]
    pub(crate) const fn from_bit(bit: u32) -> Self {
        FROM_BIT[(bit % 32) as usize]
    }

    #[inline]
    pub(crate) const fn bitboard(self) -> Bitboard {
        Bitboard::from_bit(self.bit())
    }
}

/// One step down and right adds 1, one step down and left adds 7, and modulo 32 no two squares meet: so all steps
/// are rotations of a 32-bit word.
const BIT: [u8; 32] = {
    let mut bits = [0; 32];
    let mut index = 0;
    while index < 32 {
        let square = Square(index as u8);
        let (row, column) = (square.row() as i32, square.column() as i32);
        let (right, left) = ((row + column - 1) / 2, (row - column + 1) / 2);
        bits[index] = (right + 7 * left).rem_euclid(32) as u8;
        index += 1;
    }
    bits
};

const FROM_BIT: [Square; 32] = {
    let mut squares = [Square(0); 32];
    let mut index = 0;
    while index < 32 {
        squares[BIT[index] as usize] = Square(index as u8);
        index += 1;
    }
    squares
};

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

/// The text is not the number of a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a square from 1 to 32")]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, ParseSquareError> {
        let digits = matches!(text.len(), 1..=2) && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| text.parse().ok()).flatten();
        number.and_then(Self::new).ok_or(ParseSquareError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_has_its_own_bit() {
        for square in Square::all() {
            assert_eq!(Square::from_bit(square.bit()), square);
        }
    }

    #[test]
    fn rows_and_columns_are_numbered_from_blacks_left() {
        let place = |number| Square::new(number).map(|square| (square.row(), square.column()));
        assert_eq!(place(1), Some((0, 1)));
        assert_eq!(place(4), Some((0, 7)));
        assert_eq!(place(5), Some((1, 0)));
        assert_eq!(place(32), Some((7, 6)));
        assert!(Square::all().all(|square| Square::at(square.row(), square.column()) == Some(square)));
        assert_eq!(Square::at(0, 0), None);
    }

    #[test]
    fn parsing_undoes_display() {
        assert!(Square::all().all(|square| square.to_string().parse() == Ok(square)));
        for text in ["", "0", "33", "+1", "001", "a", "１"] {
            assert_eq!(text.parse::<Square>(), Err(ParseSquareError), "{text}");
        }
    }
}
