use std::fmt;

use crate::normal::{self, Z95};
use crate::{Interval, Results, fixed};

/// 800/ln 10: normalised Elo of one standard deviation of a game.
pub(crate) const NELO: f64 = 347.435_585_522_601_46;

/// Scores are held to this much from 0 and 1 before they become Elo, which so stays within ±1199.83.
const CLIP: f64 = 1e-3;

/// A number and how far off it may be.
///
/// The margin is infinite where the interval has no end on one side: after wins alone, or losses alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Half the width of its 95 % interval.
    pub margin: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} +/- {}", fixed(self.value, 2), fixed(self.margin, 2))
    }
}

/// The expected score of a player so many Elo stronger: 1/(1 + 10^(−elo/400)).
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The Elo difference behind a score, the score clipped to [0.001, 0.999].
pub fn elo_of_score(score: f64) -> f64 {
    let elo = -400.0 * (1.0 / score.clamp(CLIP, 1.0 - CLIP) - 1.0).log10();
    // No minus in front of 0.
    elo + 0.0
}

/// Elo with its interval, `+402 [+345, +470]`, or the one end that it has after wins or losses alone, `more than +183`.
/// `number` writes a whole number without a plus.
pub fn elo_text(elo: f64, interval: Interval, number: impl Fn(f64) -> String) -> String {
    let signed = |elo: f64| format!("{}{}", if elo.round() > 0.0 { "+" } else { "" }, number(elo));
    match interval {
        Interval { low, high: f64::INFINITY } => format!("more than {}", signed(low)),
        Interval { low: f64::NEG_INFINITY, high } => format!("less than {}", signed(high)),
        Interval { low, high } => format!("{} [{}, {}]", signed(elo), signed(low), signed(high)),
    }
}

impl Results {
    /// Elo with its 95 % margin: half the width of [`Results::elo_interval`].
    pub fn elo(self) -> Estimate {
        let Interval { low, high } = self.elo_interval();
        Estimate { value: elo_of_score(self.score()), margin: (high - low) / 2.0 }
    }

    /// The 95 % interval of the Elo difference; an end is infinite where the results set no limit.
    ///
    /// Its ends are the Elo of both ends of the score's interval, which is a normal one around results that vary. If
    /// all N results are alike, worth x, then with 95 % confidence at least q = 0.05^(1/N) of all results are, and the
    /// score is between q·x and q·x + 1 − q.
    pub fn elo_interval(self) -> Interval {
        if self.count() == 0 {
            return Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let score = self.score();
        if self.varies() {
            let half_width = Z95 * self.standard_error();
            return Interval {
                low: elo_of_score(score - half_width),
                high: elo_of_score(score + half_width),
            };
        }
        let alike = 0.05_f64.powf(1.0 / self.count() as f64);
        Interval {
            low: if score == 0.0 { f64::NEG_INFINITY } else { elo_of_score(alike * score) },
            high: if score == 1.0 { f64::INFINITY } else { elo_of_score(1.0 - alike * (1.0 - score)) },
        }
    }

    /// Normalised Elo, the score in standard deviations of a game, with its 95 % margin.
    pub fn nelo(self) -> Estimate {
        if !self.varies() {
            let distance = self.score() - 0.5;
            let value = if distance == 0.0 { 0.0 } else { f64::INFINITY.copysign(distance) };
            return Estimate { value, margin: f64::INFINITY };
        }
        let scale = NELO / self.game_sd();
        Estimate { value: (self.score() - 0.5) * scale, margin: Z95 * self.standard_error() * scale }
    }

    /// The likelihood of superiority: how probable it is that the first player is the stronger one.
    pub fn los(self) -> f64 {
        let distance = self.score() - 0.5;
        if distance == 0.0 { 0.5 } else { normal::cdf(distance / self.standard_error()) }
    }

    /// The standard error of the score.
    pub fn standard_error(self) -> f64 {
        if self.count() == 0 { f64::INFINITY } else { (self.variance() / self.count() as f64).sqrt() }
    }

    /// The standard deviation of a single game; of pairs what would give pairs of this variance.
    pub(crate) fn game_sd(self) -> f64 {
        (self.games_each() as f64 * self.variance()).sqrt()
    }

    /// Whether not all results are alike.
    pub fn varies(self) -> bool {
        self.variance() > 0.0
    }
}
