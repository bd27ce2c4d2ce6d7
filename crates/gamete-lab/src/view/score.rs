use gamete_stats::{Interval, Pentanomial, Results};
use serde::Serialize;

/// What one side made of its games against another, in pairs of games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchScore {
    /// Pairs that are over.
    pub pairs: u64,
    /// Games that it won.
    pub wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// Pairs by its points, from 0 to 2 in halves.
    pub ptnml: [u64; 5],
    /// Its Elo over the other side.
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
    /// The lower end of the interval; infinite where every pair was lost.
    pub elo_low: f64,
    /// The upper end of the interval; infinite where every pair was won.
    pub elo_high: f64,
    /// The likelihood that it is the stronger one.
    pub los: f64,
}

impl MatchScore {
    /// Games that are over.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points; none without a game.
    pub fn share(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games().max(1) as f64
    }

    /// Elo with its interval in words, or the one end that it has where every pair was won or lost; nothing without a game.
    pub fn elo_text(&self, number: impl Fn(f64) -> String) -> Option<String> {
        let interval = Interval { low: self.elo_low, high: self.elo_high };
        (self.pairs > 0).then(|| gamete_stats::elo_text(self.elo, interval, number))
    }
}

impl From<Pentanomial> for MatchScore {
    fn from(pairs: Pentanomial) -> Self {
        let results = Results::from(pairs);
        let (games, elo, interval) = (results.games(), results.elo(), results.elo_interval());
        Self {
            pairs: pairs.pairs(),
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            ptnml: pairs.counts(),
            elo: elo.value,
            error: elo.margin,
            elo_low: interval.low,
            elo_high: interval.high,
            los: results.los(),
        }
    }
}
