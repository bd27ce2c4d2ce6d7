//! Sets of squares moved and spread as a whole, on a board seen by a side that moves up.

use cozy_chess::{BitBoard, Color, File, Rank};

/// The set as `color` sees it from its own end of the board.
#[inline]
pub(super) const fn relative(set: BitBoard, color: Color) -> BitBoard {
    match color {
        Color::White => set,
        Color::Black => set.flip_ranks(),
    }
}

/// The squares in front of these.
#[inline]
pub(super) const fn up(set: BitBoard) -> BitBoard {
    BitBoard(set.0 << 8)
}

/// The squares behind these.
#[inline]
pub(super) const fn down(set: BitBoard) -> BitBoard {
    BitBoard(set.0 >> 8)
}

/// The squares to the left of these.
#[inline]
pub(super) const fn left(set: BitBoard) -> BitBoard {
    BitBoard((set.0 & !File::A.bitboard().0) >> 1)
}

/// The squares to the right of these.
#[inline]
pub(super) const fn right(set: BitBoard) -> BitBoard {
    BitBoard((set.0 & !File::H.bitboard().0) << 1)
}

/// The squares beside these.
#[inline]
pub(super) fn beside(set: BitBoard) -> BitBoard {
    left(set) | right(set)
}

/// These squares and all in front of them.
#[inline]
pub(super) const fn fill_up(set: BitBoard) -> BitBoard {
    let mut bits = set.0;
    bits |= bits << 8;
    bits |= bits << 16;
    bits |= bits << 32;
    BitBoard(bits)
}

/// These squares and all behind them.
#[inline]
pub(super) const fn fill_down(set: BitBoard) -> BitBoard {
    let mut bits = set.0;
    bits |= bits >> 8;
    bits |= bits >> 16;
    bits |= bits >> 32;
    BitBoard(bits)
}

/// The whole files of these squares.
#[inline]
pub(super) fn files(set: BitBoard) -> BitBoard {
    fill_up(set) | fill_down(set)
}

/// How many ranks the pawns have advanced from their second, all together.
#[inline]
pub(super) fn ranks_advanced(pawns: BitBoard) -> i32 {
    const fn ranks(one: Rank, two: Rank) -> BitBoard {
        BitBoard(one.bitboard().0 | two.bitboard().0)
    }
    // The binary digits of the number of ranks: 0 on the second rank to 5 on the seventh.
    const ONES: BitBoard =
        BitBoard(ranks(Rank::Third, Rank::Fifth).0 | ranks(Rank::Seventh, Rank::Seventh).0);
    const TWOS: BitBoard = ranks(Rank::Fourth, Rank::Fifth);
    const FOURS: BitBoard = ranks(Rank::Sixth, Rank::Seventh);
    ((pawns & ONES).len() + 2 * (pawns & TWOS).len() + 4 * (pawns & FOURS).len()) as i32
}

#[cfg(test)]
mod tests {
    use cozy_chess::bitboard;

    use super::*;

    #[test]
    fn fills_reach_the_end_of_the_board() {
        let set = bitboard! {
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . X
            . . . . . . . .
            . . X . . . . .
            . . . . . . . .
            . . . . . . . .
        };
        assert_eq!(
            fill_up(set),
            bitboard! {
                . . X . . . . X
                . . X . . . . X
                . . X . . . . X
                . . X . . . . X
                . . X . . . . .
                . . X . . . . .
                . . . . . . . .
                . . . . . . . .
            }
        );
        assert_eq!(fill_down(set), fill_up(set.flip_ranks()).flip_ranks());
        assert_eq!(files(set), File::C.bitboard() | File::H.bitboard());
    }

    #[test]
    fn the_board_does_not_go_round() {
        let edges = File::A.bitboard() | File::H.bitboard();
        assert_eq!(beside(edges), File::B.bitboard() | File::G.bitboard());
        assert_eq!(up(Rank::Eighth.bitboard()) | down(Rank::First.bitboard()), BitBoard::EMPTY);
    }

    #[test]
    fn ranks_are_counted_from_the_second() {
        for (advanced, rank) in Rank::ALL[1..7].iter().enumerate() {
            assert_eq!(ranks_advanced(rank.bitboard()), 8 * advanced as i32);
        }
    }
}
