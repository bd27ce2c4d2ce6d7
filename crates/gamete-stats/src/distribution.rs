//! A distribution over evenly spaced scores, and the likeliest one that meets a constraint.

/// The scores 0 to 1 in even steps, and how probable each is.
#[derive(Debug, Clone)]
pub struct Distribution {
    /// The sum of the counts it was made of.
    pub total: f64,
    /// Score and probability.
    points: Vec<(f64, f64)>,
}

impl Distribution {
    /// Counts from the worst score to the best, not all of them zero.
    pub fn new(counts: &[f64]) -> Self {
        let total: f64 = counts.iter().sum();
        let step = 1.0 / (counts.len() - 1) as f64;
        let points =
            counts.iter().enumerate().map(|(index, &count)| (index as f64 * step, count / total)).collect();
        Self { total, points }
    }

    pub fn mean_and_variance(&self) -> (f64, f64) {
        mean_and_variance(&self.points)
    }

    /// The mean of the squared distance from `score`.
    pub fn square_around(&self, score: f64) -> f64 {
        self.points.iter().map(|&(value, probability)| probability * (value - score).powi(2)).sum()
    }

    /// N·Σ p·ln(q₁/q₀): how much likelier these counts are under `one` than under `zero`.
    pub fn log_likelihood_ratio(&self, zero: &[f64], one: &[f64]) -> f64 {
        let ratios = one.iter().zip(zero).map(|(one, zero)| one.ln() - zero.ln());
        self.total
            * self
                .points
                .iter()
                .zip(ratios)
                .map(|(&(_, probability), ratio)| probability * ratio)
                .sum::<f64>()
    }

    /// The maximum likelihood estimate among the distributions with this mean.
    ///
    /// Van den Bergh, "Comments on Normalized Elo", proposition 1.1.
    pub fn likeliest_with_mean(&self, mean: f64) -> Option<Vec<f64>> {
        self.tilted(|value| value - mean)
    }

    /// The same among those with (mean − ½)/sd = `t`, by at most ten rounds from the uniform distribution.
    ///
    /// Van den Bergh, "Comments on Normalized Elo", section 4.1. `None` where the rounds lead nowhere, which only
    /// hypotheses of hundreds of Elo do.
    pub fn likeliest_with_t_value(&self, t: f64) -> Option<Vec<f64>> {
        let mut likeliest = vec![1.0 / self.points.len() as f64; self.points.len()];
        for _ in 0..10 {
            let points: Vec<_> = self
                .points
                .iter()
                .zip(&likeliest)
                .map(|(&(value, _), &probability)| (value, probability))
                .collect();
            let (mean, variance) = mean_and_variance(&points);
            let sd = variance.sqrt();
            let next =
                self.tilted(|value| value - 0.5 - 0.5 * t * sd * (1.0 + ((value - mean) / sd).powi(2)))?;
            let change =
                next.iter().zip(&likeliest).map(|(next, last)| (next - last).abs()).fold(0.0, f64::max);
            likeliest = next;
            if change < 1e-9 {
                break;
            }
        }
        Some(likeliest)
    }

    /// p/(1 + θφ) with the θ for which φ has mean 0, if there is one.
    fn tilted(&self, phi: impl Fn(f64) -> f64) -> Option<Vec<f64>> {
        let points: Vec<_> =
            self.points.iter().map(|&(value, probability)| (phi(value), probability)).collect();
        let theta = secular(&points)?;
        let tilted: Vec<_> =
            points.iter().map(|&(phi, probability)| probability / (1.0 + theta * phi)).collect();
        tilted.iter().all(|probability| probability.is_finite() && *probability > 0.0).then_some(tilted)
    }
}

fn mean_and_variance(points: &[(f64, f64)]) -> (f64, f64) {
    let mean = points.iter().map(|&(value, probability)| probability * value).sum::<f64>();
    let variance = points.iter().map(|&(value, probability)| probability * (value - mean).powi(2)).sum();
    (mean, variance)
}

/// Solves Σ pφ/(1 + θφ) = 0, which falls from ∞ to −∞ between −1/max φ and −1/min φ.
fn secular(points: &[(f64, f64)]) -> Option<f64> {
    let min = points.iter().map(|&(phi, _)| phi).fold(f64::INFINITY, f64::min);
    let max = points.iter().map(|&(phi, _)| phi).fold(f64::NEG_INFINITY, f64::max);
    if !(min < 0.0 && max > 0.0) {
        return None;
    }
    let slope = |theta: f64| points.iter().map(|&(phi, p)| p * phi / (1.0 + theta * phi)).sum::<f64>();
    Some(bisect(-1.0 / max, -1.0 / min, |theta| slope(theta) > 0.0))
}

/// Where `is_left` turns from true to false between `low` and `high`.
pub fn bisect(mut low: f64, mut high: f64, is_left: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if is_left(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}
