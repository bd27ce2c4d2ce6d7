use gamete_stats::{Model, Sprt, SprtError};
use serde::{Deserialize, Serialize};

/// What may change when a match is resumed, and is not part of its configuration: how long it is to be, and by which test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatchTerms {
    /// Encounters of every two who meet.
    pub rounds: u64,
    /// The test that ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtTerms>,
    /// What its openings are called.
    pub openings: String,
}

/// A sequential test in words and numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SprtTerms {
    /// How Elo is measured.
    pub model: String,
    /// Elo of the first hypothesis.
    pub elo0: f64,
    /// Elo of the second.
    pub elo1: f64,
    /// How often a change of `elo0` passes.
    pub alpha: f64,
    /// How often one of `elo1` does not.
    pub beta: f64,
}

impl MatchTerms {
    /// The setting of a journal that they are in.
    pub const SETTING: &'static str = "terms";
}

impl From<&Sprt> for SprtTerms {
    fn from(sprt: &Sprt) -> Self {
        Self {
            model: sprt.model().as_str().to_owned(),
            elo0: sprt.elo0(),
            elo1: sprt.elo1(),
            alpha: sprt.alpha(),
            beta: sprt.beta(),
        }
    }
}

impl SprtTerms {
    /// The test.
    ///
    /// # Errors
    ///
    /// When the numbers make no test.
    pub fn sprt(&self) -> Result<Sprt, SprtError> {
        let model = self.model.parse::<Model>().unwrap_or_default();
        Sprt::new(model, self.elo0, self.elo1, self.alpha, self.beta)
    }
}
