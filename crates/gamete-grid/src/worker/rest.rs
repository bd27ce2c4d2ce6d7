//! Pauses of a worker that cannot do what it is given.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// When a worker asks for tasks again that had no outcome of some. It is done with them sooner than others are, and would soon have them
/// all.
#[derive(Default)]
pub(super) struct Rest(Mutex<State>);

#[derive(Default)]
struct State {
    failures: i64,
    until: Option<Instant>,
}

impl Rest {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a failure. What fails while the worker rests was given to it before.
    pub fn fail(&self, now: Instant) {
        let mut state = self.state();
        if state.until.is_none_or(|until| until <= now) {
            state.failures += 1;
            state.until = Some(now + delay_after(state.failures));
        }
    }

    /// Notes an outcome.
    pub fn succeed(&self) {
        self.state().failures = 0;
    }

    /// How long it rests from now on.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        self.state().until?.checked_duration_since(now).filter(|left| !left.is_zero())
    }
}

/// What it is waited after so many failures: a quarter of a second, twice as long each time, up to a minute.
pub(super) fn delay_after(failures: i64) -> Duration {
    let doublings = (failures - 1).clamp(0, 16) as u32;
    (Duration::from_millis(250) * 2_u32.pow(doublings)).min(Duration::from_secs(60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_minute() {
        let millis = [0, 1, 2, 5, 8, 9, 10, i64::MAX].map(|failures| delay_after(failures).as_millis());
        assert_eq!(millis, [250, 250, 500, 4_000, 32_000, 60_000, 60_000, 60_000]);
    }

    #[test]
    fn what_fails_together_counts_once() {
        let (rest, begun) = (Rest::default(), Instant::now());
        let at = |millis| begun + Duration::from_millis(millis);
        let left = |millis| rest.left(at(millis)).map(|left| left.as_millis());
        assert_eq!(left(0), None);
        (0..100).for_each(|_| rest.fail(at(0)));
        assert_eq!([0, 100, 250].map(left), [Some(250), Some(150), None]);
        rest.fail(at(300));
        assert_eq!(left(300), Some(500));
        rest.succeed();
        assert_eq!(left(300), Some(500), "the others of a batch have failed");
        rest.fail(at(1_000));
        assert_eq!(left(1_000), Some(250));
    }
}
