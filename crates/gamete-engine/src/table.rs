use gamete_game::{MoveCode, Score};

use crate::depth::Depth;
use crate::window::Window;

/// What a score says of the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It is no higher.
    Upper,
    /// It is no lower.
    Lower,
    /// It is equal.
    Exact,
}

impl Bound {
    /// What the best score of a search with this window says.
    #[inline]
    pub(crate) fn of(best: Score, window: Window) -> Self {
        if best >= window.beta {
            Self::Lower
        } else if best > window.alpha {
            Self::Exact
        } else {
            Self::Upper
        }
    }
}

/// What the table remembers of a position. Forced ends are counted from that position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) score: Score,
    pub(crate) bound: Bound,
    pub(crate) depth: Depth,
    pub(crate) code: Option<MoveCode>,
    pub(crate) evaluation: Option<Score>,
}

impl Entry {
    /// The score of a position `ply` plies from the root, if what is known of it settles the question.
    #[inline]
    pub(crate) fn settles(&self, window: Window, ply: usize) -> Option<Score> {
        let score = self.score.earlier(ply as u32);
        let settled = match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        };
        settled.then_some(score)
    }
}

/// The transposition table.
///
/// It starts small and doubles as a search fills it: games of shallow searches stay in the processor's cache, and
/// clearing it costs no more than filling it did.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    max_buckets: usize,
    /// The slots that this search has filled.
    filled: usize,
    /// The table doubles when one of so many slots is filled.
    sparseness: usize,
    generation: u8,
}

/// As many slots as fit a cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    check: u32,
    score: Score,
    /// [`Score::INFINITY`] for none.
    evaluation: Score,
    /// 0 for none.
    code: u16,
    depth: u8,
    /// The generation times 4, plus 1 to 3 for the bound; 0 for an empty slot.
    mark: u8,
}

const SLOTS: usize = 4;
const GENERATIONS: u8 = 64;
const MIN_BITS: u32 = 10;

impl Table {
    /// A table that is fast.
    pub(crate) const DENSE: usize = 2;
    /// A table that hardly ever has to forget.
    pub(crate) const SPARSE: usize = 32;

