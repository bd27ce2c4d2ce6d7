//! Means of replicates with their intervals, as tables and hints write them.

use gamete_stats::{Interval, Sample, geometric_mean};

use crate::text::{fixed, short};

/// The mean, and the margin of its 95 % interval where there is one: `540 ± 769`.
pub fn mean_text(sample: &Sample) -> String {
    match sample.margin() {
        Some(margin) if margin > 0.0 && margin.is_finite() => {
            let decimals = decimals(margin);
            format!("{} ± {}", fixed(sample.mean(), decimals), fixed(margin, decimals))
        }
        Some(_) => format!("{} ± 0", short(sample.mean())),
        None => short(sample.mean()),
    }
}

/// The mean of something that lies between these bounds, and both ends of its 95 % interval where there is one:
/// `1.2 (0.0 – 5.2)`.
pub fn mean_text_within(sample: &Sample, bounds: [f64; 2]) -> String {
    match (sample.interval(), sample.margin()) {
        (Some(interval), Some(margin)) if margin > 0.0 && margin.is_finite() => {
            let decimals = decimals(margin);
            let Interval { low, high } = interval.within(bounds);
            let end = |value: f64| fixed(value, decimals);
            format!("{} ({} – {})", end(sample.mean()), end(low), end(high))
        }
        _ => mean_text(sample),
    }
}

/// The geometric mean of factors, with both ends of its 95 % interval where there is one.
pub fn geometric_mean_text(factors: impl IntoIterator<Item = f64>) -> String {
    let (mean, interval) = geometric_mean(factors);
    let mean = fixed(mean, 2);
    match interval {
        Some(Interval { low, high }) => format!("{mean} ({} – {})", fixed(low, 2), fixed(high, 2)),
        None => mean,
    }
}

/// Two digits of the margin, and as many of the mean, are all that can be known.
fn decimals(margin: f64) -> usize {
    (1.0 - margin.log10().floor()).clamp(0.0, 6.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_as_many_digits_as_are_known() {
        let text = |values: &[f64]| mean_text(&Sample::of(values.iter().copied()));
        assert_eq!(text(&[1.0, 2.0, 3.0, f64::NAN]), "2.0 ± 2.5");
        assert_eq!(text(&[0.442, 0.443]), "0.4425 ± 0.0064");
        assert_eq!(text(&[479.0, 600.0]), "540 ± 769");
        assert_eq!(text(&[100.0, 100.0]), "100 ± 0");
        assert_eq!(text(&[7.0]), "7.00");
        assert_eq!(text(&[]), "–");
    }

    #[test]
    fn intervals_of_points_stay_between_none_and_all() {
        let text = |values: &[f64]| mean_text_within(&Sample::of(values.iter().copied()), [0.0, 6.0]);
        assert_eq!(text(&[0.0, 0.5, 3.0]), "1.2 (0.0 – 5.2)");
        assert_eq!(text(&[2.0]), "2.00");
        assert_eq!(text(&[2.0, 2.0]), "2.00 ± 0");
    }

    #[test]
    fn factors_have_geometric_means() {
        assert_eq!(geometric_mean_text([0.5, 1.0, 2.0]), "1.00 (0.18 – 5.59)");
        assert_eq!(geometric_mean_text([0.5]), "0.50");
        assert_eq!(geometric_mean_text([0.0, 0.5]), "0.00");
    }
}
