//! Clocks that are scaled by the speed of a machine, as OpenBench does: half the time on one that is twice as fast.

use gamete_arena::{Task, TaskOutcome};

/// How much time a machine has, of what the task says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ClockScale(f64);

/// No machine is so much faster or slower; something else was measured.
const MOST: f64 = 20.0;

impl ClockScale {
    /// That of a machine with this speed where clocks are made for the `reference`.
    pub fn new(reference: u64, speed: u64) -> Self {
        let factor = reference as f64 / speed.max(1) as f64;
        // As it is recorded.
        Self((factor.clamp(1.0 / MOST, MOST) * 1000.0).round() / 1000.0)
    }

    /// Gives the task this time, if a clock has a part in it.
    pub fn apply(self, task: &mut Task) {
        for contestant in task.contestants_mut() {
            contestant.limits = contestant.limits.scaled(self.0);
        }
    }

    /// Writes it down with a game.
    pub fn record(self, outcome: &mut TaskOutcome) {
        if let TaskOutcome::Game(game) = outcome
            && let Some(timing) = &mut game.timing
        {
            timing.clock_scale = Some((self.0 * 1000.0).round() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_machine_has_less_time() {
        assert_eq!(ClockScale::new(1_000_000, 2_000_000), ClockScale(0.5));
        assert_eq!(ClockScale::new(1_000_000, 750_000), ClockScale(1.333));
        assert_eq!(
            [ClockScale::new(1_000, 0), ClockScale::new(1, 1_000_000)],
            [ClockScale(MOST), ClockScale(1.0 / MOST)]
        );
    }
}
