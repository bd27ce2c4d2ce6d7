use gamete_game::Color;

use crate::direction::Direction;
use crate::{Bitboard, Captures, Move, MultiJumps, Rules};

/// The board as the side to move sees it.
#[derive(Clone, Copy)]
pub(crate) struct Mover {
    pub(crate) color: Color,
    pub(crate) own: Bitboard,
    pub(crate) opponents: Bitboard,
    pub(crate) kings: Bitboard,
    pub(crate) rules: Rules,
}

impl Mover {
    #[inline]
    fn empty(&self) -> Bitboard {
        !(self.own | self.opponents)
    }

    /// The pieces that move in this direction when nothing is in the way.
    #[inline]
    fn movers(&self, direction: Direction) -> Bitboard {
        if direction.is_forward(self.color) { self.own } else { self.own & self.kings }
    }

    #[inline]
    fn steppers(&self, direction: Direction) -> Bitboard {
        self.movers(direction) & self.empty().step(direction.opposite())
    }

    #[inline]
    fn jumpers(&self, direction: Direction) -> Bitboard {
        let back = direction.opposite();
        let over = self.opponents & self.empty().step(back);
        self.movers(direction) & over.step(back)
    }

    #[inline]
    pub(crate) fn has_moves(&self) -> bool {
        // Going forward answers the question nearly always.
        let [down_right, down_left, up_left, up_right] =
            Direction::ALL.map(|direction| self.empty().step(direction.opposite()));
        let ahead = match self.color {
            Color::Black => down_right | down_left,
            Color::White => up_left | up_right,
        };
        !(self.own & ahead).is_empty() || self.can_step() || self.can_jump()
    }

    #[inline]
    fn can_step(&self) -> bool {
        let [a, b, c, d] = Direction::ALL.map(|direction| self.steppers(direction));
        !(a | b | c | d).is_empty()
    }

    #[inline]
    pub(crate) fn can_jump(&self) -> bool {
        let [a, b, c, d] = Direction::ALL.map(|direction| self.jumpers(direction));
        !(a | b | c | d).is_empty()
    }

    /// The board as the other side sees it.
    #[inline]
    pub(crate) fn other(&self) -> Self {
        Self { color: !self.color, own: self.opponents, opponents: self.own, ..*self }
    }

    /// Whether there are steps to more than one square, so that a piece on one of them does not take all.
    #[inline]
    pub(crate) fn has_two_targets(&self) -> bool {
        let [a, b, c, d] = Direction::ALL.map(|direction| self.movers(direction).step(direction));
        let targets = ((a | b | c | d) & self.empty()).bits();
        targets & targets.wrapping_sub(1) != 0
    }

    #[inline]
    pub(crate) fn may_step(&self) -> bool {
        self.rules.captures == Captures::Optional || !self.can_jump()
    }

    #[inline]
    pub(crate) fn for_each_move(&self, mut f: impl FnMut(Move)) {
        let can_jump = self.can_jump();
        if can_jump {
            self.for_each_jump(&mut f);
        }
        if !can_jump || self.rules.captures == Captures::Optional {
            self.for_each_step(&mut f);
        }
    }

    #[inline]
    pub(crate) fn count_moves(&self) -> usize {
        let mut jumps = 0;
        self.for_each_jump(&mut |_| jumps += 1);
        if self.may_step() { jumps + self.count_steps() } else { jumps }
    }

    #[inline]
    pub(crate) fn for_each_step(&self, f: &mut impl FnMut(Move)) {
        // All directions in one loop, because where a loop ends is hard to foresee; and `f` may be long, so it is
        // called in one place.
        let [down_right, down_left, up_left, up_right] =
            Direction::ALL.map(|direction| u64::from(self.steppers(direction).bits()));
        let (mut steps, mut rest) = (down_left << 32 | down_right, up_right << 32 | up_left);
        let mut directions = [Direction::DownRight, Direction::DownLeft];
        loop {
            if steps == 0 {
                if rest == 0 {
                    break;
                }
                (steps, rest) = (rest, 0);
                directions = [Direction::UpLeft, Direction::UpRight];
            }
            let bit = steps.trailing_zeros();
            steps &= steps - 1;
            let direction = directions[(bit / 32) as usize % 2];
            f(Move::step(bit % 32, (bit + direction.rotation()) % 32));
        }
    }

