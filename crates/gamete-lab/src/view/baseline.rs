use gamete_arena::Limits;
use serde::Serialize;

use super::{MatchScore, SprtView};
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
    /// What the test says if it decides, else what the games say, with 95 % confidence.
    pub verdict: Verdict,
    /// How much both may think, where that is not as in the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// The openings in words, where they were held out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<String>,
    /// The sequential test, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtView>,
    #[serde(skip)]
    is_complete: bool,
}

impl BaselineView {
    /// Whether no pair is missing, or the test needs no more of them.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl From<&BaselineMatch> for BaselineView {
    fn from(found: &BaselineMatch) -> Self {
        let pairs = found.pairs();
        Self {
            champion: found.champion.clone(),
            against: found.baseline,
            opponent: found.opponent.clone(),
            planned_pairs: found.planned,
            score: pairs.into(),
            verdict: found.verdict(),
            limits: found.terms.limits,
            openings: found.terms.openings.clone(),
            sprt: found.terms.test().map(|test| SprtView::new(&test, &pairs.into())),
            is_complete: found.is_complete(),
        }
    }
}
