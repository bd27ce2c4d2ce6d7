//! Student's t distribution, which OpenBench takes its intervals from.

use crate::distribution::bisect;

/// The number that a share `p` > ½ of Student's t distribution stays below, ∞ without a degree of freedom.
pub fn student_quantile(p: f64, degrees: f64) -> f64 {
    if degrees <= 0.0 {
        return f64::INFINITY;
    }
    bisect(0.0, 1e6, |t| cdf(t, degrees) < p)
}

/// For t ≥ 0.
fn cdf(t: f64, degrees: f64) -> f64 {
    1.0 - 0.5 * incomplete_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5)
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function by Lentz's method.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let away_from_zero = |number: f64| if number.abs() < 1e-300 { 1e-300 } else { number };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for numerator in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + numerator * d);
            c = away_from_zero(1.0 + numerator / c);
            step = c * d;
            fraction *= step;
        }
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function for x > 0: Stirling's series, after steps up to where it is exact.
pub fn ln_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    while x < 10.0 {
        product *= x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are scipy's.
    #[test]
    fn known_quantiles() {
        let known = [
            (1.0, 12.706204736174694),
            (2.0, 4.302652729749462),
            (3.0, 3.1824463052837078),
            (5.0, 2.5705818356363146),
            (10.0, 2.228138851986274),
            (30.0, 2.0422724563012378),
            (100.0, 1.9839715185235518),
            (500.0, 1.9647198374673676),
        ];
        for (degrees, quantile) in known {
            let ours = student_quantile(0.975, degrees);
            assert!((ours - quantile).abs() < 1e-8, "{degrees}: {ours} instead of {quantile}");
        }
        assert!((student_quantile(0.975, 1e6) - crate::normal::Z95).abs() < 1e-5);
        assert_eq!(student_quantile(0.975, 0.0), f64::INFINITY);
    }
}
