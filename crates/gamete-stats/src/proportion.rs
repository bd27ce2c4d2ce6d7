use crate::Trinomial;

/// From here to there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The part of it that lies between two bounds.
    #[must_use]
    pub fn within(self, [least, most]: [f64; 2]) -> Self {
        Self { low: self.low.max(least), high: self.high.min(most) }
    }

    /// Both ends turned into something else.
    #[must_use]
    pub fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self { low: change(self.low), high: change(self.high) }
    }
}

/// How many trials estimate a proportion near `p` to within ±`margin`: p(1 − p)(z/E)².
///
/// ```
/// use gamete_stats::sample_size;
///
/// assert_eq!(format!("{:.2}", sample_size(0.5, 0.05, 1.96)), "384.16");
/// ```
pub fn sample_size(p: f64, margin: f64, z: f64) -> f64 {
    p * (1.0 - p) * (z / margin).powi(2)
}

/// The variance of the win ratio of `games` games of which a share is won and a share drawn:
/// [p₁(1 − p₁) + p₂(1 − p₂)/4 − p₁p₂]/n (Berg and Petersen 2006).
pub fn win_ratio_variance(won: f64, drawn: f64, games: f64) -> f64 {
    (won * (1.0 - won) + drawn * (1.0 - drawn) / 4.0 - won * drawn) / games
}

impl Trinomial {
    /// [`win_ratio_variance`] of these games.
    pub fn win_ratio_variance(self) -> f64 {
        let games = self.games() as f64;
        win_ratio_variance(self.wins as f64 / games, self.draws as f64 / games, games)
    }
}

/// Wilson's interval for the proportion behind `hits` out of `trials`; all of [0, 1] without a trial.
pub fn wilson(hits: u64, trials: u64, z: f64) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, p) = (trials as f64, hits as f64 / trials as f64);
    let centre = p + z * z / (2.0 * n);
    let half_width = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    Interval { low: ((centre - half_width) / scale).max(0.0), high: ((centre + half_width) / scale).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Results;
    use crate::normal::Z95;

    #[test]
    fn fifty_games_have_a_standard_deviation_of_a_fourteenth() {
        let sd = win_ratio_variance(0.5, 0.0, 50.0).sqrt();
        assert_eq!(format!("{sd:.3}"), "0.071");
        assert_eq!(format!("{:.3}", Z95 * win_ratio_variance(0.5, 0.0, 1000.0).sqrt()), "0.031");
    }

    #[test]
    fn the_variance_of_the_win_ratio_is_that_of_the_score() {
        let games = Trinomial::new(136, 111, 96);
        let error = Results::from(games).standard_error();
        assert!((games.win_ratio_variance().sqrt() - error).abs() < 1e-12);
    }

    /// Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    #[test]
    fn wilsons_interval_as_published() {
        for (hits, trials, low, high) in [
            (81, 263, "0.2553", "0.3662"),
            (15, 148, "0.0624", "0.1605"),
            (0, 20, "0.0000", "0.1611"),
            (1, 29, "0.0061", "0.1718"),
        ] {
            let interval = wilson(hits, trials, Z95);
            assert_eq!(
                (format!("{:.4}", interval.low), format!("{:.4}", interval.high)),
                (low.to_owned(), high.to_owned())
            );
        }
        assert_eq!(wilson(0, 0, Z95), Interval { low: 0.0, high: 1.0 });
    }
}
