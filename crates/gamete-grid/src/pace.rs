use std::collections::HashMap;

/// How long tasks take, by the engines that they need, and so how many are sent together.
#[derive(Debug, Default)]
pub(crate) struct Pace(HashMap<String, f64>);

/// What a batch is to take: long beside a message, short beside the end of a run, where others wait for it.
const BATCH_MICROS: f64 = 25_000.0;

/// The most tasks of a batch.
const MAX_BATCH: usize = 256;

/// The share of the latest task in what is expected of the next.
const NEWEST: f64 = 0.1;

impl Pace {
    /// A task took so long.
    pub fn learn(&mut self, engines: &str, micros: u64) {
        let micros = (micros as f64).max(1.0);
        match self.0.get_mut(engines) {
            Some(known) => *known += NEWEST * (micros - *known),
            None => {
                self.0.insert(engines.to_owned(), micros);
            }
        }
    }

    /// How many tasks to send together: as many as take a while, one where that is not known.
    pub fn batch(&self, engines: &str) -> usize {
        let wanted = self.0.get(engines).map_or(1.0, |micros| BATCH_MICROS / micros);
        (wanted as usize).clamp(1, MAX_BATCH)
    }

    /// The most that are sent together.
    pub fn largest_batch(&self) -> usize {
        self.0.keys().map(|engines| self.batch(engines)).max().unwrap_or(1)
    }

    /// The same where only so many wait for workers that do so many at a time: what is left is shared out.
    pub fn batch_of(&self, engines: &str, waiting: usize, slots: usize) -> usize {
        self.batch(engines).min(waiting.div_ceil(slots.max(1))).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_tasks_are_sent_together_and_slow_ones_alone() {
        let mut pace = Pace::default();
        assert_eq!(pace.batch("none"), 1, "nothing is known");
        pace.learn("none", 1_000);
        assert_eq!(pace.batch("none"), 25);
        assert_eq!(pace.batch_of("none", 10, 4), 3, "the last ones are shared out");
        assert_eq!(pace.batch_of("none", 0, 4), 1);
        pace.learn("quick", 2);
        assert_eq!(pace.batch("quick"), MAX_BATCH);
        (0..100).for_each(|_| pace.learn("none", 60_000_000));
        assert_eq!(pace.batch("none"), 1);
    }
}
