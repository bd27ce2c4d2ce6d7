use std::fmt;
use std::str::FromStr;

use gamete_arena::TaskKey;

/// A share of all tasks, like `2%`. Which tasks it takes depends on nothing but their keys.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Share(f64);

/// The text is not a share.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a share of all games like 2%, or up to 100%")]
pub struct ParseShareError(String);

impl Share {
    /// Whether it takes nothing.
    pub fn is_none(self) -> bool {
        self.0 <= 0.0
    }

    /// Whether it takes the task with this key.
    pub(crate) fn takes(self, key: TaskKey) -> bool {
        // A key is a hash, so that its first bytes are as good as a random number.
        let number = key.short().cast_unsigned() as f64 / u64::MAX as f64;
        number < self.0 || self.0 >= 1.0
    }
}

impl FromStr for Share {
    type Err = ParseShareError;

    fn from_str(text: &str) -> Result<Self, ParseShareError> {
        let percent = text.trim().strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
        let share = percent.filter(|percent| (0.0..=100.0).contains(percent));
        share.map(|percent| Self(percent / 100.0)).ok_or_else(|| ParseShareError(text.to_owned()))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", 100.0 * self.0)
    }
}

#[cfg(test)]
mod tests {
    use gamete_arena::{Contestant, ExpertTask, GameName, Limits, Player, Task};

    use super::*;

    #[test]
    fn a_share_is_in_per_cent() {
        for (text, share) in [("2%", 0.02), ("0.5 %", 0.005), ("100%", 1.0), ("0%", 0.0)] {
            assert_eq!(text.parse(), Ok(Share(share)), "{text}");
        }
        for text in ["2", "", "%", "101%", "-1%", "NaN%", "two%"] {
            let error = text.parse::<Share>().expect_err(text).to_string();
            assert_eq!(error, format!("{text:?} is not a share of all games like 2%, or up to 100%"));
        }
    }

    #[test]
    fn it_takes_its_part_of_all_tasks() {
        let key = |nodes| {
            let player = Contestant::new(Player::load("checkers/material").unwrap(), Limits::nodes(nodes));
            let game = GameName::Checkers;
            Task::from(ExpertTask { game, player, hash_mb: 1, positions: Vec::new() }).key()
        };
        let taken = |share: Share| (1..=1000).filter(|&nodes| share.takes(key(nodes))).count();
        assert_eq!([0.0, 1.0].map(|share| taken(Share(share))), [0, 1000]);
        assert!((150..250).contains(&taken(Share(0.2))));
    }
}
