use crate::brownian::Brownian;
use crate::distribution::bisect;
use crate::{Results, Sprt, elo_of_score, score_of_elo};

/// The Elo difference that the way a test ended, or stands, speaks for.
///
/// A test stops when it looks good or bad, so the plain Elo of its games is biased: too high after H1, too low after
/// H0, the more the sooner it stopped. This estimate asks of each true difference how often the test would have gone
/// worse than it did: sooner to H0, later to H1, or lower at this point. The median-unbiased estimate is the difference
/// for which that is half of the time, the 95 % interval the differences for which it is more than 2.5 and less than
/// 97.5 % of the time. The log-likelihood ratio is taken for a Brownian motion between the bounds, as on fishtest
/// ("SPRT Elo", by Van den Bergh).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SprtElo {
    /// The median-unbiased estimate, in logistic Elo whatever the model, within ±1000.
    pub elo: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How probable it is that the first player is the stronger one.
    pub los: f64,
}

impl SprtElo {
    /// Beyond this nothing is looked for: an estimate or an end that is this far away may be farther.
    pub const FARTHEST: f64 = 1000.0;
}

const FARTHEST: f64 = SprtElo::FARTHEST;

impl Sprt {
    /// What the test says of the difference, allowing for when it stops; `None` as long as all results are alike, which
    /// tell nothing of how the ratio wanders.
    ///
    /// Results beyond a bound are taken back to where they crossed it.
    pub fn elo(&self, results: &Results) -> Option<SprtElo> {
        if !results.varies() {
            return None;
        }
        let progress = Progress::new(self, results);
        let quantile = |worse| progress.elo_with(worse);
        Some(SprtElo {
            elo: quantile(0.5),
            low: quantile(0.975),
            high: quantile(0.025),
            los: progress.worse(0.0),
        })
    }
}

/// Where a test is, and what it would take for it to get there.
struct Progress {
    bounds: (f64, f64),
    scores: (f64, f64),
    mean: f64,
    variance: f64,
    time: f64,
    llr: f64,
}

impl Progress {
    fn new(sprt: &Sprt, results: &Results) -> Self {
        let found = results.regularised();
        let (mean, variance) = found.mean_and_variance();
        let llr = sprt.llr_of_means(results);
        let within = llr.clamp(sprt.lower(), sprt.upper());
        let time = if within == llr { found.total } else { found.total * within / llr };
        Self {
            bounds: (sprt.lower(), sprt.upper()),
            scores: sprt.scores(results),
            mean,
            variance,
            time,
            llr: within,
        }
    }

    /// How often a test would go worse at this true difference.
    fn worse(&self, elo: f64) -> f64 {
        let (s0, s1) = self.scores;
        let score = score_of_elo(elo);
        // The likeliest variance of results with this mean.
        let variance = self.variance + (score - self.mean).powi(2);
        let motion = Brownian {
            lower: self.bounds.0,
            upper: self.bounds.1,
            drift: (score - (s0 + s1) / 2.0) * (s1 - s0) / variance,
            variance: (s1 - s0).powi(2) / variance,
        };
        motion.worse_than(self.time, self.llr)
    }

    /// The difference at which a test goes worse this often. Looked for around the hypotheses first: far from them
    /// the probabilities are 0 and 1.
    fn elo_with(&self, worse: f64) -> f64 {
        let (elo0, elo1) = (elo_of_score(self.scores.0), elo_of_score(self.scores.1));
        let middle = ((elo0 + elo1) / 2.0).clamp(-FARTHEST, FARTHEST);
        let mut reach = (30.0 * (elo1 - elo0)).max(1.0);
        loop {
            let (low, high) = ((middle - reach).max(-FARTHEST), (middle + reach).min(FARTHEST));
            let is_inside = self.worse(low) > worse && self.worse(high) <= worse;
            if is_inside || (low == -FARTHEST && high == FARTHEST) {
                return bisect(low, high, |elo| self.worse(elo) > worse);
            }
            reach *= 2.0;
        }
    }
}
