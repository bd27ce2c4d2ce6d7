use std::collections::BTreeMap;

/// Answers that come as they like and leave in the order of their numbers.
#[derive(Debug, Clone)]
pub struct InOrder<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self { next: 0, waiting: BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Takes an answer.
    pub fn insert(&mut self, number: u64, answer: T) {
        self.waiting.insert(number, answer);
    }

    /// Whether this answer came, whether or not it left.
    pub fn has(&self, number: u64) -> bool {
        number < self.next || self.waiting.contains_key(&number)
    }

    /// Gives the next answer, if it is there.
    pub fn pop(&mut self) -> Option<(u64, T)> {
        let answer = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some((self.next - 1, answer))
    }

    /// Gives what is left, in order, over the gaps.
    pub fn drain(&mut self) -> impl Iterator<Item = (u64, T)> + use<T> {
        std::mem::take(&mut self.waiting).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_passed_over_at_the_end() {
        let mut in_order = InOrder::default();
        for number in [4, 0, 2] {
            in_order.insert(number, ());
        }
        assert_eq!(in_order.pop(), Some((0, ())));
        assert_eq!(in_order.pop(), None);
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|number| in_order.has(number)),
            [true, false, true, false, true, false]
        );
        assert_eq!(in_order.drain().map(|(number, ())| number).collect::<Vec<_>>(), [2, 4]);
    }
}
