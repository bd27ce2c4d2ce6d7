use gamete_game::{MoveCode, Score};

use crate::depth::Depth;
use crate::{Limit, SearchSettings};

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

/// What the table remembers of a position. Forced ends are counted from that position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) score: Score,
    pub(crate) bound: Bound,
    pub(crate) depth: Depth,
    pub(crate) code: Option<MoveCode>,
    pub(crate) evaluation: Option<Score>,
}

/// The transposition table.
///
/// It grows to what the limit of a search can fill and no further: shallow games stay in the processor's cache.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    max_buckets: usize,
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
const MIN_BUCKETS: usize = 1 << 10;

impl Table {
    /// An empty table that never takes more memory than this.
    pub(crate) fn new(max_bytes: usize) -> Self {
        let buckets = (max_bytes / size_of::<Bucket>()).max(1);
        let max_buckets = if buckets.is_power_of_two() { buckets } else { buckets.next_power_of_two() / 2 };
        Self { buckets: Vec::new(), max_buckets, generation: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
        self.generation = 0;
    }

    /// Prepares for a search.
    pub(crate) fn start(&mut self, settings: &SearchSettings, limit: &Limit) {
        if !settings.table {
            return;
        }
        let by_depth = limit.depth.map(|depth| MIN_BUCKETS << (depth.saturating_sub(2)).min(40));
        let by_nodes = limit.nodes.map(|nodes| {
            let nodes = usize::try_from(nodes).unwrap_or(usize::MAX).min(1 << 40);
            (nodes / SLOTS).next_power_of_two().max(MIN_BUCKETS)
        });
        let wanted = by_depth.into_iter().chain(by_nodes).min().unwrap_or(self.max_buckets);
        let buckets = wanted.min(self.max_buckets);
        if buckets > self.buckets.len() {
            self.buckets.clear();
            self.buckets.resize(buckets, Bucket::default());
        }
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// How many of a thousand slots this search has filled.
    pub(crate) fn permille_full(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(1000 / SLOTS)];
        let slots = sample.iter().flat_map(|bucket| &bucket.0);
        let used = slots.filter(|slot| slot.mark & 3 != 0 && slot.mark >> 2 == self.generation).count();
        (used * 1000 / (sample.len() * SLOTS).max(1)) as u32
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

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }
}

#[inline]
const fn check(key: u64) -> u32 {
    (key >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_sixteen_bytes() {
        assert_eq!(size_of::<Slot>(), 16);
        assert_eq!(size_of::<Bucket>(), 64);
    }

    #[test]
    fn what_is_stored_is_found() {
        let mut table = Table::new(1 << 20);
        table.start(&SearchSettings::full(), &Limit::depth(2));
        let entry = Entry {
            score: Score::win_in(3),
            bound: Bound::Lower,
            depth: Depth::plies(7),
            code: MoveCode::new(77),
            evaluation: None,
        };
        let key = 0x1234_5678_9abc_def0;
        assert!(table.probe(key).is_none());
        table.store(key, entry);
        let found = table.probe(key).expect("an entry");
        assert_eq!((found.score, found.bound, found.depth), (entry.score, entry.bound, entry.depth));
        assert_eq!((found.code, found.evaluation), (entry.code, None));
        assert!(table.probe(key ^ 1 << 40).is_none());
        table.clear();
        assert!(table.probe(key).is_none());
    }
}
