use std::fmt;
use std::str::FromStr;

use crate::elo::NELO;
use crate::{Results, Trinomial, score_of_elo};

/// What Elo means in the hypotheses of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Model {
    /// Normalised Elo: the score in standard deviations of a game. What fishtest, OpenBench and fastchess do.
    #[default]
    Normalized,
    /// Logistic Elo: the score itself.
    Logistic,
    /// BayesElo on single games, the draw rate taken from the games themselves.
    Bayesian,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Normalized, Self::Logistic, Self::Bayesian];

    /// The name that match runners use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normalized => "normalized",
            Self::Logistic => "logistic",
            Self::Bayesian => "bayesian",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Not the name of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not normalized, logistic or bayesian")]
pub struct UnknownModel(String);

impl FromStr for Model {
    type Err = UnknownModel;

    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        Self::ALL
            .into_iter()
            .find(|model| model.as_str() == name)
            .ok_or_else(|| UnknownModel(name.to_owned()))
    }
}

/// Settings a test cannot be made with.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses are the same or the wrong way round.
    #[error("elo0={elo0} is not below elo1={elo1}")]
    Order {
        /// The lower hypothesis.
        elo0: f64,
        /// The upper hypothesis.
        elo1: f64,
    },
    /// A hypothesis that no games decide on.
    #[error("{name}={value} is not between -1000 and 1000")]
    Elo {
        /// elo0 or elo1.
        name: &'static str,
        /// What it was to be.
        value: f64,
    },
    /// An error rate that makes no test.
    #[error("{name}={value} is not between 0 and 0.5")]
    Rate {
        /// alpha or beta.
        name: &'static str,
        /// What it was to be.
        value: f64,
    },
}

/// What a test says so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Play on.
    Continue,
    /// The difference is elo0 rather than elo1.
    H0,
    /// The difference is elo1 rather than elo0.
    H1,
}

/// A sequential probability ratio test of H0, the difference is elo0, against H1, it is elo1.
///
/// Ask it after whole pairs only, and stop at the first answer: a test that goes on after it crossed a bound has other
/// error rates than it says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    model: Model,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

