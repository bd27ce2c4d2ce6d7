use gamete_game::{Game, MoveCode, Tactics};

use crate::{Captures, Kind, Move, Position, Square};

/// Kinds are man and king, 0 and 1. Jumps are tactical; crowning without a jump is not.
impl Tactics for Position {
    const PIECE_VALUES: &'static [i32] = &[1_000, 1_400];
    const HISTORY_SIZE: usize = 2 * 4 * Square::COUNT;
    const MAX_REVERSIBLE_PLIES: u32 = Self::MAX_REVERSIBLE_PLIES;

    #[inline]
    fn is_forced(&self) -> bool {
        self.rules().captures == Captures::Compulsory && self.can_jump()
    }

    #[inline]
    fn is_drawn(&self) -> bool {
        self.reversible_plies() >= Self::MAX_REVERSIBLE_PLIES && self.has_moves()
    }

    #[inline]
    fn is_stuck(&self) -> bool {
        !self.has_moves()
    }

    #[inline]
    fn goes_on_after_quiet(&self) -> bool {
        self.reversible_plies() + 1 < Self::MAX_REVERSIBLE_PLIES && self.side().other().has_two_targets()
    }

    #[inline]
    fn is_tactical(&self, mv: Move) -> bool {
        mv.is_capture()
    }

    #[inline]
    fn is_capture(&self, mv: Move) -> bool {
        mv.is_capture()
    }

    #[inline]
    fn has_tactical(&self) -> bool {
        self.can_jump()
    }

    #[inline]
    fn for_each_tactical(&self, mut f: impl FnMut(Move)) {
        if self.can_jump() {
            self.side().for_each_jump(&mut f);
        }
    }

    #[inline]
    fn for_each_quiet(&self, mut f: impl FnMut(Move)) {
        let mover = self.side();
        if mover.may_step() {
            mover.for_each_step(&mut f);
        }
    }

    #[inline]
    fn null_move(&self) -> Option<Self> {
        None
    }

    #[inline]
    fn mover(&self, mv: Move) -> usize {
        self.kind_on(mv.origin_bit()) as usize
    }

    #[inline]
    fn gain(&self, mv: Move, values: &[i32]) -> i32 {
        let [man, king] = [values[Kind::Man as usize], values[Kind::King as usize]];
        let taken = if mv.is_capture() {
            let kings = (mv.captured() & self.kings()).len() as i32;
            (mv.jumps() as i32 - kings) * man + kings * king
        } else {
            0
        };
        let [before, after] = self.kinds_of_mover(mv);
        if before == after { taken } else { taken + king - man }
    }

    #[inline]
    fn see_ge(&self, mv: Move, values: &[i32], threshold: i32) -> bool {
        self.gain(mv, values) >= threshold || !mv.is_capture()
    }

    #[inline]
    fn is_far_push(&self, _mv: Move) -> bool {
        false
    }

    #[inline]
    fn target(mv: Move) -> usize {
        mv.target_bit() as usize
    }

    #[inline]
    fn history_index(&self, mv: Move) -> usize {
        // One step adds 1, 7, 25 or 31 modulo 32.
        let direction = mv.target_bit().wrapping_sub(mv.origin_bit()) >> 3 & 3;
        ((self.turn() as u32 * 4 + direction) * 32 + mv.origin_bit()) as usize
    }

    #[inline]
    fn code(mv: Move) -> MoveCode {
        // Of the path there is only room for a hash, never zero: a piece may jump round to where it came from.
        let path = if mv.is_capture() { 1 + mv.captured().bits() % 61 } else { 0 };
        let bits = mv.origin_bit() | mv.target_bit() << 5 | path << 10;
        MoveCode::new(bits as u16).expect("two different squares or a jump")
    }

    #[inline]
    fn decode(&self, code: MoveCode) -> Option<Move> {
        let bits = u32::from(code.bits());
        if bits >> 10 == 0 {
            let (from, to) = (bits & 31, bits >> 5 & 31);
            return self.side().is_step(from, to).then(|| Move::step(from, to));
        }
        let mut found = None;
        self.for_each_tactical(|mv| {
            if Self::code(mv) == code {
                found = Some(mv);
            }
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::Rules;
    use crate::strategies::{reachable, scattered};

    proptest! {
        #[test]
        fn tactical_and_quiet_moves_are_all_moves(position in prop_oneof![scattered(), reachable()]) {
            for rules in [Rules::ENGLISH, Rules::MIT] {
                let position = position.clone().with_rules(rules);
                let mut listed = Vec::new();
                position.for_each_tactical(|mv| listed.push(mv));
                prop_assert_eq!(position.has_tactical(), !listed.is_empty());
                prop_assert!(listed.iter().all(|&mv| position.is_tactical(mv)));
                position.for_each_quiet(|mv| listed.push(mv));
                let moves: HashSet<_> = position.moves().into_iter().collect();
                prop_assert_eq!(listed.len(), moves.len());
                prop_assert!(listed.iter().all(|mv| moves.contains(mv)));
                for mv in listed {
                    let decoded = position.decode(Position::code(mv)).expect("the move or its twin");
                    prop_assert!(decoded == mv || mv.is_capture() && moves.contains(&decoded));
                    prop_assert!(position.history_index(mv) < Position::HISTORY_SIZE);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_game_goes_on_where_a_glance_says_so(position in prop_oneof![scattered(), reachable()]) {
            if position.goes_on_after_quiet() {
                position.for_each_quiet(|mv| {
                    let mut next = position.clone();
                    next.play(mv);
                    assert_eq!(next.ending(), None, "{mv}");
                });
            }
        }
    }

    #[test]
    fn a_glance_sees_that_one_move_can_end_the_game() {
        let glance = |fen: &str| fen.parse::<Position>().expect("a FEN").goes_on_after_quiet();
        assert!(glance("B:W32:B1"));
        assert!(!glance("B:W13:B5,6"));
        let mut counted: Position = "B:WK32:BK1".parse().expect("a FEN");
        while counted.reversible_plies() + 1 < Position::MAX_REVERSIBLE_PLIES {
            assert!(counted.goes_on_after_quiet());
            let back = counted.moves().into_iter().find(|mv| [1, 32].contains(&mv.to().number()));
            counted.play(back.unwrap_or(counted.moves()[0]));
        }
        assert!(!counted.goes_on_after_quiet());
    }

    #[test]
    fn crowning_and_captures_are_gains() {
        let position: Position = "B:W23,K15:B28,19,11".parse().expect("a FEN");
        let gain = |text: &str| {
            let mv = position.clone().with_rules(Rules::MIT).parse_move(text).expect("a legal move");
            position.gain(mv, &[100, 150])
        };
        assert_eq!(gain("28-32"), 50);
        assert_eq!(gain("19x26"), 100);
        assert_eq!(gain("11x18"), 150);
    }
}
