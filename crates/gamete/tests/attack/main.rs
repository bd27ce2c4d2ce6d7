//! Attacks on the program from the outside: signals, damaged files and stores, hostile engines.
//!
//! A few of each in `make test`; `make attack` goes on for GAMETE_ATTACK seconds with a seed of its own. A finding names
//! the seed and the round, and the same seed repeats it.

#[path = "../common/mod.rs"]
mod common;
mod engines;
mod inputs;
mod signals;
mod stores;
mod target;
mod texts;

use std::time::{Duration, Instant};

use gamete_arena::Rng;

/// How long an attack lasts: a number of rounds, or a time that was asked for.
pub struct Siege {
    name: &'static str,
    seed: u64,
    rounds: u64,
    until: Option<Instant>,
}

impl Siege {
    /// So many rounds in the short version.
    pub fn new(name: &'static str, rounds: u64) -> Self {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let until = number("GAMETE_ATTACK").map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let seed = number("GAMETE_SEED").unwrap_or(1);
        eprintln!("{name}: seed {seed} (GAMETE_SEED={seed})");
        Self { name, seed, rounds, until }
    }

    /// Calls `round` with the number of each round and its generator.
    pub fn each(&self, mut round: impl FnMut(u64, &mut Rng)) {
        let mut number = 0;
        while self.until.map_or(number < self.rounds, |until| Instant::now() < until) {
            let mut rng = Rng::new(self.seed).fork(&format!("{} {number}", self.name));
            round(number, &mut rng);
            number += 1;
        }
        eprintln!("{}: {number} rounds", self.name);
    }
}

/// One of these.
pub fn pick<'a, T: ?Sized>(rng: &mut Rng, from: &[&'a T]) -> &'a T {
    from[rng.below(from.len() as u64) as usize]
}
