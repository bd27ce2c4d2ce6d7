use crate::student::student_quantile;
use crate::{Interval, Spread};

/// A sample of values, such as one for each replicate, and what it says of the mean behind them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// How many values there are.
    pub count: usize,
    /// How they lie.
    pub spread: Spread,
}

impl Sample {
    /// The sample of those values that are finite.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        Self { count: values.len(), spread: Spread::of(values.iter().copied()) }
    }

    /// The mean, not a number of an empty sample.
    pub fn mean(&self) -> f64 {
        self.spread.mean
    }

    /// Half the width of the 95 % interval of the mean, by Student's t; none of a single value.
    pub fn margin(&self) -> Option<f64> {
        let count = self.count as f64;
        (self.count > 1).then(|| student_quantile(0.975, count - 1.0) * self.spread.sd / count.sqrt())
    }

    /// The 95 % interval of the mean; none of a single value.
    pub fn interval(&self) -> Option<Interval> {
        self.margin().map(|margin| Interval { low: self.mean() - margin, high: self.mean() + margin })
    }
}

/// The geometric mean of factors with its 95 % interval; none of a single one. With a factor of 0 it is 0, and has no interval.
pub fn geometric_mean(factors: impl IntoIterator<Item = f64>) -> (f64, Option<Interval>) {
    let factors: Vec<f64> = factors.into_iter().collect();
    if factors.contains(&0.0) {
        return (0.0, None);
    }
    let logs = Sample::of(factors.into_iter().map(f64::ln));
    (logs.mean().exp(), logs.interval().map(|interval| interval.map(f64::exp)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_students() {
        let sample = Sample::of([1.0, 2.0, 3.0, f64::NAN, f64::INFINITY]);
        assert_eq!(sample, Sample { count: 3, spread: Spread { mean: 2.0, sd: 1.0, min: 1.0, max: 3.0 } });
        let margin = sample.margin().unwrap();
        assert!((margin - 4.302_652_73 / 3.0_f64.sqrt()).abs() < 1e-6, "{margin}");
        let Interval { low, high } = sample.interval().unwrap();
        assert_eq!((low, high), (2.0 - margin, 2.0 + margin));
    }

    #[test]
    fn a_geometric_mean_with_nothing_in_it_is_nothing() {
        let (mean, interval) = geometric_mean([0.5, 2.0]);
        assert!((mean - 1.0).abs() < 1e-12 && interval.is_some());
        assert_eq!(geometric_mean([0.0]), (0.0, None));
        assert_eq!(geometric_mean([0.0, 0.5]), (0.0, None));
    }

    #[test]
    fn one_value_has_no_interval_and_none_has_no_mean() {
        let one = Sample::of([7.0]);
        assert_eq!((one.mean(), one.interval()), (7.0, None));
        let none = Sample::of([]);
        assert_eq!((none.count, none.interval()), (0, None));
        assert!(none.mean().is_nan() && none.spread.min.is_nan());
    }

    #[test]
    fn intervals_are_cut_to_what_is_possible() {
        let points = Sample::of([0.0, 0.5, 3.0]).interval().unwrap();
        assert!(points.low < 0.0);
        assert_eq!(points.within([0.0, 6.0]), Interval { low: 0.0, high: points.high });
        assert_eq!(Sample::of([5.5, 6.0]).interval().unwrap().within([0.0, 6.0]).high, 6.0);
    }
}
