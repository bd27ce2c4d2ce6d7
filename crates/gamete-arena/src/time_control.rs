use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The time for a game, as match runners write it: `[moves/][minutes:]seconds[+increment]` or `inf`.
///
/// ```
/// # use gamete_arena::TimeControl;
/// let control: TimeControl = "40/1:30+0.5".parse()?;
/// assert_eq!(control.to_string(), "40/90+0.5");
/// # Ok::<(), gamete_arena::ParseTimeControlError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TimeControl {
    /// No clock runs.
    #[default]
    Infinite,
    /// A clock runs.
    Clock {
        /// Moves until `time` is added again; without it there is only the one time for the game.
        moves: Option<u32>,
        /// Time at the start.
        time: Duration,
        /// Time added for each move.
        increment: Duration,
    },
}

impl TimeControl {
    /// So many times as much time.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Infinite => Self::Infinite,
            Self::Clock { moves, time, increment } => {
                Self::Clock { moves, time: time.mul_f64(factor), increment: increment.mul_f64(factor) }
            }
        }
    }
}

/// The text is not a time control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time control like 10+0.1, 40/1:30+0.5 or inf")]
pub struct ParseTimeControlError(pub String);

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<Self, ParseTimeControlError> {
        parse(text).ok_or_else(|| ParseTimeControlError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<TimeControl> {
    if matches!(text, "inf" | "infinite") {
        return Some(TimeControl::Infinite);
    }
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse::<u32>().ok()?), rest),
        None => (None, text),
    };
    let (time, increment) = match rest.split_once('+') {
        Some((time, increment)) => (time, parse_seconds(increment)?),
        None => (rest, Duration::ZERO),
    };
    let time = match time.split_once(':') {
        Some((minutes, seconds)) => {
            let minutes = Duration::from_secs(minutes.parse::<u32>().ok()?.into()) * 60;
            minutes.checked_add(parse_seconds(seconds)?)?
        }
        None => parse_seconds(time)?,
    };
    // Others write 0 moves for the whole game.
    let moves = moves.filter(|&moves| moves > 0);
    (!(time + increment).is_zero()).then_some(TimeControl::Clock { moves, time, increment })
}

/// Plain decimal seconds, to the nanosecond; less than a year, so that sums of them never overflow.
pub(crate) fn parse_seconds(text: &str) -> Option<Duration> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = text.parse::<f64>().ok().filter(|&seconds| plain && seconds < 31_536_000.0)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Seconds with as many decimals as it takes.
pub(crate) fn seconds_text(time: Duration) -> String {
    let text = format!("{}.{:09}", time.as_secs(), time.subsec_nanos());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Clock { moves, time, increment } = *self else { return f.write_str("inf") };
        if let Some(moves) = moves {
            write!(f, "{moves}/")?;
        }
        f.write_str(&seconds_text(time))?;
        if !increment.is_zero() {
            write!(f, "+{}", seconds_text(increment))?;
        }
        Ok(())
    }
}

impl TryFrom<String> for TimeControl {
    type Error = ParseTimeControlError;

    fn try_from(text: String) -> Result<Self, ParseTimeControlError> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> Self {
        control.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_grammar_of_match_runners_is_understood() {
        let clock = |moves, time, increment| TimeControl::Clock {
            moves,
            time: Duration::from_millis(time),
            increment: Duration::from_millis(increment),
        };
        for (text, control, written) in [
            ("10+0.1", clock(None, 10_000, 100), "10+0.1"),
            ("10.0+0.10", clock(None, 10_000, 100), "10+0.1"),
            ("0.2+0.002", clock(None, 200, 2), "0.2+0.002"),
            ("60", clock(None, 60_000, 0), "60"),
            ("5:00", clock(None, 300_000, 0), "300"),
            ("1:30.5+2", clock(None, 90_500, 2_000), "90.5+2"),
            ("40/10+0.1", clock(Some(40), 10_000, 100), "40/10+0.1"),
            ("40/1:30+0.5", clock(Some(40), 90_000, 500), "40/90+0.5"),
            ("0/10", clock(None, 10_000, 0), "10"),
            ("0+1", clock(None, 0, 1_000), "0+1"),
            ("inf", TimeControl::Infinite, "inf"),
            ("infinite", TimeControl::Infinite, "inf"),
        ] {
            assert_eq!(text.parse(), Ok(control), "{text}");
            assert_eq!(control.to_string(), written);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let bad =
            ["banana", "", "0", "+", "10+", "-5", "1e3", "NaN", "10++1", "a/10", "-1/10", "1:2:3", "9e9"];
        for text in bad.into_iter().chain(["10 + 1", "1:-5", "99999999999", "/5", ":5", "5:"]) {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
        assert_eq!(
            "banana".parse::<TimeControl>().unwrap_err().to_string(),
            "\"banana\" is not a time control like 10+0.1, 40/1:30+0.5 or inf"
        );
    }

    proptest! {
        #[test]
        fn parsing_undoes_display(moves in proptest::option::of(1..1000_u32), time in 1..10_u64.pow(15),
                                  increment in 0..10_u64.pow(12)) {
            let (time, increment) = (Duration::from_micros(time / 1000), Duration::from_micros(increment / 1000));
            prop_assume!(!time.is_zero());
            let control = TimeControl::Clock { moves, time, increment };
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }

        #[test]
        fn any_text_is_refused_or_read(text in ".*") {
            let _ = text.parse::<TimeControl>();
        }
    }
}
