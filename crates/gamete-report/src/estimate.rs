use gamete_stats::student_quantile;

use crate::text::{fixed, short};

/// What replicates say of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// How many say something.
    pub count: usize,
    /// Their mean, not a number where there is none.
    pub mean: f64,
    /// Their standard deviation, with n − 1 as the divisor; 0 for a single one.
    pub sd: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Estimate {
    /// Of the values that are numbers.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        let min = values.iter().copied().fold(f64::NAN, f64::min);
        let max = values.iter().copied().fold(f64::NAN, f64::max);
        Self { count: values.len(), mean, sd, min, max }
    }

    /// The geometric mean of factors, with both ends of its 95 % interval where there is one.
    pub fn text_of_factors(factors: impl IntoIterator<Item = f64>) -> String {
        let logs = Self::of(factors.into_iter().map(f64::ln));
        let mean = fixed(logs.mean.exp(), 2);
        match logs.half() {
            Some(half) => {
                let end = |log: f64| fixed(log.exp(), 2);
                format!("{mean} ({} – {})", end(logs.mean - half), end(logs.mean + half))
            }
            None => mean,
        }
    }

    /// Half the width of the 95 % interval of the mean, by Student's t; none of a single value.
    pub fn half(&self) -> Option<f64> {
        let count = self.count as f64;
        (self.count > 1).then(|| student_quantile(0.975, count - 1.0) * self.sd / count.sqrt())
    }

    /// The 95 % interval of the mean of something that lies between these bounds; none of a single value.
    pub fn interval_within(&self, [least, most]: [f64; 2]) -> Option<[f64; 2]> {
        self.half().map(|half| [(self.mean - half).max(least), (self.mean + half).min(most)])
    }

    /// The mean of something that lies between these bounds, and both ends of the interval where there is one.
    pub fn text_within(&self, bounds: [f64; 2]) -> String {
        match (self.interval_within(bounds), self.half()) {
            (Some([low, high]), Some(half)) if half > 0.0 && half.is_finite() => {
                let decimals = decimals(half);
                let end = |value: f64| fixed(value, decimals);
                format!("{} ({} – {})", end(self.mean), end(low), end(high))
            }
            _ => self.text(),
        }
    }

    /// The mean, and the interval where there is one.
    pub fn text(&self) -> String {
        match self.half() {
            Some(half) if half > 0.0 && half.is_finite() => {
                let decimals = decimals(half);
                format!("{} ± {}", fixed(self.mean, decimals), fixed(half, decimals))
            }
            Some(_) => format!("{} ± 0", short(self.mean)),
            None => short(self.mean),
        }
    }
}

/// Two digits of the interval, and as many of the mean, are all that can be known.
fn decimals(half: f64) -> usize {
    (1.0 - half.log10().floor()).clamp(0.0, 6.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_students() {
        let estimate = Estimate::of([1.0, 2.0, 3.0, f64::NAN]);
        assert_eq!((estimate.count, estimate.mean, estimate.sd), (3, 2.0, 1.0));
        assert_eq!((estimate.min, estimate.max), (1.0, 3.0));
        let half = estimate.half().unwrap();
        assert!((half - 4.302_652_73 / 3.0_f64.sqrt()).abs() < 1e-6, "{half}");
        assert_eq!(estimate.text(), "2.0 ± 2.5");
        assert_eq!(Estimate::of([0.442, 0.443]).text(), "0.4425 ± 0.0064");
        assert_eq!(Estimate::of([479.0, 600.0]).text(), "540 ± 769");
        assert_eq!(Estimate::of([100.0, 100.0]).text(), "100 ± 0");
        assert_eq!(Estimate::of([7.0]).text(), "7.00");
        assert_eq!(Estimate::of([]).text(), "–");
    }

    #[test]
    fn intervals_of_points_stay_between_none_and_all() {
        let points = Estimate::of([0.0, 0.5, 3.0]);
        assert!(points.mean - points.half().unwrap() < 0.0);
        assert_eq!(points.interval_within([0.0, 6.0]).unwrap()[0], 0.0);
        assert_eq!(points.text_within([0.0, 6.0]), "1.2 (0.0 – 5.2)");
        assert_eq!(Estimate::of([5.5, 6.0]).interval_within([0.0, 6.0]).unwrap()[1], 6.0);
        assert_eq!(Estimate::of([2.0]).text_within([0.0, 6.0]), "2.00");
        assert_eq!(Estimate::of([2.0, 2.0]).text_within([0.0, 6.0]), "2.00 ± 0");
    }
}