    #[inline]
    fn count_steps(&self) -> usize {
        // Two at a time, because without a machine instruction counting 64 bits costs as much as counting 32.
        let [a, b, c, d] = Direction::ALL.map(|direction| u64::from(self.steppers(direction).bits()));
        ((a << 32 | b).count_ones() + (c << 32 | d).count_ones()) as usize
    }

    #[inline]
    pub(crate) fn for_each_jump(&self, f: &mut impl FnMut(Move)) {
        for direction in Direction::ALL {
            for from in self.jumpers(direction).each_bit() {
                let over = Bitboard::from_bit(from).step(direction);
                let to = over.step(direction);
                let mv = Move::jump_from(from).jump(direction, over, to.lowest_bit());
                self.jump_on(mv, to, self.directions(from), self.empty() | Bitboard::from_bit(from), f);
            }
        }
    }

    /// Goes on after the jumps of `mv`. A man that is crowned stops by itself: from the last row no direction of
    /// his leads on.
    fn jump_on(
        &self,
        mv: Move,
        at: Bitboard,
        directions: &[Direction],
        empty: Bitboard,
        f: &mut impl FnMut(Move),
    ) {
        let mut ended = true;
        for &direction in directions {
            if let Some((over, to)) = self.jump(mv.captured(), at, direction, empty) {
                ended = false;
                self.jump_on(mv.jump(direction, over, to.lowest_bit()), to, directions, empty, f);
            }
        }
        if ended || self.rules.multi_jumps == MultiJumps::MayStop {
            f(mv);
        }
    }

    /// The square jumped over and the square reached, if there is a jump.
    #[inline]
    fn jump(
        &self,
        captured: Bitboard,
        at: Bitboard,
        direction: Direction,
        empty: Bitboard,
    ) -> Option<(Bitboard, Bitboard)> {
        let over = at.step(direction) & self.opponents & !captured;
        let to = over.step(direction) & empty;
        (!to.is_empty()).then_some((over, to))
    }

