use gamete_stats::{Decision, Results, Sprt};
use serde::Serialize;

/// A sequential test, and what it says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SprtView {
    /// How Elo is measured.
    pub model: &'static str,
    /// Elo of the first hypothesis.
    pub elo0: f64,
    /// Elo of the second.
    pub elo1: f64,
    /// How often a change of `elo0` passes.
    pub alpha: f64,
    /// How often one of `elo1` does not.
    pub beta: f64,
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// Below this the first hypothesis is accepted.
    pub lower: f64,
    /// Above this the second one is.
    pub upper: f64,
    /// `H0`, `H1` or `continue`.
    pub decision: &'static str,
    #[serde(skip)]
    sprt: Sprt,
}

impl SprtView {
    pub(crate) fn new(sprt: &Sprt, results: &Results) -> Self {
        let llr = sprt.llr(results);
        Self {
            model: sprt.model().as_str(),
            elo0: sprt.elo0(),
            elo1: sprt.elo1(),
            alpha: sprt.alpha(),
            beta: sprt.beta(),
            llr,
            lower: sprt.lower(),
            upper: sprt.upper(),
            decision: match sprt.decision(llr) {
                Decision::H0 => "H0",
                Decision::H1 => "H1",
                Decision::Continue => "continue",
            },
            sprt: *sprt,
        }
    }

    /// The test itself.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }
}
