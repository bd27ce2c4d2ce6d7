use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::Score;

/// What an engine said of a move it played: the comment `+1.45/16 0.310s, n=6261` in a game file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thought {
    /// From the mover's point of view.
    pub score: Score,
    /// Nominal depth in plies.
    pub depth: u32,
    /// Deepest line looked at.
    pub selective_depth: Option<u32>,
    /// Time taken, written to the millisecond.
    pub time: Duration,
    /// Positions searched.
    pub nodes: Option<u64>,
}

impl fmt::Display for Thought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.time.as_millis();
        let (score, depth) = (self.score, self.depth);
        write!(f, "{score}/{depth} {}.{:03}s", milliseconds / 1000, milliseconds % 1000)?;
        if let Some(nodes) = self.nodes {
            write!(f, ", n={nodes}")?;
        }
        if let Some(depth) = self.selective_depth {
            write!(f, ", sd={depth}")?;
        }
        Ok(())
    }
}

/// The comment is not an engine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a score, depth and time")]
pub struct ParseThoughtError;

/// Unknown extras after the first comma are passed over.
impl FromStr for Thought {
    type Err = ParseThoughtError;

    fn from_str(text: &str) -> Result<Self, ParseThoughtError> {
        parse(text).ok_or(ParseThoughtError)
    }
}

fn parse(text: &str) -> Option<Thought> {
    let mut parts = text.split(',').map(str::trim);
    let (head, time) = parts.next()?.split_once(' ')?;
    let (score, depth) = head.split_once('/')?;
    let seconds: f64 = time.trim().strip_suffix('s')?.parse().ok()?;
    let mut thought = Thought {
        score: parse_score(score)?,
        depth: depth.parse().ok()?,
        selective_depth: None,
        time: Duration::try_from_secs_f64((seconds * 1000.0).round() / 1000.0).ok()?,
        nodes: None,
    };
    for (key, value) in parts.filter_map(|part| part.split_once('=')) {
        match key {
            "n" => thought.nodes = value.parse().ok(),
            "sd" => thought.selective_depth = value.parse().ok(),
            _ => {}
        }
    }
    Some(thought)
}

fn parse_score(text: &str) -> Option<Score> {
    let negative = text.starts_with('-');
    let magnitude = text.trim_start_matches(['+', '-']);
    let score = match magnitude.strip_prefix('M') {
        Some(plies) => Score::win_in(plies.parse().ok()?),
        None => Score::centipawns((magnitude.parse::<f64>().ok()? * 100.0).round() as i32),
    };
    Some(if negative { -score } else { score })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_match_runners_write() {
        let thought: Thought = "-M8/22 1.005s, n=6261, sd=31, tl=4.2s, Black mates".parse().unwrap();
        assert_eq!(thought.score, Score::loss_in(8));
        assert_eq!(thought.to_string(), "-M8/22 1.005s, n=6261, sd=31");
        assert_eq!("+1.45/16 0.310s".parse::<Thought>().unwrap().to_string(), "+1.45/16 0.310s");
        assert!("book".parse::<Thought>().is_err());
    }

    proptest! {
        #[test]
        fn parsing_undoes_display(score in -30_000..30_000_i32, depth in 0..200_u32, ms in 0..10_000_000_u64,
                                  nodes: Option<u64>, selective_depth: Option<u32>) {
            let time = Duration::from_millis(ms);
            let thought = Thought { score: Score::centipawns(score), depth, selective_depth, time, nodes };
            prop_assert_eq!(thought.to_string().parse::<Thought>().unwrap(), thought);
        }

        #[test]
        fn any_text_is_refused_or_read(text in ".*") {
            let _ = text.parse::<Thought>();
        }
    }
}
