use std::time::Duration;

use crate::TimeControl;

/// What one side has left on its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameClock {
    moves: Option<u32>,
    time: Duration,
    increment: Duration,
    left: Duration,
    moves_to_go: Option<u32>,
}

/// More time was taken than there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of time by {} ms", .0.as_millis())]
pub struct Overrun(pub Duration);

impl GameClock {
    /// A clock at the start of a game, if there is one. The first increment is there from the beginning.
    pub fn new(control: &TimeControl) -> Option<Self> {
        match *control {
            TimeControl::Infinite => None,
            TimeControl::Clock { moves, time, increment } => {
                Some(Self { moves, time, increment, left: time + increment, moves_to_go: moves })
            }
        }
    }

    /// Time left.
    pub fn left(&self) -> Duration {
        self.left
    }

    /// Time added for each move.
    pub fn increment(&self) -> Duration {
        self.increment
    }

    /// Moves until time is added, if that ever happens.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// Takes the time of a move off and adds what a move made adds.
    ///
    /// # Errors
    ///
    /// When the time is more than was left and `margin` together; nothing is added then.
    pub fn spend(&mut self, elapsed: Duration, margin: Duration) -> Result<(), Overrun> {
        let left = self.left;
        self.left = left.saturating_sub(elapsed);
        if elapsed > left + margin {
            return Err(Overrun(elapsed - left));
        }
        self.left += self.increment;
        if let Some(moves) = &mut self.moves_to_go {
            *moves -= 1;
            if *moves == 0 {
                self.left += self.time;
                self.moves_to_go = self.moves;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clock(text: &str) -> GameClock {
        GameClock::new(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn increments_and_new_periods_are_added() {
        let mut clock = clock("2/1+0.1");
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(1100), Some(2)));
        clock.spend(ms(600), Duration::ZERO).unwrap();
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(600), Some(1)));
        clock.spend(ms(600), Duration::ZERO).unwrap();
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(1100), Some(2)));
    }

    #[test]
    fn the_margin_forgives_but_is_not_lent() {
        let mut clock = clock("1+0.1");
        clock.spend(ms(1105), ms(5)).unwrap();
        assert_eq!(clock.left(), ms(100));
        assert_eq!(clock.spend(ms(106), ms(5)), Err(Overrun(ms(6))));
        assert_eq!(clock.left(), Duration::ZERO);
    }
}
