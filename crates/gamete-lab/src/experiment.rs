//! Experiments as files: everything that is needed to repeat one.

mod change;
mod error;
mod keys;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use gamete_arena::{Limits, nearest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::beginning::Take;
use crate::breed::{Breed, REST};
use crate::methods::{KendallWhitwell, Method, MethodInfo};
use crate::objective::fill_in;
use crate::pipeline::change_stages;
use crate::presets;
use crate::store::Store;
use crate::study::arms;
use change::parse_change;
pub(crate) use change::{has_leaf, include, merge, remove_leaves};
pub use error::ExperimentError;
pub(crate) use error::unknown_key;
pub(crate) use keys::{KEY_LISTER, check_values, key_path};
use keys::{MAX_RUNS, check_keys, culprit};
pub(crate) use settings::{read_own_settings, read_settings, write_settings};

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
    #[serde(skip_serializing_if = "Vec::is_empty")]
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
    fn check(&self, method: &dyn Method) -> Result<(), ExperimentError> {
        let Self { generations, games, seconds, convergence } = *self;
        if games > 0 && !method.plays_games() && generations == 0 && seconds == 0.0 && convergence == 0.0 {
            let reason =
                format!("{games}: it plays no games, and so never ends; give generations or seconds");
            return Err(ExperimentError::value("games", reason));
        }
        Ok(())
    }

    /// What may keep it from being reached.
    fn warning(&self) -> Option<String> {
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

impl Arm {
    /// Whether it changes something of the table that a key is in.
    fn sets(&self, key: &str) -> bool {
        key.split('.').next().is_some_and(|table| self.set.contains_key(table))
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

    /// The experiment of the lab that a file or preset was before player files of its opponents went away, with its name there.
    pub fn load_from_lab(
        source: &str,
        changes: &[String],
        seed: Option<u64>,
        store: &Store,
    ) -> Option<(Self, String)> {
        let file = read_source(source).ok()?;
        let table = changed(file, presets::text(source).is_some(), changes, seed).ok()?;
        store.experiments().ok()?.into_iter().find_map(|row| {
            let stored = row.experiment().ok()?;
            let mut table = table.clone();
            fill_in(&mut table, &stored.table());
            Self::from_table(&table).is_ok_and(|same| same == stored).then_some((stored, row.id))
        })
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
        let pairings = (arms * (arms - 1) / 2) as u64;
        let mut pairs = pairings * u64::from(playoff.pairs);
        if self.is_study() {
            pairs += arms as u64 * u64::from(playoff.classical);
        }
        runs.saturating_add(2 * pairs).saturating_mul(u64::from(self.head.replicates))
    }
}

impl Head {
    /// Has arms with limits of their own search by what fits these, where the file names no preset.
    fn fit_presets(&mut self, method: &dyn Method) {
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

    fn check(&self) -> Result<(), ExperimentError> {
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

/// All keys that an experiment of this method may have.
fn known_keys(head: &Head, method: &dyn Method) -> Table {
    let mut known = write(&Head { arms: Vec::new(), ..head.clone() });
    merge(&mut known, &method.table());
    known
}

/// Refuses names that cannot be those of files.
pub(crate) fn check_name(key: &str, name: &str) -> Result<(), ExperimentError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.is_empty() || !name.chars().all(plain) || name.starts_with('.') {
        return Err(ExperimentError::value(key, format!("{name:?}: use letters, digits, `.`, `_` and `-`")));
    }
    Ok(())
}

/// The name of a file in a lab: its own, the seed, and a mark for what differs from the file that it was made from. So the same
/// changes mean the same experiment however they are written, and a file that was edited is noticed.
pub(crate) fn id_of(table: &Table, file: &Table) -> String {
    let name = table.get("name").and_then(Value::as_str).unwrap_or_default();
    let seed = table.get("seed").and_then(Value::as_integer).unwrap_or_default();
    let (ours, theirs) = (leaves(table), leaves(file));
    let changed = |path: &str| !["name", "seed"].contains(&path) && ours.get(path) != theirs.get(path);
    let paths: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let changes: Vec<String> = paths
        .into_iter()
        .filter(|path| changed(path))
        .map(|path| format!("{path} = {}", ours.get(path).map_or("", String::as_str)))
        .collect();
    if changes.is_empty() {
        return format!("{name}-{seed}");
    }
    let mark = blake3::hash(changes.join("\n").as_bytes()).to_hex();
    format!("{name}-{seed}-{}", &mark[..6])
}

/// The table of a file or preset, with a name.
pub(crate) fn read_source(source: &str) -> Result<Table, ExperimentError> {
    let path = Path::new(source);
    let (text, name) = match presets::text(source) {
        Some(text) => (text.to_owned(), source.to_owned()),
        None if path.exists() => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| ExperimentError::Unreadable(source.to_owned(), error.to_string()))?;
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            (text, stem.unwrap_or_default())
        }
        None => {
            return Err(ExperimentError::UnknownPreset {
                name: source.to_owned(),
                nearest: nearest(source, presets::names()).map(str::to_owned),
                known: presets::names().collect::<Vec<_>>().join(", "),
            });
        }
    };
    let mut table = parse(&text)?;
    table.entry("name").or_insert(Value::String(name));
    Ok(table)
}

/// A table with another seed, and keys changed as in `population=12`, or of a pipeline in one stage as in
/// `stages.NAME.population=12`.
pub(crate) fn changed(
    mut table: Table,
    is_preset: bool,
    changes: &[String],
    seed: Option<u64>,
) -> Result<Table, ExperimentError> {
    if let Some(seed) = seed {
        table.insert(
            "seed".to_owned(),
            Value::Integer(i64::try_from(seed).map_err(|_| {
                ExperimentError::value("seed", format!("{seed} is too large; the largest is {}", i64::MAX))
            })?),
        );
    }
    let changes = changes.iter().map(|change| parse_change(change)).collect::<Result<Vec<_>, _>>()?;
    for change in &changes {
        if change.contains_key("model") && is_preset {
            // The ranges of a preset are those of its own model.
            table.remove("weights");
        }
        if table.contains_key("stages") {
            change_stages(&mut table, change)?;
            continue;
        }
        for arm in table.get_mut("arms").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(set) = arm.get_mut("set").and_then(Value::as_table_mut) {
                remove_leaves(set, change);
            }
        }
        merge(&mut table, change);
    }
    Ok(table)
}

fn parse(text: &str) -> Result<Table, ExperimentError> {
    text.parse::<Table>().map_err(|error| {
        let before = error.span().map_or(0, |span| span.start).min(text.len());
        let line = 1 + text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count();
        ExperimentError::Syntax { line, message: error.message().to_owned() }
    })
}

/// All values of a table as text, by their keys with all that they are in.
fn leaves(table: &Table) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                found.extend(leaves(inner).into_iter().map(|(rest, value)| (format!("{key}.{rest}"), value)));
            }
            value => {
                found.insert(key.clone(), value.to_string());
            }
        }
    }
    found
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
