use gamete_game::Score;

use crate::window::Window;

/// A direct-mapped, always-replace cache of the scores of nodes at depth 1.
///
/// These nodes are many and cheap, so the cache is small enough for the first level of the processor's.
#[derive(Debug)]
pub(crate) struct Memo {
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    /// Forced ends are counted from the position.
    score: Score,
    bound: Bound,
}

/// How a stored score bounds that of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It is the score.
    Exact,
    /// The score is at least this: a move caused a cutoff.
    Lower,
}

const BITS: u32 = 10;

/// Settles nothing.
const EMPTY: Slot = Slot { key: 0, score: Score::INFINITY.negated(), bound: Bound::Lower };

impl Memo {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self { slots: vec![EMPTY; 1 << BITS] }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill(EMPTY);
    }

    /// The score of a position `ply` plies from the root, if what is known of it settles the question.
    #[inline]
    pub(crate) fn settles(&self, key: u64, window: Window, ply: usize) -> Option<Score> {
        let slot = &self.slots[self.index(key)];
        let score = slot.score.earlier(ply as u32);
        (slot.key == key && (slot.bound == Bound::Exact || score >= window.beta)).then_some(score)
    }

    #[inline]
    pub(crate) fn store(&mut self, key: u64, score: Score, bound: Bound, ply: usize) {
        let index = self.index(key);
        self.slots[index] = Slot { key, score: score.later(ply as u32), bound };
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settles_what_it_was_told_and_nothing_else() {
        let mut memo = Memo::new();
        let window = Window { alpha: Score::new(10), beta: Score::new(20) };
        assert_eq!(memo.settles(0, window, 3), None);
        memo.store(7, Score::new(5), Bound::Exact, 3);
        assert_eq!(memo.settles(7, window, 3), Some(Score::new(5)));
        assert_eq!(memo.settles(7 + (1 << BITS), window, 3), None);
        memo.store(7, Score::new(15), Bound::Lower, 3);
        assert_eq!(memo.settles(7, window, 3), None);
        assert_eq!(memo.settles(7, Window { beta: Score::new(15), ..window }, 3), Some(Score::new(15)));
        memo.clear();
        assert_eq!(memo.settles(7, window, 3), None);
    }

    #[test]
    fn forced_ends_are_counted_from_where_they_are_met() {
        let mut memo = Memo::new();
        memo.store(7, Score::win_in(6), Bound::Exact, 5);
        assert_eq!(memo.settles(7, Window::FULL, 3), Some(Score::win_in(4)));
    }
}
