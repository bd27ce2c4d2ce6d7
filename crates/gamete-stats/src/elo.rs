use std::fmt;

use crate::normal::{self, Z95};
use crate::{Results, student_quantile};

/// 800/ln 10: normalised Elo of one standard deviation of a game.
pub(crate) const NELO: f64 = 347.435_585_522_601_46;

/// Scores are held to this much from 0 and 1 before they become Elo, which so stays within ±1199.83.
const CLIP: f64 = 1e-3;

/// A number and how far off it may be.
///
/// Where the results do not vary at all the margin is infinite: they do not tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Half the width of its 95 % interval.
    pub margin: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} +/- {:.2}", self.value, self.margin)
    }
}

/// The expected score of a player so many Elo stronger: 1/(1 + 10^(−elo/400)).
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The Elo difference behind a score, the score clipped to [0.001, 0.999].
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(CLIP, 1.0 - CLIP) - 1.0).log10()
}

impl Results {
    /// Elo with its 95 % margin: half the difference between the Elo of both ends of the score's interval.
    pub fn elo(self) -> Estimate {
        let (low, high) = self.elo_ends(Z95);
        let margin = if self.varies() { (high - low) / 2.0 } else { f64::INFINITY };
        Estimate { value: elo_of_score(self.score()), margin }
    }

    /// Elo as OpenBench prints it: Student's t with one degree of freedom less than results, and the larger side.
    pub fn elo_student(self) -> Estimate {
        let value = elo_of_score(self.score());
        if !self.varies() {
            return Estimate { value, margin: f64::INFINITY };
        }
        let (low, high) = self.elo_ends(student_quantile(0.975, (self.count() - 1) as f64));
        Estimate { value, margin: (high - value).max(value - low) }
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

    fn elo_ends(self, z: f64) -> (f64, f64) {
        let half_width = z * self.standard_error();
        (elo_of_score(self.score() - half_width), elo_of_score(self.score() + half_width))
    }

    fn varies(self) -> bool {
        self.variance() > 0.0
    }
}
