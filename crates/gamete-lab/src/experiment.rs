//! Experiments as files: everything that is needed to repeat one.

mod change;
mod error;
mod fields;
mod head;
mod keys;
mod settings;
mod source;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::beginning::Take;
use crate::breed::REST;
use crate::methods::{KendallWhitwell, Method, MethodInfo};
use crate::presets;
use crate::study::arms;
pub(crate) use change::{has_leaf, include, merge, remove_leaves};
pub use error::ExperimentError;
pub(crate) use error::unknown_key;
pub use fields::{Field, FieldKind};
pub(crate) use head::check_name;
pub use head::{Arm, Budget, Head, Playoff};
use keys::check_keys;
pub(crate) use keys::{KEY_LISTER, check_values, culprit, is_key_of_experiment, key_path};
pub(crate) use settings::{read_own_settings, read_settings, write_settings};
pub use source::has_arms;
pub(crate) use source::{changed, id_of, read_source, with_tables};

/// What is to be found, by which method, with how much work.
///
/// As a file it is TOML, in which everything but the method may be left out. Keys that nothing reads are errors.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// What all experiments have.
    pub head: Head,
    /// The procedure with its settings.
    pub method: Arc<dyn Method>,
    /// What its file says, without defaults.
    given: Table,
}

/// Experiments are equal if their files are.
impl PartialEq for Experiment {
    fn eq(&self, other: &Self) -> bool {
        self.table() == other.table()
    }
}

impl Experiment {
    /// The experiment of a file or preset, with keys changed as in `population=12`.
    ///
    /// # Errors
    ///
    /// When there is no such thing, or something is wrong with it.
    pub fn load(source: &str, changes: &[String], seed: Option<u64>) -> Result<Self, ExperimentError> {
        let table = read_source(source)?;
        Self::from_table(&changed(table, presets::text(source).is_some(), changes, seed)?)
    }

    /// The experiment of a method with nothing but defaults.
    ///
    /// # Errors
    ///
    /// When there is no such method, or it has to be told more.
    pub fn of_method(method: &str) -> Result<Self, ExperimentError> {
        Self::from_table(&Table::from_iter(
            [("name", method), ("method", method)].map(|(key, value)| (key.to_owned(), Value::from(value))),
        ))
    }

    /// The experiment of a table.
    ///
    /// # Errors
    ///
    /// When something is wrong with it.
    pub fn from_table(table: &Table) -> Result<Self, ExperimentError> {
        let experiment = Self::from_stored(table)?;
        experiment.check()?;
        Ok(experiment)
    }

    /// The experiment of a table that a lab has, which was checked when it was begun. What it can be shown without may be
    /// missing by now.
    pub(crate) fn from_stored(table: &Table) -> Result<Self, ExperimentError> {
        check_values(table)?;
        if table.contains_key("stages") {
            return Err(ExperimentError::value(
                "stages",
                "only a whole file has stages, which are experiments",
            ));
        }
        let mut head: Head = read(table)?;
        if head.method.is_empty() {
            KendallWhitwell::NAME.clone_into(&mut head.method);
        }
        let mut method = MethodInfo::find(&head.method)?.read(table)?;
        check_keys(table, &known_keys(&head, method.as_ref()), "")?;
        head.check()?;
        method.complete()?;
        if table.get("preset").is_none_or(|preset| preset.as_str() == Some("")) {
            head.fit_presets(method.as_ref());
        }
        let mut experiment = Self { head, method: Arc::from(method), given: table.clone() };
        for index in 0..experiment.head.arms.len() {
            let contents = experiment.arm(index)?.method.contents();
            include(&mut experiment.head.arms[index].set, &contents);
        }
        Ok(experiment)
    }

    /// What its file says, without defaults.
    pub(crate) fn given(&self) -> &Table {
        &self.given
    }

