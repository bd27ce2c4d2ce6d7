//! Rules in the words of match runners: `movenumber=40 movecount=8 score=10`.

use std::fmt;
use std::str::FromStr;

use super::{DrawRule, ResignRule};
use crate::nearest;

/// A rule that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(String);

/// The keys and values of a rule.
fn pairs<'a>(text: &'a str, known: &[&'static str]) -> Result<Vec<(&'a str, &'a str)>, RuleError> {
    let pair = |word: &'a str| {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| RuleError(format!("{word:?} is not a pair like {}=…", known[0])))?;
        if !known.contains(&key) {
            let near = nearest(key, known.iter().copied());
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            return Err(RuleError(format!("there is no {key}={hint}")));
        }
        Ok((key, value))
    };
    text.split_whitespace().map(pair).collect()
}

fn number(key: &str, value: &str) -> Result<u32, RuleError> {
    let wrong = |_| RuleError(format!("{key}={value} is not a number, or not one of this size"));
    value.parse().map_err(wrong)
}

impl FromStr for DrawRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut rule = Self { move_number: 0, move_count: 1, score: 0 };
        for (key, value) in pairs(text, &["movenumber", "movecount", "score"])? {
            let value = number(key, value)?;
            match key {
                "movenumber" => rule.move_number = value,
                "movecount" => rule.move_count = value,
                _ => rule.score = value,
            }
        }
        Ok(rule)
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { move_number, move_count, score } = self;
        write!(f, "movenumber={move_number} movecount={move_count} score={score}")
    }
}

impl FromStr for ResignRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut rule = Self { move_count: 1, score: 0, two_sided: false };
        for (key, value) in pairs(text, &["movecount", "score", "twosided"])? {
            match key {
                "movecount" => rule.move_count = number(key, value)?,
                "score" => rule.score = number(key, value)?,
                _ => {
                    rule.two_sided = match value {
                        "true" | "on" | "1" => true,
                        "false" | "off" | "0" => false,
                        _ => return Err(RuleError(format!("{key}={value} is not true or false"))),
                    };
                }
            }
        }
        Ok(rule)
    }
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { move_count, score, two_sided } = self;
        write!(f, "movecount={move_count} score={score} twosided={two_sided}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        let draw = DrawRule { move_number: 40, move_count: 8, score: 10 };
        assert_eq!(draw.to_string().parse(), Ok(draw));
        assert_eq!("score=10".parse(), Ok(DrawRule { move_number: 0, move_count: 1, score: 10 }));
        let resign = ResignRule { move_count: 3, score: 600, two_sided: true };
        assert_eq!(resign.to_string().parse(), Ok(resign));
    }

    #[test]
    fn slips_are_named() {
        let draw = |text: &str| text.parse::<DrawRule>().expect_err("a slip").to_string();
        assert_eq!(draw("movecoutn=3"), "there is no movecoutn=; did you mean movecount?");
        assert_eq!(draw("8"), "\"8\" is not a pair like movenumber=…");
        assert_eq!(draw("score=x"), "score=x is not a number, or not one of this size");
        let resign = "twosided=maybe".parse::<ResignRule>().expect_err("a slip").to_string();
        assert_eq!(resign, "twosided=maybe is not true or false");
    }
}
