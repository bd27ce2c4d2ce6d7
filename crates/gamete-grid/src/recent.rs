//! The tasks that were answered last.

use std::collections::{HashSet, VecDeque};

/// The last tasks that were answered, so that a second answer is known for what it is. They are many, and so each is kept as a short
/// hash.
#[derive(Default)]
pub(crate) struct Recent {
    ids: HashSet<[u8; 16]>,
    order: VecDeque<[u8; 16]>,
}

impl Recent {
    const MOST: usize = 100_000;

    pub fn insert(&mut self, id: &str) {
        let id = short(id);
        if self.ids.insert(id) {
            self.order.push_back(id);
        }
        if self.order.len() > Self::MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }

    pub fn contains(&self, id: &str) -> bool {
        self.ids.contains(&short(id))
    }
}

/// A hash that stands for a task.
pub(crate) fn short(id: &str) -> [u8; 16] {
    *blake3::hash(id.as_bytes()).as_bytes().first_chunk().expect("32 bytes")
}