impl Sprt {
    /// A test that takes H0 for H1 with probability `alpha`, and H1 for H0 with probability `beta`.
    pub fn new(model: Model, elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-1000.0..=1000.0).contains(&value) {
                return Err(SprtError::Elo { name, value });
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Rate { name, value });
            }
        }
        Ok(Self { model, elo0, elo1, alpha, beta })
    }

    /// What Elo means in it.
    pub const fn model(&self) -> Model {
        self.model
    }

    /// The difference under H0.
    pub const fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The difference under H1.
    pub const fn elo1(&self) -> f64 {
        self.elo1
    }

    /// How often H1 is accepted though H0 is true.
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }

    /// How often H0 is accepted though H1 is true.
    pub const fn beta(&self) -> f64 {
        self.beta
    }

    /// H0 is accepted at this ratio or below: ln(β/(1 − α)).
    pub fn lower(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// H1 is accepted at this ratio or above: ln((1 − β)/α).
    pub fn upper(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// What a log-likelihood ratio decides.
    pub fn decision(&self, llr: f64) -> Decision {
        if llr >= self.upper() {
            Decision::H1
        } else if llr <= self.lower() {
            Decision::H0
        } else {
            Decision::Continue
        }
    }

    /// About how many more results decide, if the ratio goes on as it went over `count` of them. A rough figure: the
    /// ratio wanders, and where it stays near 0 there is none.
    pub fn expected_remaining(&self, llr: f64, count: u64) -> Option<f64> {
        let bound = if llr > 0.0 { self.upper() } else { self.lower() };
        let left = count as f64 * (bound / llr - 1.0);
        left.is_finite().then_some(left.max(0.0))
    }

    /// How much of the way to a bound a ratio has gone: 1 at the upper, −1 at the lower one.
    pub fn fraction(&self, llr: f64) -> f64 {
        if llr >= 0.0 { llr / self.upper() } else { -llr / self.lower() }
    }

    /// The generalised log-likelihood ratio of H1 to H0; 0 before the first result.
    ///
    /// Both likelihoods are those of the likeliest distribution that meets the hypothesis exactly. The Bayesian model
    /// knows no pairs and judges their games.
    pub fn llr(&self, results: &Results) -> f64 {
        if results.count() == 0 {
            return 0.0;
        }
        match self.model {
            Model::Normalized => self.normalized_llr(*results),
            Model::Logistic => self.logistic_llr(*results),
            Model::Bayesian => self.bayesian_llr(results.games()),
        }
    }

    fn logistic_llr(&self, results: Results) -> f64 {
        let found = results.regularised();
        let under = |elo| found.likeliest_with_mean(score_of_elo(elo));
        match (under(self.elo0), under(self.elo1)) {
            (Some(zero), Some(one)) => found.log_likelihood_ratio(&zero, &one),
            _ => self.llr_of_squares(&results),
        }
    }

    fn normalized_llr(&self, results: Results) -> f64 {
        let found = results.regularised();
        let scale = (results.games_each() as f64).sqrt() / NELO;
        let under = |elo: f64| found.likeliest_with_t_value(elo * scale);
        match (under(self.elo0), under(self.elo1)) {
            (Some(zero), Some(one)) => found.log_likelihood_ratio(&zero, &one),
            _ => self.llr_of_squares(&results),
        }
    }

    /// Σ n·ln(P₁/P₀) over wins, draws and losses.
    fn bayesian_llr(&self, games: Trinomial) -> f64 {
        let counts = Results::from(games).counts();
        let counts = counts.iter().map(|&count| if count == 0.0 { 1e-3 } else { count });
        let draw_elo = draw_elo(games);
        let (zero, one) = (bayesian(self.elo0, draw_elo), bayesian(self.elo1, draw_elo));
        counts.zip(one.iter().zip(&zero)).map(|(count, (one, zero))| count * (one / zero).ln()).sum()
    }

    /// The closed form of the ratio: of the squares around both scores, or around both normalised scores.
    ///
    /// Normalised: (G/2)·ln((1 + (n − n₀)²)/(1 + (n − n₁)²)) with G games. Otherwise (N/2)·ln(Σp(a − s₀)²/Σp(a − s₁)²)
    /// with N results. For players of nearly the same strength within a hundredth of [`Sprt::llr`].
    pub fn llr_of_squares(&self, results: &Results) -> f64 {
        let found = results.regularised();
        if self.model == Model::Normalized {
            let (mean, variance) = found.mean_and_variance();
            let each = results.games_each() as f64;
            let distance = |elo: f64| (mean - 0.5) / (each * variance).sqrt() - elo / NELO;
            let square = |elo| 1.0 + distance(elo).powi(2);
            return each * found.total / 2.0 * (square(self.elo0) / square(self.elo1)).ln();
        }
        let (s0, s1) = self.scores(results);
        found.total / 2.0 * (found.square_around(s0) / found.square_around(s1)).ln()
    }

    /// The simplest approximation, a Brownian motion: N·(s₁ − s₀)(2μ − s₀ − s₁)/(2σ²).
    pub fn llr_of_means(&self, results: &Results) -> f64 {
        let found = results.regularised();
        let (mean, variance) = found.mean_and_variance();
        let (s0, s1) = self.scores(results);
        found.total * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
    }

    /// The scores that both hypotheses expect, given how these results vary.
    pub(crate) fn scores(&self, results: &Results) -> (f64, f64) {
        match self.model {
            Model::Logistic => (score_of_elo(self.elo0), score_of_elo(self.elo1)),
            Model::Normalized => {
                let variance = results.regularised().mean_and_variance().1;
                let sd = (results.games_each() as f64 * variance).sqrt();
                (0.5 + self.elo0 / NELO * sd, 0.5 + self.elo1 / NELO * sd)
            }
            Model::Bayesian => {
                let draw_elo = draw_elo(results.games());
                let score = |elo| {
                    let [_, draw, win] = bayesian(elo, draw_elo);
                    win + draw / 2.0
                };
                (score(self.elo0), score(self.elo1))
            }
        }
    }
}

/// The probabilities of loss, draw and win in the BayesElo model.
fn bayesian(elo: f64, draw_elo: f64) -> [f64; 3] {
    let win = score_of_elo(elo - draw_elo);
    let loss = score_of_elo(-elo - draw_elo);
    [loss, (1.0 - win - loss).max(f64::MIN_POSITIVE), win]
}

/// The drawelo of games: 200·log₁₀((1 − l)/l · (1 − w)/w).
fn draw_elo(games: Trinomial) -> f64 {
    let counts = Results::from(games).counts();
    let total: f64 = counts.iter().map(|count| count.max(1e-3)).sum();
    let odds = |count: f64| {
        let share = count.max(1e-3) / total;
        (1.0 - share) / share
    };
    200.0 * (odds(counts[0]) * odds(counts[2])).log10()
}