    /// Refuses what could be read, but not be run to its end.
    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        let arms = arms(self);
        self.method.check_unread(&arms)?;
        arms.iter().enumerate().try_for_each(|(index, one)| {
            one.check_run().map_err(|error| match self.head.arms.get(index) {
                Some(arm) if arm.sets(error.key()) => error.inside(&format!("arms.{}.set", arm.name)),
                _ => error,
            })
        })
    }

    /// The same of an experiment without arms.
    fn check_run(&self) -> Result<(), ExperimentError> {
        self.head.budget.check(self.method.as_ref())?;
        self.method.check()
    }

    /// The file with every default in it.
    pub fn table(&self) -> Table {
        let mut table = write(&self.head);
        merge(&mut table, &self.method.table());
        table
    }

    /// The same as text.
    pub fn text(&self) -> String {
        toml::to_string(&self.table()).expect("a table of plain values")
    }

    /// Six letters that stand for what its file says, but for what it is called, what it is for and its seed.
    pub fn mark(&self) -> String {
        let mut table = self.table();
        table.retain(|key, _| !["name", "about", "seed"].contains(&key));
        let text = toml::to_string(&table).expect("a table of plain values");
        blake3::hash(text.as_bytes()).to_hex()[..6].to_owned()
    }

    /// This experiment with some keys changed, and without arms.
    ///
    /// # Errors
    ///
    /// When there is no such key, or it cannot have that value.
    pub fn with(&self, changes: &Table) -> Result<Self, ExperimentError> {
        let mut table = self.table();
        table.remove("arms");
        let has_rest = |weights: &Value| weights.as_table().is_some_and(|weights| weights.contains_key(REST));
        if changes.contains_key("model") || changes.get("weights").is_some_and(has_rest) {
            table.remove("weights");
        }
        if changes.contains_key("model") && !self.given.contains_key("mutation_sd") {
            table.remove("mutation_sd");
        }
        merge(&mut table, changes);
        if ["method", "objective"].iter().any(|key| changes.contains_key(*key)) {
            // Keys that only the method or objective of before has say nothing to another one.
            let head: Head = read(&table)?;
            let known = known_keys(&head, MethodInfo::find(&head.method)?.read(&table)?.as_ref());
            table.retain(|key, _| changes.contains_key(key) || known.contains_key(key));
        }
        Self::from_stored(&table)
    }

    /// The experiment of an arm.
    ///
    /// # Errors
    ///
    /// When something is wrong with its changes.
    pub fn arm(&self, index: usize) -> Result<Self, ExperimentError> {
        let arm = &self.head.arms[index];
        let place = format!("arms.{}.set", arm.name);
        let fixed = ["arms", "seed", "replicates", "playoff", "name"];
        if let Some(key) = fixed.into_iter().find(|key| arm.set.contains_key(*key)) {
            return Err(ExperimentError::value(key, "this is the same for all arms").inside(&place));
        }
        let mut one = self.with(&arm.set).map_err(|error| error.inside(&place))?;
        let own_start = ["from", "take"].into_iter().find(|key| arm.set.contains_key(*key));
        if let Some(key) = own_start.filter(|_| one.head.take == Take::Player) {
            let reason = "a player is taken over for all arms alike; say so outside of the arms";
            return Err(ExperimentError::value(key, reason).inside(&place));
        }
        one.head.replicates = 1;
        Ok(one)
    }

    /// Whether several runs belong to it.
    pub fn is_study(&self) -> bool {
        self.head.replicates > 1 || !self.head.arms.is_empty()
    }

    /// Whether clocks have a part in it, so that it cannot be repeated.
    pub fn is_timed(&self) -> bool {
        let timed = |one: &Self| one.method.breed().is_some_and(|breed| breed.limits.is_timed());
        timed(self)
            || self.head.playoff.limits.is_some_and(|limits| limits.is_timed())
            || (0..self.head.arms.len()).filter_map(|arm| self.arm(arm).ok()).any(|arm| timed(&arm))
    }

    /// What will make games say nothing, as far as that can be seen before any is played.
    pub fn warnings(&self) -> Vec<String> {
        let mut found = BTreeSet::new();
        for one in arms(self) {
            found.extend(one.head.budget.warning());
            found.extend(one.method.warning(&one.head.budget));
            let inner = one.method.inner();
            for breed in [one.method.breed(), inner.as_ref().and_then(|inner| inner.method.breed())]
                .into_iter()
                .flatten()
            {
                let limits = [Some(breed.limits), self.head.playoff.limits.filter(|_| self.is_study())];
                found.extend(limits.iter().flatten().filter_map(|limits| breed.warning(limits)));
            }
        }
        found.into_iter().collect()
    }

    /// The names of what a genome is made of.
    pub fn genes(&self) -> Vec<String> {
        self.method.space().expect("a space, as the experiment was checked").names()
    }

    /// The value of a key that has a number, as in `mutation.draw`.
    pub fn number(&self, key: &str) -> Option<f64> {
        let table = self.table();
        let mut parts = key.split('.');
        let first = table.get(parts.next()?);
        let value = parts.try_fold(first?, |value, part| value.get(part))?;
        value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
    }

    /// How many generations all its runs have, if nothing else ends them; 0 where that cannot be said.
    pub fn planned_generations(&self) -> u64 {
        let planned = |arm: &Self| arm.method.planned_generations(&arm.head.budget);
        let budgets: Vec<u64> = arms(self).iter().map(planned).collect();
        if budgets.contains(&0) {
            return 0;
        }
        budgets.iter().sum::<u64>().saturating_mul(self.head.replicates.into())
    }

    /// Whether any of its runs plays games.
    pub fn plays_games(&self) -> bool {
        arms(self).iter().any(|arm| arm.method.plays_games())
    }

    /// How many games it takes, if only generations end it.
    pub fn planned_games(&self) -> u64 {
        let (arms, playoff) = (self.head.arms.len().max(1), self.head.playoff);
        let one = |experiment: &Self| experiment.method.planned_games(&experiment.head.budget);
        let runs: u64 = if self.head.arms.is_empty() {
            one(self)
        } else {
            (0..arms)
                .filter_map(|index| self.arm(index).ok())
                .map(|arm| one(&arm))
                .fold(0, u64::saturating_add)
        };
        // Only players meet.
        let has_players = self.method.breed().is_some();
        let pairings = if has_players { (arms * (arms - 1) / 2) as u64 } else { 0 };
        let mut pairs = pairings * u64::from(playoff.pairs);
        if self.is_study() && has_players {
            pairs += arms as u64 * u64::from(playoff.classical);
        }
        runs.saturating_add(2 * pairs).saturating_mul(u64::from(self.head.replicates))
    }
}

/// All keys that an experiment of this method may have.
fn known_keys(head: &Head, method: &dyn Method) -> Table {
    let mut known = write(&Head { arms: Vec::new(), ..head.clone() });
    merge(&mut known, &method.table());
    known
}

pub(crate) fn read<T: DeserializeOwned>(table: &Table) -> Result<T, ExperimentError> {
    let whole = |table: &Table| Value::Table(table.clone()).try_into::<T>();
    whole(table).map_err(|error| {
        let key = culprit(table, &|part| whole(part).is_err());
        ExperimentError::value(key.as_deref().unwrap_or("the experiment"), error.message())
    })
}

pub(crate) fn write<T: Serialize>(value: &T) -> Table {
    Table::try_from(value).expect("a struct of plain values")
}
