use gamete_game::Color;

use crate::{Bitboard, Square};

/// A diagonal direction, seen with Black at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    DownRight,
    DownLeft,
    UpLeft,
    UpRight,
}

impl Direction {
    pub(crate) const ALL: [Self; 4] = [Self::DownRight, Self::DownLeft, Self::UpLeft, Self::UpRight];

    /// The directions in which men of this colour move.
    #[inline]
    pub(crate) const fn forward(color: Color) -> &'static [Self] {
        match color {
            Color::Black => &[Self::DownRight, Self::DownLeft],
            Color::White => &[Self::UpLeft, Self::UpRight],
        }
    }

    #[inline]
    pub(crate) const fn is_forward(self, color: Color) -> bool {
        matches!(self, Self::DownRight | Self::DownLeft) == matches!(color, Color::Black)
    }

    #[inline]
    pub(crate) const fn opposite(self) -> Self {
        Self::from_code(self as u32 ^ 2)
    }

    /// The direction numbered by the last two bits of `code`.
    #[inline]
    pub(crate) const fn from_code(code: u32) -> Self {
        Self::ALL[(code % 4) as usize]
    }

    /// What a step adds to the bit of a square, modulo 32.
    #[inline]
    pub(crate) const fn rotation(self) -> u32 {
        match self {
            Self::DownRight => 1,
            Self::DownLeft => 7,
            Self::UpLeft => 31,
            Self::UpRight => 25,
        }
    }

    const fn offset(self) -> (i32, i32) {
        match self {
            Self::DownRight => (1, 1),
            Self::DownLeft => (1, -1),
            Self::UpLeft => (-1, -1),
            Self::UpRight => (-1, 1),
        }
    }
}

impl Bitboard {
    /// The neighbours of these squares in one direction.
    #[inline]
    pub(crate) const fn step(self, direction: Direction) -> Self {
        const INNER: [u32; 4] = [
            inner(Direction::ALL[0]),
            inner(Direction::ALL[1]),
            inner(Direction::ALL[2]),
            inner(Direction::ALL[3]),
        ];
        Self::from_bits((self.bits() & INNER[direction as usize]).rotate_left(direction.rotation()))
    }
}

/// The squares that have a neighbour in this direction.
const fn inner(direction: Direction) -> u32 {
    let (down, right) = direction.offset();
    let mut bits = 0;
    let mut number = 1;
    while let Some(square) = Square::new(number) {
        let row = square.row().wrapping_add_signed(down);
        let column = square.column().wrapping_add_signed(right);
        if Square::at(row, column).is_some() {
            bits |= square.bitboard().bits();
        }
        number += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_to_the_neighbour_or_off_the_board() {
        for square in Square::all() {
            for direction in Direction::ALL {
                let (down, right) = direction.offset();
                let row = square.row().wrapping_add_signed(down);
                let column = square.column().wrapping_add_signed(right);
                let neighbour: Bitboard = Square::at(row, column).into_iter().collect();
                assert_eq!(square.bitboard().step(direction), neighbour, "{square} {direction:?}");
            }
        }
    }
}
