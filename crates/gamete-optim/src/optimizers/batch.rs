use std::collections::BTreeMap;

use crate::optimizer::Evaluation;

/// The trials of a generation: which of them were asked for, and what came of those that were told.
#[derive(Debug)]
pub(super) struct Batch {
    size: usize,
    /// The number of its first trial.
    first: u64,
    asked: usize,
    told: BTreeMap<u64, Evaluation>,
}

impl Batch {
    /// The first generation, of so many trials; all that follow are as large, unless they are given another size.
    pub fn new(size: usize) -> Self {
        Self { size, first: 0, asked: 0, told: BTreeMap::new() }
    }

    /// How many trials a generation has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Gives the generation another size, before any of it is asked for.
    pub fn resize(&mut self, size: usize) {
        debug_assert_eq!(self.asked, 0, "a generation in progress");
        self.size = size;
    }

    /// The number of the next trial and its place in the generation; nothing if all were asked for.
    pub fn ask(&mut self) -> Option<(u64, usize)> {
        let place = self.asked;
        (place < self.size).then(|| {
            self.asked += 1;
            (self.first + place as u64, place)
        })
    }

    /// Takes what came of a trial. A trial that is not open is passed over. When the last one is told, gives what came of all,
    /// in the order of the trials and not of the answers, and the next generation begins.
    pub fn tell(&mut self, number: u64, evaluation: Evaluation) -> Option<Vec<Evaluation>> {
        let asked = self.first..self.first + self.asked as u64;
        if !asked.contains(&number) || self.told.contains_key(&number) {
            return None;
        }
        self.told.insert(number, evaluation.checked());
        (self.told.len() == self.size).then(|| {
            self.first += self.size as u64;
            self.asked = 0;
            std::mem::take(&mut self.told).into_values().collect()
        })
    }

    /// Ends a generation of which not all is told, and gives what came of those trials that were, by their places.
    pub fn cut_short(&mut self) -> Vec<(usize, Evaluation)> {
        let first = self.first;
        self.first += self.size as u64;
        self.asked = 0;
        let told = std::mem::take(&mut self.told).into_iter();
        told.map(|(number, evaluation)| ((number - first) as usize, evaluation)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_over_when_all_of_it_is_told_in_any_order() {
        let fitness = |number: u32| Evaluation::Fitness(f64::from(number));
        let mut batch = Batch::new(2);
        assert_eq!(batch.tell(0, fitness(9)), None, "never asked for");
        assert_eq!([batch.ask(), batch.ask(), batch.ask()], [Some((0, 0)), Some((1, 1)), None]);
        assert_eq!(batch.tell(1, fitness(5)), None);
        assert_eq!(batch.tell(1, fitness(6)), None, "told before");
        assert_eq!(batch.tell(0, Evaluation::Fitness(f64::NAN)), Some(vec![Evaluation::Failed, fitness(5)]));
        assert_eq!((batch.tell(0, fitness(7)), batch.ask()), (None, Some((2, 0))));
        assert_eq!((batch.ask(), batch.tell(2, fitness(1))), (Some((3, 1)), None));
        assert!(batch.tell(3, fitness(2)).is_some());
        batch.resize(1);
        assert_eq!([batch.ask(), batch.ask()], [Some((4, 0)), None]);
    }

    #[test]
    fn a_generation_that_is_cut_short_is_followed_by_another() {
        let mut batch = Batch::new(3);
        let asked: Vec<_> = std::iter::from_fn(|| batch.ask()).take(2).collect();
        assert_eq!(asked, [(0, 0), (1, 1)]);
        assert_eq!(batch.tell(1, Evaluation::Fitness(0.5)), None);
        assert_eq!(batch.cut_short(), [(1, Evaluation::Fitness(0.5))]);
        assert_eq!(batch.tell(0, Evaluation::Fitness(0.5)), None, "it comes too late");
        assert_eq!(batch.ask(), Some((3, 0)));
    }
}
