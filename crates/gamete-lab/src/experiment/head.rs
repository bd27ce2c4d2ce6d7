use gamete_arena::Limits;
use gamete_optim::OPTIMIZERS;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use toml::{Table, Value};

use super::ExperimentError;
use super::keys::MAX_RUNS;
use crate::beginning::Take;
use crate::breed::Breed;
use crate::methods::Method;

/// What all experiments have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// What to call it.
    pub name: String,
    /// What it is for, in a line.
    pub about: String,
    /// How it is done.
    pub method: String,
    /// Where all that is random comes from.
    pub seed: u64,
    /// How often it is done, each time with a seed of its own.
    pub replicates: u32,
    /// An experiment of the lab that this one begins with.
    pub from: String,
    /// What is taken over from it.
    pub take: Take,
    /// When it is over.
    #[serde(flatten)]
    pub budget: Budget,
    /// How the champions of arms are ranked.
    pub playoff: Playoff,
    /// Variants that are run beside each other.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "read_arms")]
    pub arms: Vec<Arm>,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            method: String::new(),
            seed: 1,
            replicates: 1,
            from: String::new(),
            take: Take::default(),
            budget: Budget::default(),
            playoff: Playoff::default(),
            arms: Vec::new(),
        }
    }
}

/// When an experiment is over: at the first of these that is reached. 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Generations.
    pub generations: u32,
    /// Games of a run.
    pub games: u64,
    /// Seconds since the experiment began, all sessions together, asked for after each generation.
    pub seconds: f64,
    /// The share of the deviation at the start below which a population has converged.
    pub convergence: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { generations: 100, games: 0, seconds: 0.0, convergence: 0.0 }
    }
}

impl Budget {
    /// Refuses one that a run can never reach.
    pub(super) fn check(&self, method: &dyn Method) -> Result<(), ExperimentError> {
        let Self { generations, games, seconds, convergence } = *self;
        if games > 0 && !method.spends_games() && generations == 0 && seconds == 0.0 && convergence == 0.0 {
            let reason =
                format!("{games}: it plays no games, and so never ends; give generations or seconds");
            return Err(ExperimentError::value("games", reason));
        }
        if convergence > 0.0 && !method.has_populations() {
            let reason = format!(
                "{convergence}: it begins with one point, and not with a population that could draw together; give generations, games or \
                 seconds"
            );
            return Err(ExperimentError::value("convergence", reason));
        }
        Ok(())
    }

    /// What may keep it from being reached.
    pub(super) fn warning(&self) -> Option<String> {
        let Self { generations, games, seconds, convergence } = *self;
        (convergence > 0.0 && generations == 0 && games == 0 && seconds == 0.0).then(|| {
            format!(
                "convergence = {convergence}: a population may never come so close, and nothing else ends the run; give \
                 generations, games or seconds, too"
            )
        })
    }
}

/// Games between the champions of arms, every two of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Playoff {
    /// Pairs of games, the first from the start, the others from random openings.
    pub pairs: u32,
    /// Random plies of those openings.
    pub plies: u32,
    /// How much each may think, if not as in its arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Pairs of games of each champion against the classical weights of its model.
    pub classical: u32,
}

impl Playoff {
    /// More games would not be over in a lifetime.
    pub const MAX_PAIRS: u32 = 1_000_000;
    /// More random moves would be a game of their own.
    pub const MAX_PLIES: u32 = 40;
}

impl Default for Playoff {
    fn default() -> Self {
        Self { pairs: 1, plies: 6, limits: None, classical: 0 }
    }
}

/// A variant of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// What to call it.
    pub name: String,
    /// What is different.
    #[serde(default)]
    pub set: Table,
}

/// The arms of a file: a list, or a word for one arm with each optimiser that there is.
fn read_arms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Arm>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(word) if word == Arm::OPTIMIZERS => {
            Ok(OPTIMIZERS.iter().map(|info| Arm::of_optimizer(info.name)).collect())
        }
        Value::String(word) => {
            let known = Arm::OPTIMIZERS;
            Err(D::Error::custom(format!(
                "{word:?}: give a list of arms, or {known:?} for one arm with each"
            )))
        }
        list => Vec::deserialize(list).map_err(|error| D::Error::custom(error.message())),
    }
}

impl Arm {
    /// What stands in the place of a list of arms, if there is to be one with each optimiser.
    pub const OPTIMIZERS: &'static str = "optimizers";

    /// The arm that differs by its optimiser, with the name of that.
    pub fn of_optimizer(name: &str) -> Self {
        let set = Table::from_iter([("optimizer".to_owned(), Value::from(name))]);
        Self { name: name.to_owned(), set }
    }

    /// Whether it changes something of the table that a key is in.
    pub(super) fn sets(&self, key: &str) -> bool {
        key.split('.').next().is_some_and(|table| self.set.contains_key(table))
    }
}

impl Head {
    /// Has arms with limits of their own search by what fits these, where the file names no preset.
    pub(super) fn fit_presets(&mut self, method: &dyn Method) {
        let Some(breed) = method.breed() else { return };
        for arm in &mut self.arms {
            let limits = arm.set.get("limits").and_then(Value::as_str).and_then(|text| text.parse().ok());
            let fitting = limits.map(|limits| Breed::fitting_preset(&limits));
            if let Some(fitting) = fitting
                && fitting != breed.preset
                && !["preset", "method"].iter().any(|key| arm.set.contains_key(*key))
            {
                arm.set.insert("preset".to_owned(), Value::from(fitting));
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), ExperimentError> {
        check_name("name", &self.name)?;
        let Budget { generations, games, seconds, convergence } = self.budget;
        if convergence >= 1.0 {
            return Err(ExperimentError::value(
                "convergence",
                format!("{convergence}: give a number from 0 to below 1"),
            ));
        }
        if generations == 0 && games == 0 && seconds == 0.0 && convergence == 0.0 {
            return Err(ExperimentError::value(
                "generations",
                "0: give generations, games, seconds or convergence, or it never ends",
            ));
        }
        if self.take != Take::Population && self.from.is_empty() {
            let reason =
                format!("{:?}: say of which experiment, as in from = \"mine-1\"", self.take.as_str());
            return Err(ExperimentError::value("take", reason));
        }
        let (arms, replicates) = (self.arms.len().max(1) as u64, u64::from(self.replicates));
        let runs = replicates.saturating_mul(arms.max(arms * (arms - 1) / 2));
        if runs > MAX_RUNS as u64 {
            let reason = format!(
                "{replicates}: with {arms} arms that are {runs} runs or play-offs, and {MAX_RUNS} are the most"
            );
            return Err(ExperimentError::value("replicates", reason));
        }
        let mut names: Vec<_> = self.arms.iter().map(|arm| &arm.name).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ExperimentError::value("arms", format!("two arms are called {:?}", twice[0])));
        }
        Ok(())
    }
}

/// Refuses names that cannot be those of files.
pub(crate) fn check_name(key: &str, name: &str) -> Result<(), ExperimentError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.is_empty() || !name.chars().all(plain) || name.starts_with('.') {
        return Err(ExperimentError::value(key, format!("{name:?}: use letters, digits, `.`, `_` and `-`")));
    }
    Ok(())
}