    /// An empty table that never takes much more memory than this.
    pub(crate) fn new(max_bytes: usize, sparseness: usize) -> Self {
        let mut bits = (max_bytes / size_of::<Bucket>()).checked_ilog2().unwrap_or(0).clamp(MIN_BITS, 40);
        let mut buckets = Vec::new();
        // Where there is not that much memory, a smaller table plays on.
        while bits > MIN_BITS && buckets.try_reserve_exact(1 << bits).is_err() {
            bits -= 1;
        }
        buckets.resize(1 << MIN_BITS, Bucket::default());
        Self { buckets, max_buckets: 1 << bits, filled: 0, sparseness, generation: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.buckets.truncate(1 << MIN_BITS);
        self.buckets.fill(Bucket::default());
        self.filled = 0;
        self.generation = 0;
    }

    /// Prepares for a search, to which what is already there is old.
    pub(crate) fn start(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
        self.filled = 0;
    }

    /// How much of the memory this search has filled, in thousandths.
    pub(crate) fn permille_full(&self) -> u32 {
        (self.filled * 1000 / (self.max_buckets * SLOTS)) as u32
    }

    /// Loads what [`probe`](Self::probe) will want, without waiting for it.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        std::hint::black_box(self.buckets[self.index(key)].0[0].check);
    }

    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        let bucket = &self.buckets[self.index(key)];
        let slot = bucket.0.iter().find(|slot| slot.check == check(key) && slot.mark & 3 != 0)?;
        Some(Entry {
            score: slot.score,
            bound: match slot.mark & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
            depth: Depth::from_quarters(slot.depth.into()),
            code: MoveCode::new(slot.code),
            evaluation: (slot.evaluation != Score::INFINITY).then_some(slot.evaluation),
        })
    }

    #[inline]
    pub(crate) fn store(&mut self, key: u64, entry: Entry) {
        if self.filled >= self.buckets.len() * SLOTS / self.sparseness
            && self.buckets.len() < self.max_buckets
        {
            self.grow();
        }
        let index = self.index(key);
        let generation = self.generation;
        let bucket = &mut self.buckets[index];
        let worth = |slot: &Slot| {
            let age = (GENERATIONS + generation - (slot.mark >> 2)) % GENERATIONS;
            if slot.mark & 3 == 0 { i32::MIN } else { i32::from(slot.depth) - 32 * i32::from(age) }
        };
        let slot = match bucket.0.iter().position(|slot| slot.check == check(key) && slot.mark & 3 != 0) {
            Some(same) => &mut bucket.0[same],
            None => bucket.0.iter_mut().min_by_key(|slot| worth(slot)).expect("four slots"),
        };
        self.filled += usize::from(slot.mark & 3 == 0 || slot.mark >> 2 != generation);
        let code = match entry.code {
            Some(code) => code.bits(),
            None if slot.check == check(key) => slot.code,
            None => 0,
        };
        *slot = Slot {
            check: check(key),
            score: entry.score,
            evaluation: entry.evaluation.unwrap_or(Score::INFINITY),
            code,
            depth: entry.depth.quarters().clamp(0, 255) as u8,
            mark: generation << 2
                | match entry.bound {
                    Bound::Upper => 1,
                    Bound::Lower => 2,
                    Bound::Exact => 3,
                },
        };
    }

    #[cold]
    fn grow(&mut self) {
        let old = self.buckets.len();
        let bit = old >> MIN_BITS;
        self.buckets.resize(2 * old, Bucket::default());
        let (lower, upper) = self.buckets.split_at_mut(old);
        for (here, there) in lower.iter_mut().zip(upper) {
            for (from, to) in here.0.iter_mut().zip(&mut there.0) {
                if from.check as usize & bit != 0 {
                    *to = std::mem::take(from);
                }
            }
        }
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }
}

/// The bits of a key above those that index the smallest table, so that a larger one can tell from a slot where it
/// belongs.
#[inline]
const fn check(key: u64) -> u32 {
    (key >> MIN_BITS) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_sixteen_bytes() {
        assert_eq!(size_of::<Slot>(), 16);
        assert_eq!(size_of::<Bucket>(), 64);
    }

    fn entry(code: u16) -> Entry {
        Entry {
            score: Score::win_in(3),
            bound: Bound::Lower,
            depth: Depth::plies(7),
            code: MoveCode::new(code),
            evaluation: None,
        }
    }

    #[test]
    fn what_is_stored_is_found() {
        let mut table = Table::new(1 << 20, Table::DENSE);
        let key = 0x1234_5678_9abc_def0;
        assert!(table.probe(key).is_none());
        table.store(key, entry(77));
        let found = table.probe(key).expect("an entry");
        assert_eq!(
            (found.score, found.bound, found.depth),
            (Score::win_in(3), Bound::Lower, Depth::plies(7))
        );
        assert_eq!((found.code, found.evaluation), (MoveCode::new(77), None));
        assert!(table.probe(key ^ 1 << 40).is_none());
        table.clear();
        assert!(table.probe(key).is_none());
    }

    #[test]
    fn a_table_that_grows_forgets_little_and_stays_within_its_memory() {
        let mut table = Table::new(1 << 22, Table::DENSE);
        let key = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for n in 1..=30_000 {
            table.store(key(n), entry(n as u16));
        }
        let found = (1..=30_000)
            .filter(|&n| table.probe(key(n)).is_some_and(|found| found.code == MoveCode::new(n as u16)))
            .count();
        assert!(found > 29_000, "{found}");
        for n in 0..1_000_000 {
            table.store(key(n), entry(n as u16));
        }
        assert_eq!(table.buckets.len() * size_of::<Bucket>(), 1 << 22);
        assert_eq!(table.permille_full(), 1000);
    }
}
