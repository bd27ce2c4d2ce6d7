use serde::Serialize;

use super::MatchScore;
use crate::verification::{Baseline, BaselineMatch, Verdict};

/// The games of a champion against one of its baselines, as far as they are played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BaselineView {
    /// The champion, as `compare` and `show --player` name it.
    pub champion: String,
    /// Who the opponent is.
    pub against: Baseline,
    /// The opponent, as `compare` names it.
    pub opponent: String,
    /// Pairs that there are to be.
    pub planned_pairs: u64,
    /// What the champion made of them.
    #[serde(flatten)]
    pub score: MatchScore,
    /// What the games say, with 95 % confidence.
    pub verdict: Verdict,
}

impl BaselineView {
    /// Whether no pair is missing.
    pub fn is_complete(&self) -> bool {
        self.score.pairs >= self.planned_pairs
    }
}

impl From<&BaselineMatch> for BaselineView {
    fn from(found: &BaselineMatch) -> Self {
        Self {
            champion: found.champion.clone(),
            against: found.baseline,
            opponent: found.opponent.clone(),
            planned_pairs: found.planned,
            score: found.pairs().into(),
            verdict: found.verdict(),
        }
    }
}
