use std::time::Duration;

/// When a search has to stop: at the first of these that is reached. Without any it goes on until it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit {
    /// The last iteration, in plies.
    pub depth: Option<u32>,
    /// Positions visited, exactly.
    pub nodes: Option<u64>,
    /// Time for this move.
    pub time: Option<Duration>,
    /// Time for the game.
    pub clock: Option<Clock>,
    /// A forced win in this many moves has been found, or there is none.
    pub mate: Option<u32>,
}

/// What is left for the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub time: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until more time is added, if that is known.
    pub moves_to_go: Option<u32>,
    /// Time lost for each move on the way to the opponent.
    pub overhead: Duration,
}

impl Limit {
    /// No limit.
    pub const INFINITE: Self = Self { depth: None, nodes: None, time: None, clock: None, mate: None };

    /// A number of plies.
    pub const fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::INFINITE }
    }

    /// A number of positions.
    pub const fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::INFINITE }
    }

    /// Time for this move.
    pub const fn time(time: Duration) -> Self {
        Self { time: Some(time), ..Self::INFINITE }
    }

    /// Time for the game.
    pub const fn clock(clock: Clock) -> Self {
        Self { clock: Some(clock), ..Self::INFINITE }
    }
}

/// How long a search may take, from its limit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Allowance {
    /// Past this no new iteration is worth starting.
    pub(crate) soft: Option<Duration>,
    /// Past this the search stops wherever it is.
    pub(crate) hard: Option<Duration>,
}

impl From<&Limit> for Allowance {
    fn from(limit: &Limit) -> Self {
        let Some(clock) = limit.clock else {
            return Self { soft: None, hard: limit.time };
        };
        let left = clock.time.saturating_sub(clock.overhead).max(Duration::from_millis(1));
        let moves = clock.moves_to_go.unwrap_or(28).clamp(1, 40);
        let share = left / moves + clock.increment.mul_f64(0.75);
        let most = if moves == 1 { left.mul_f64(0.9) } else { left.mul_f64(0.5) };
        let hard = share.mul_f64(3.5).min(most);
        let hard = limit.time.map_or(hard, |time| time.min(hard));
        Self { soft: Some(share.mul_f64(0.6).min(hard)), hard: Some(hard) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_never_overdrawn() {
        for time in [0, 1, 5, 50, 1_000, 60_000] {
            for increment in [0, 10, 1_000, 100_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(1000)] {
                    let clock = Clock {
                        time: Duration::from_millis(time),
                        increment: Duration::from_millis(increment),
                        moves_to_go,
                        overhead: Duration::from_millis(5),
                    };
                    let allowance = Allowance::from(&Limit::clock(clock));
                    let (soft, hard) = (allowance.soft.unwrap(), allowance.hard.unwrap());
                    assert!(soft <= hard && hard <= clock.time.max(Duration::from_millis(1)), "{clock:?}");
                }
            }
        }
    }
}
