use crate::distribution::bisect;
use crate::normal;
use crate::student::ln_gamma;

/// A χ² test of whether counts of several sources, as of workers that play one match, are of one kind; and which of them stands out,
/// as fishtest has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Homogeneity {
    /// How many sources have any results.
    pub sources: usize,
    /// The statistic.
    pub chi2: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// The chance of so large a statistic where all are of one kind.
    pub p: f64,
    /// The largest adjusted residual of each source, without its sign: about normal where all are of one kind.
    pub residuals: Vec<f64>,
}

impl Homogeneity {
    /// The test of wins, draws and losses, a row for each source. There is none for fewer than two sources, or where all
    /// results are alike.
    pub fn of(rows: &[[u64; 3]]) -> Option<Self> {
        let row_sums: Vec<f64> = rows.iter().map(|row| row.iter().sum::<u64>() as f64).collect();
        let column_sums = [0, 1, 2].map(|column| rows.iter().map(|row| row[column]).sum::<u64>() as f64);
        let sources = row_sums.iter().filter(|&&sum| sum > 0.0).count();
        let columns: Vec<usize> = (0..3).filter(|&column| column_sums[column] > 0.0).collect();
        if sources < 2 || columns.len() < 2 {
            return None;
        }
        let total: f64 = row_sums.iter().sum();
        let (mut chi2, mut residuals) = (0.0, Vec::with_capacity(rows.len()));
        for (row, &row_sum) in rows.iter().zip(&row_sums) {
            let mut largest: f64 = 0.0;
            for &column in columns.iter().filter(|_| row_sum > 0.0) {
                let column_sum = column_sums[column];
                let expected = row_sum * column_sum / total;
                let difference = row[column] as f64 - expected;
                chi2 += difference * difference / expected;
                let variance = expected * (1.0 - row_sum / total) * (1.0 - column_sum / total);
                largest = largest.max(difference.abs() / variance.sqrt());
            }
            residuals.push(largest);
        }
        let degrees = (sources - 1) * (columns.len() - 1);
        Some(Self { sources, chi2, degrees, p: chi2_tail(chi2, degrees as f64), residuals })
    }

    /// What no residual exceeds with this confidence where all are of one kind, by Bonferroni's correction.
    pub fn bound(&self, confidence: f64) -> f64 {
        let looks = 3.0 * self.sources as f64;
        let share = (1.0 - confidence) / (2.0 * looks);
        bisect(0.0, 40.0, |z| normal::cdf(-z) > share)
    }
}

/// How a source compares with the others.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Residual {
    /// Its largest adjusted residual beside those that do not stand out, if there is a test.
    pub residual: Option<f64>,
    /// Whether it is larger than chance explains.
    pub stands_out: bool,
}

impl Residual {
    /// The residuals of all sources. One that stands out makes others look wrong, so the worst is taken out first, and the rest tested
    /// without it, until none is left. Of two nobody knows which is wrong: both stand out.
    pub fn of_all(rows: &[[u64; 3]], confidence: f64) -> Vec<Self> {
        let mut found = vec![Self::default(); rows.len()];
        let mut left = rows.to_vec();
        while let Some(test) = Homogeneity::of(&left) {
            let is_there = |&number: &usize| left[number].iter().sum::<u64>() > 0;
            let sources: Vec<usize> = (0..left.len()).filter(is_there).collect();
            for &number in &sources {
                found[number].residual = Some(test.residuals[number]);
            }
            let bound = test.bound(confidence);
            let worst =
                sources.iter().copied().max_by(|&a, &b| test.residuals[a].total_cmp(&test.residuals[b]));
            let Some(worst) = worst.filter(|&worst| test.residuals[worst] > bound) else { break };
            if let &[one, other] = sources.as_slice() {
                found[one].stands_out = true;
                found[other].stands_out = true;
                break;
            }
            found[worst].stands_out = true;
            left[worst] = [0; 3];
            for &number in sources.iter().filter(|&&number| number != worst) {
                found[number].residual = None;
            }
        }
        found
    }
}

