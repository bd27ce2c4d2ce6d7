use gamete_stats::Results;
use serde::Serialize;

use crate::verification::{Baseline, BaselineMatch, Verdict};

/// The games of a champion against one of its baselines, as far as they are played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchView {
    /// The champion, as `compare` and `show --player` name it.
    pub champion: String,
    /// Who the opponent is.
    pub against: Baseline,
    /// The opponent, as `compare` names it.
    pub opponent: String,
    /// Pairs that are over.
    pub pairs: u64,
    /// Pairs that there are to be.
    pub planned_pairs: u64,
    /// Games that the champion won.
    pub wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// Pairs by the champion's points, from 0 to 2 in halves.
    pub ptnml: [u64; 5],
    /// Elo of the champion over its opponent.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
    /// The lower end of the interval; infinite where every pair was lost.
    pub elo_low: f64,
    /// The upper end of the interval; infinite where every pair was won.
    pub elo_high: f64,
    /// The likelihood that the champion is the stronger one.
    pub los: f64,
    /// What the games say, with 95 % confidence.
    pub verdict: Verdict,
}

impl MatchView {
    /// Games that are over.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points that the champion has; none without a game.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games().max(1) as f64
    }

    /// Whether no pair is missing.
    pub fn is_complete(&self) -> bool {
        self.pairs >= self.planned_pairs
    }
}

impl From<&BaselineMatch> for MatchView {
    fn from(found: &BaselineMatch) -> Self {
        let pairs = found.pairs();
        let results = Results::from(pairs);
        let (games, elo, interval) = (results.games(), results.elo(), results.elo_interval());
        Self {
            champion: found.champion.clone(),
            against: found.baseline,
            opponent: found.opponent.clone(),
            pairs: pairs.pairs(),
            planned_pairs: found.planned,
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            ptnml: pairs.counts(),
            elo: elo.value,
            error: elo.margin,
            elo_low: interval.low,
            elo_high: interval.high,
            los: results.los(),
            verdict: found.verdict(),
        }
    }
}
