use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use gamete_arena::Task;

/// How long tasks take, by the engines that they need and by their kind, and so how many are sent together.
#[derive(Debug, Default)]
pub(crate) struct Pace(HashMap<String, HashMap<Discriminant<Task>, f64>>);

/// What a batch is to take: long beside a message, short beside the end of a run, where others wait for it.
const BATCH_MICROS: f64 = 200_000.0;

/// The most tasks of a batch.
const MAX_BATCH: usize = 256;

/// The share of the latest task in what is expected of the next.
const NEWEST: f64 = 0.1;

impl Pace {
    /// A task took so long.
    pub fn learn(&mut self, engines: &str, task: &Task, micros: u64) {
        let micros = (micros as f64).max(1.0);
        if !self.0.contains_key(engines) {
            self.0.insert(engines.to_owned(), HashMap::new());
        }
        if let Some(kinds) = self.0.get_mut(engines) {
            let known = kinds.entry(discriminant(task)).or_insert(micros);
            *known += NEWEST * (micros - *known);
        }
    }

    /// How many tasks to send together: as many as take a while, one where that is not known.
    pub fn batch(&self, engines: &str, task: &Task) -> usize {
        let known = self.0.get(engines).and_then(|kinds| kinds.get(&discriminant(task)));
        known.map_or(1, |micros| batch(*micros))
    }

    /// The most that are sent together.
    pub fn largest_batch(&self) -> usize {
        let known = self.0.values().flat_map(HashMap::values);
        known.map(|micros| batch(*micros)).max().unwrap_or(1)
    }

    /// The same where only so many wait for workers that do so many at a time: batches become smaller towards the end, so that workers
    /// end together.
    pub fn batch_of(&self, engines: &str, task: &Task, waiting: usize, slots: usize) -> usize {
        self.batch(engines, task).min(waiting.div_ceil(2 * slots.max(1))).max(1)
    }
}

/// How many tasks to send together that take so long.
fn batch(micros: f64) -> usize {
    ((BATCH_MICROS / micros) as usize).clamp(1, MAX_BATCH)
}

#[cfg(test)]
mod tests {
    use gamete_arena::{Contestant, ExpertTask, GameName, Limits, Player, SolveTask};

    use super::*;

    #[test]
    fn quick_tasks_are_sent_together_and_slow_ones_alone() {
        let player = || Contestant::new(Player::load("checkers/material").unwrap(), Limits::nodes(1));
        let game = GameName::Checkers;
        let (hash_mb, solver) = (1, player());
        let solve = &Task::from(SolveTask { game, solver, hash_mb, positions: Vec::new() });
        let expert = &Task::from(ExpertTask { game, player: player(), hash_mb, positions: Vec::new() });
        let mut pace = Pace::default();
        assert_eq!((pace.batch("none", solve), pace.largest_batch()), (1, 1), "nothing is known");
        pace.learn("none", solve, 1_000);
        assert_eq!((pace.batch("none", solve), pace.largest_batch()), (200, 200));
        assert_eq!(pace.batch_of("none", solve, 10, 4), 2, "the last ones are shared out");
        assert_eq!(pace.batch_of("none", solve, 0, 4), 1);
        pace.learn("quick", solve, 2);
        assert_eq!((pace.batch("quick", solve), pace.largest_batch()), (MAX_BATCH, MAX_BATCH));
        assert_eq!(pace.batch("quick", expert), 1, "nothing is known of this kind");
        (0..100).for_each(|_| pace.learn("none", solve, 60_000_000));
        assert_eq!(pace.batch("none", solve), 1);
    }
}