/// The share of a χ² distribution above `x`: the regularised upper incomplete gamma function.
fn chi2_tail(x: f64, degrees: f64) -> f64 {
    let (a, x) = (degrees / 2.0, x / 2.0);
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 { 1.0 - front * gamma_series(a, x) } else { front * gamma_fraction(a, x) }
}

/// Σ xⁿ/(a(a+1)…(a+n)), which is quick for small x.
fn gamma_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
    while term > sum * 1e-17 {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum
}

/// The continued fraction for large x, by Lentz's method.
fn gamma_fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1e300, 1.0 / b);
    let mut fraction = d;
    for n in 1..1000 {
        let n = f64::from(n);
        let numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-6 * other.abs().max(1e-3), "{one} instead of {other}");
    }

    /// The example of scipy's `chi2_contingency`, with the residuals computed by hand.
    #[test]
    fn a_table_with_known_numbers() {
        let found = Homogeneity::of(&[[10, 10, 20], [20, 20, 20]]).expect("a test");
        near(found.chi2, 25.0 / 9.0);
        assert_eq!(found.degrees, 2);
        near(found.p, (-25.0 / 18.0_f64).exp());
        found.residuals.iter().for_each(|&residual| near(residual, 4.0 / 2.4));
        assert_eq!(
            Homogeneity::of(&[[10, 10, 20], [0, 0, 0], [20, 20, 20]]).map(|one| one.chi2),
            Some(found.chi2)
        );
    }

    /// The quantiles of tables of the χ² distribution.
    #[test]
    fn known_tails() {
        for (x, degrees, share) in [
            (3.841_458_82, 1.0, 0.05),
            (7.814_727_9, 3.0, 0.05),
            (18.307_038_05, 10.0, 0.05),
            (124.342_113_4, 100.0, 0.05),
            (6.634_896_6, 1.0, 0.01),
            (2.558_212_16, 10.0, 0.99),
        ] {
            near(chi2_tail(x, degrees), share);
        }
        near(chi2_tail(0.0, 4.0), 1.0);
    }

    #[test]
    fn who_plays_other_games_stands_out() {
        let rows = [[30, 40, 30], [28, 41, 31], [32, 38, 30], [95, 3, 2]];
        let found = Homogeneity::of(&rows).expect("a test");
        assert!(found.p < 1e-9 && found.residuals[3] > found.bound(0.99), "{found:?}");
        let alike = Homogeneity::of(&rows[..3]).expect("a test");
        assert!(alike.p > 0.5 && alike.residuals.iter().all(|&residual| residual < alike.bound(0.95)));
        // Nine looks at the normal distribution.
        near(normal::cdf(-alike.bound(0.95)), 0.05 / 18.0);
    }

    #[test]
    fn one_that_stands_out_does_not_make_others_look_wrong() {
        let all = Residual::of_all(&[[0, 30, 0], [30, 0, 0], [0, 30, 0], [0, 0, 0]], 0.99);
        assert_eq!(all.iter().map(|one| one.stands_out).collect::<Vec<_>>(), [false, true, false, false]);
        assert!(all[1].residual > Some(9.0) && all[0].residual.is_none() && all[3].residual.is_none());
        let two = Residual::of_all(&[[0, 30, 0], [30, 0, 0]], 0.99);
        assert!(two.iter().all(|one| one.stands_out));
        let alike = Residual::of_all(&[[30, 40, 30], [28, 41, 31], [32, 38, 30]], 0.99);
        assert!(alike.iter().all(|one| !one.stands_out && one.residual.is_some()));
    }

    #[test]
    fn there_is_no_test_of_one_or_of_what_is_all_alike() {
        assert_eq!(Homogeneity::of(&[]), None);
        assert_eq!(Homogeneity::of(&[[1, 2, 3], [0, 0, 0]]), None);
        assert_eq!(Homogeneity::of(&[[0, 9, 0], [0, 4, 0]]), None);
        let two_kinds = Homogeneity::of(&[[5, 5, 0], [5, 5, 0]]).expect("a test");
        assert_eq!((two_kinds.chi2, two_kinds.degrees), (0.0, 1));
        near(two_kinds.p, 1.0);
    }
}
