use std::fmt;

use crate::direction::Direction;
use crate::{Bitboard, Square};

/// A step, or one or more jumps by one piece.
///
/// Moves that capture the same pieces along different paths are different moves. Displayed with every square that
/// the piece touches down on: `11-15`, `1x10x19`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    captured: Bitboard,
    /// From the lowest bit: origin and target as bits of a [`Bitboard`], five bits each, and the direction of every
    /// jump, two bits each. A piece can reach 16 squares by jumping, with nine squares in between: so at most 18.
    track: u32,
}

const TARGET_SHIFT: u32 = 5;
const PATH_SHIFT: u32 = 10;

impl Move {
    #[inline]
    pub(crate) const fn step(from: u32, to: u32) -> Self {
        Self { captured: Bitboard::EMPTY, track: from | to << TARGET_SHIFT }
    }

    /// A move that has yet to jump.
    #[inline]
    pub(crate) const fn jump_from(from: u32) -> Self {
        Self::step(from, from)
    }

    /// This move with one jump more.
    #[inline]
    pub(crate) fn jump(self, direction: Direction, over: Bitboard, to: u32) -> Self {
        let path = (direction as u32) << (PATH_SHIFT + 2 * self.jumps() as u32);
        let track = self.track & !(31 << TARGET_SHIFT) | to << TARGET_SHIFT | path;
        Self { captured: self.captured | over, track }
    }

    #[inline]
    pub(crate) const fn origin_bit(self) -> u32 {
        self.track % 32
    }

    #[inline]
    pub(crate) const fn target_bit(self) -> u32 {
        self.track >> TARGET_SHIFT & 31
    }

    /// The direction of every jump.
    pub(crate) fn directions(self) -> impl Iterator<Item = Direction> {
        (0..self.jumps() as u32)
            .map(move |n| Direction::from_code(self.track.unbounded_shr(PATH_SHIFT + 2 * n)))
    }

    /// Where the piece comes from.
    #[inline]
    pub fn from(self) -> Square {
        Square::from_bit(self.origin_bit())
    }

    /// Where the piece ends up.
    #[inline]
    pub fn to(self) -> Square {
        Square::from_bit(self.target_bit())
    }

    /// The pieces that are jumped.
    #[inline]
    pub fn captured(self) -> Bitboard {
        self.captured
    }

    /// How many pieces are jumped.
    #[inline]
    pub fn jumps(self) -> usize {
        self.captured.len()
    }

    /// Whether the move jumps.
    #[inline]
    pub fn is_capture(self) -> bool {
        !self.captured.is_empty()
    }

    /// The squares that the piece touches, from the first to the last.
    pub fn path(self) -> Vec<Square> {
        let mut at = self.from().bitboard();
        let mut path = vec![self.from()];
        for direction in self.directions() {
            at = at.step(direction).step(direction);
            path.extend(at.squares());
        }
        if !self.is_capture() {
            path.push(self.to());
        }
        path
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_capture() {
            return write!(f, "{}-{}", self.from(), self.to());
        }
        for (n, square) in self.path().into_iter().enumerate() {
            write!(f, "{}{square}", if n > 0 { "x" } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any value at all, most of them not legal anywhere.
    pub(crate) fn any_move() -> impl Strategy<Value = Move> {
        (any::<u32>(), any::<u32>())
            .prop_map(|(bits, track)| Move { captured: Bitboard::from_bits(bits), track })
    }

    /// The values that differ from `mv` in one bit.
    pub(crate) fn neighbours(mv: Move) -> impl Iterator<Item = Move> {
        let captured = (0..32)
            .map(move |bit| Move { captured: Bitboard::from_bits(mv.captured.bits() ^ 1 << bit), ..mv });
        captured.chain((0..32).map(move |bit| Move { track: mv.track ^ 1 << bit, ..mv }))
    }

    proptest! {
        #[test]
        fn any_move_can_be_displayed(mv in any_move()) {
            prop_assert!(!mv.to_string().is_empty());
        }
    }

    #[test]
    fn a_move_is_as_small_as_a_word() {
        assert_eq!(size_of::<Move>(), 8);
    }
}