    #[inline]
    fn directions(&self, from: u32) -> &'static [Direction] {
        let is_king = !(self.kings & Bitboard::from_bit(from)).is_empty();
        if is_king { &Direction::ALL } else { Direction::forward(self.color) }
    }

    pub(crate) fn is_legal(&self, mv: Move) -> bool {
        let (from, to) = (mv.origin_bit(), mv.target_bit());
        if mv.is_capture() {
            !(self.own & Bitboard::from_bit(from)).is_empty() && self.replay(mv) == Some(mv)
        } else {
            mv == Move::step(from, to) && self.is_step(from, to)
        }
    }

    /// Whether there is a legal step from one square to the other.
    #[inline]
    pub(crate) fn is_step(&self, from: u32, to: u32) -> bool {
        let from = Bitboard::from_bit(from);
        let [a, b, c, d] = Direction::ALL.map(|direction| (self.movers(direction) & from).step(direction));
        !((a | b | c | d) & self.empty() & Bitboard::from_bit(to)).is_empty() && self.may_step()
    }

    /// The legal jumps that have the origin and the directions of `mv`.
    fn replay(&self, mv: Move) -> Option<Move> {
        let mut at = Bitboard::from_bit(mv.origin_bit());
        let empty = self.empty() | at;
        let allowed = self.directions(mv.origin_bit());
        let mut played = Move::jump_from(mv.origin_bit());
        for direction in mv.directions() {
            let (over, to) = self
                .jump(played.captured(), at, direction, empty)
                .filter(|_| allowed.contains(&direction))?;
            played = played.jump(direction, over, to.lowest_bit());
            at = to;
        }
        let goes_on =
            allowed.iter().any(|&direction| self.jump(played.captured(), at, direction, empty).is_some());
        (self.rules.multi_jumps == MultiJumps::MayStop || !goes_on).then_some(played)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use gamete_game::{Game, perft, tree_size};
    use proptest::prelude::*;

    use crate::moves::tests::{any_move, neighbours};
    use crate::strategies::{playout, reachable, scattered};
    use crate::{Move, Position, Rules, Square};

    fn moves(fen: &str) -> Vec<String> {
        let position: Position = fen.parse().expect("a FEN");
        let mut moves: Vec<_> = position.moves().into_iter().map(|mv| mv.to_string()).collect();
        moves.sort();
        moves
    }

    #[test]
    fn perft_from_the_start_is_as_published() {
        // OEIS A133046
        let counts = [1, 7, 49, 302, 1_469, 7_361, 36_768, 179_740, 845_931];
        for (depth, count) in (0..).zip(counts) {
            assert_eq!(perft(&Position::start(), depth), count, "depth {depth}");
        }
    }

    #[test]
    fn tree_sizes_under_mit_rules_are_as_published() {
        let start = Position::start().with_rules(Rules::MIT);
        let sizes = [1, 8, 57, 436, 3_308, 26_890, 217_537, 1_824_809];
        for (depth, size) in (0..).zip(sizes) {
            assert_eq!(tree_size(&start, depth), size, "depth {depth}");
        }
    }

    #[test]
    fn jumps_are_compulsory_but_any_of_them_will_do() {
        assert_eq!(moves("B:W15,16:B11,1"), ["11x18", "11x20"]);
        assert_eq!(moves("B:W15,16,23:B11,1"), ["11x18x27", "11x20"]);
    }

    #[test]
    fn men_neither_move_nor_jump_backward() {
        assert_eq!(moves("B:W10:B15"), ["15-18", "15-19"]);
        assert_eq!(moves("W:W15:B18"), ["15-10", "15-11"]);
        assert_eq!(moves("B:W10:BK15"), ["15x6"]);
    }

    #[test]
    fn crowning_ends_the_move() {
        assert_eq!(moves("B:W26,27:B22"), ["22x31"]);
        assert_eq!(moves("B:W26,27:BK22"), ["22x31x24"]);
    }

    #[test]
    fn a_king_goes_round_either_way_and_over_its_own_square() {
        assert_eq!(moves("B:W6,7,14,15:BK2"), ["2x11x18x9x2", "2x9x18x11x2"]);
        assert_eq!(moves("B:W6,7,14,15,22:BK18"), ["18x11x2x9x18x25", "18x25", "18x9x2x11x18x25"]);
    }

    #[test]
    fn a_side_without_moves_has_none() {
        assert_eq!(moves("B:W32:B"), [""; 0]);
        assert_eq!(moves("W:W13:B9,6"), [""; 0]);
    }

    proptest! {
        #[test]
        fn counting_agrees_with_listing(position in prop_oneof![scattered(), reachable()]) {
            let moves = position.moves();
            prop_assert_eq!(position.count_moves(), moves.len());
            prop_assert_eq!(position.has_moves(), !moves.is_empty());
            prop_assert_eq!(moves.iter().collect::<HashSet<_>>().len(), moves.len());
        }

        #[test]
        fn listed_moves_are_legal_and_no_others(position in scattered(), other in scattered(), mv in any_move()) {
            let moves = position.moves();
            prop_assert!(moves.iter().all(|&mv| position.is_legal(mv)));
            for mv in moves.iter().flat_map(|&mv| neighbours(mv)).chain(other.moves()).chain([mv]) {
                prop_assert_eq!(position.is_legal(mv), moves.contains(&mv), "{}", mv);
            }
        }

        #[test]
        fn moves_of_positions_along_a_line_are_legal_where_listed(start in scattered(), playout in playout()) {
            let mut position = start.clone();
            let moves = start.moves();
            for mv in playout.play(&mut position) {
                prop_assert_eq!(start.is_legal(mv), moves.contains(&mv), "{}", mv);
            }
        }

        #[test]
        fn flipped_positions_have_flipped_moves(position in scattered()) {
            let paths = |position: &Position| {
                position.moves().into_iter().map(Move::path).collect::<HashSet<_>>()
            };
            let flip = |path: Vec<Square>| path.into_iter().map(Square::flipped).collect();
            let flipped: HashSet<Vec<_>> = paths(&position).into_iter().map(flip).collect();
            prop_assert_eq!(paths(&position.flipped()), flipped);
        }
    }
}
