//! The normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The quantile that 95 % of a normal distribution stay within on both sides.
pub const Z95: f64 = 1.959_963_984_540_054;

/// From here on the continued fraction is both quick and exact.
const FAR: f64 = 2.0;

/// The share of a standard normal distribution below `z`.
pub fn cdf(z: f64) -> f64 {
    0.5 * erfc(-z * FRAC_1_SQRT_2)
}

/// The logarithm of [`cdf`], which stays finite where the share itself is too small for a number.
pub fn ln_cdf(z: f64) -> f64 {
    let x = -z * FRAC_1_SQRT_2;
    if x > FAR { (0.5 * scaled_erfc(x)).ln() - x * x } else { cdf(z).ln() }
}

/// The complementary error function.
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        2.0 - erfc(-x)
    } else if x > FAR {
        (-x * x).exp() * scaled_erfc(x)
    } else {
        1.0 - erf_series(x)
    }
}

/// 2/√π · e^(−x²) · Σ 2ⁿx^(2n+1)/(2n+1)!!, all of whose terms are positive.
fn erf_series(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term > sum * 1e-17 {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    2.0 / PI.sqrt() * (-x * x).exp() * sum
}

/// e^(x²)·erfc(x) for x > 2 by its continued fraction, read from behind.
fn scaled_erfc(x: f64) -> f64 {
    let tail = (1..=120).rev().fold(x, |tail, n| x + f64::from(n) / 2.0 / tail);
    1.0 / (PI.sqrt() * tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are scipy's.
    #[test]
    fn known_values() {
        let known = [
            (-8.0, 6.22096057427174e-16),
            (-5.0, 2.866515718791933e-07),
            (-3.0, 0.0013498980316300933),
            (-1.0, 0.15865525393145707),
            (-0.1, 0.460172162722971),
            (0.0, 0.5),
            (0.3, 0.6179114221889526),
            (2.0, 0.9772498680518208),
            (6.0, 0.9999999990134123),
            (Z95, 0.975),
        ];
        for (z, share) in known {
            assert!((cdf(z) / share - 1.0).abs() < 1e-13, "{z}: {} instead of {share}", cdf(z));
            assert!((ln_cdf(z) - share.ln()).abs() < 1e-12, "{z}");
        }
        assert!(ln_cdf(-100.0) < -5000.0 && ln_cdf(-100.0).is_finite());
    }
}
