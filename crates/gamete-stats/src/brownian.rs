//! A Brownian motion that ends at either of two bounds.

use std::f64::consts::PI;

use crate::normal::ln_cdf;

/// It starts at 0 and ends at `lower` < 0 or `upper` > 0.
#[derive(Debug, Clone, Copy)]
pub struct Brownian {
    pub lower: f64,
    pub upper: f64,
    /// Drift and variance of a unit of time.
    pub drift: f64,
    pub variance: f64,
}

impl Brownian {
    /// The probability of having ended at the lower bound before `time`, or of being below `place` then.
    ///
    /// With `place` at a bound this orders how tests end: the sooner at the lower bound the worse, the sooner at the
    /// upper one the better.
    pub fn worse_than(&self, time: f64, place: f64) -> f64 {
        let width = self.upper - self.lower;
        let slope = self.drift / self.variance;
        let is_slow = self.variance * time / width.powi(2) < 1e-2 || (slope * width).abs() > 15.0;
        let worse = if is_slow { self.siegmund(time, place) } else { self.series(time, place) };
        worse.clamp(0.0, 1.0)
    }

    /// Exact: the probability of ending at the lower bound ever, and an eigenfunction series for what is still under
    /// way at `time`.
    fn series(&self, time: f64, place: f64) -> f64 {
        let width = self.upper - self.lower;
        let slope = self.drift / self.variance;
        let (start, place) = (-self.lower, place - self.lower);
        let rate = |n: f64| (n * PI / width).powi(2) * self.variance / 2.0;
        let steady = (slope * (place - start) - (self.drift * slope / 2.0 + rate(1.0)) * time).exp();
        let mut under_way = 0.0;
        for n in 1..10_000 {
            let n = f64::from(n);
            let angle = n * PI / width;
            let decay = (-(rate(n) - rate(1.0)) * time).exp();
            // The integral of e^(slope·y)·sin(angle·y), times 2/width·e^(−slope·y).
            let integral = 2.0 / width * (slope * (angle * place).sin() - angle * (angle * place).cos())
                / (slope.powi(2) + angle.powi(2));
            under_way += decay * integral * (angle * start).sin();
            if (steady * decay * integral).abs() <= 1e-9 {
                break;
            }
        }
        let ruin = if (slope * width).abs() < 1e-8 {
            (width - start) / width
        } else {
            (2.0 * slope * (width - start)).exp_m1() / (2.0 * slope * width).exp_m1()
        };
        ruin + steady * under_way
    }

    /// Siegmund's approximation, one reflection at each bound, for where the series converges slowly.
    fn siegmund(&self, time: f64, place: f64) -> f64 {
        let sd = (time * self.variance).sqrt();
        let drifted = self.drift * time;
        let slope = self.drift / self.variance;
        let reflected = |bound: f64, z: f64| (2.0 * slope * bound + ln_cdf(z)).exp();
        ln_cdf((place - drifted) / sd).exp()
            + reflected(self.lower, (2.0 * self.lower - place + drifted) / sd)
            - reflected(self.upper, (place - drifted - 2.0 * self.upper) / sd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree_where_both_are_good() {
        for drift in [-0.4, -0.1, 0.0, 0.05, 0.3] {
            let motion = Brownian { lower: -3.0, upper: 3.0, drift, variance: 1.0 };
            for place in [-2.0, 0.0, 1.0] {
                let (one, two) = (motion.series(2.0, place), motion.siegmund(2.0, place));
                assert!((one - two).abs() < 1e-3, "{drift} {place}: {one} {two}");
            }
        }
    }

    #[test]
    fn at_a_fair_start_both_ends_are_as_likely() {
        let motion = Brownian { lower: -3.0, upper: 3.0, drift: 0.0, variance: 1.0 };
        assert!((motion.worse_than(5.0, 0.0) - 0.5).abs() < 1e-12);
        assert!(motion.worse_than(1000.0, 3.0) > 0.499 && motion.worse_than(1000.0, 3.0) < 0.501);
    }
}
