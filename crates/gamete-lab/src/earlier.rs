//! What a tune was before its budget or its ranges were changed: the tables `[[earlier]]` of a file, from which a run is repeated as it was.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::RunError;
use crate::experiment::{Experiment, read, write};
use crate::objective::OPTIONS;
use crate::run::{difference, is_same_file};
use crate::runtime::{GameResult, LabError};
use crate::store::{ExperimentRow, Store};

/// The stretches of a run that came before what the file says now.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Earlier {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Stretch>,
}

/// A part of a run with a budget and ranges of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stretch {
    /// Games of the run after which it was over.
    pub until: u64,
    /// The budget of games that it had.
    pub games: u64,
    /// The range of each gene.
    pub ranges: BTreeMap<String, [f64; 2]>,
}

impl Stretch {
    /// The file of an experiment with these ranges.
    pub fn file(&self, table: &Table) -> Table {
        let mut table = table.clone();
        for (gene, range) in &self.ranges {
            set_range(&mut table, gene, *range);
        }
        table
    }
}

impl Earlier {
    /// The file with ranges that include all that there were; nothing if there is nothing earlier.
    pub fn widest_file(&self, table: &Table) -> Option<Table> {
        let mut file = table.clone();
        for (gene, &[low, high]) in self.earlier.iter().flat_map(|stretch| &stretch.ranges) {
            let ends: Option<Vec<f64>> =
                entry(&mut file, gene)?.as_array().map(|ends| ends.iter().map(number).collect());
            if let Some(&[now_low, now_high]) = ends.as_deref() {
                set_range(&mut file, gene, [low.min(now_low), high.max(now_high)]);
            }
        }
        (!self.earlier.is_empty()).then_some(file)
    }
}

/// A number of a file.
fn number(value: &Value) -> f64 {
    match value {
        Value::Boolean(flag) => f64::from(u8::from(*flag)),
        Value::Integer(number) => *number as f64,
        value => value.as_float().unwrap_or_default(),
    }
}

/// The ranges of the genes of an experiment.
pub(crate) fn ranges(experiment: &Experiment) -> BTreeMap<String, [f64; 2]> {
    let space = experiment.method.space();
    space.map_or_else(|_| BTreeMap::new(), |space| space.names().into_iter().zip(space.ranges()).collect())
}

/// Where a file has the range of a gene.
fn entry<'a>(table: &'a mut Table, gene: &str) -> Option<&'a mut Value> {
    let (place, name) = match (gene.strip_prefix(OPTIONS), gene.strip_prefix("search.")) {
        (Some(option), _) => ("options", option),
        (None, Some(setting)) => ("search", setting),
        (None, None) => ("weights", gene),
    };
    table.get_mut(place)?.get_mut(name)
}

/// Gives a gene another range, in the kind of numbers that it has.
fn set_range(table: &mut Table, gene: &str, range: [f64; 2]) {
    let Some(value) = entry(table, gene) else { return };
    let number = |number: f64| match value.get(0) {
        Some(Value::Boolean(_)) => Value::Boolean(number != 0.0),
        Some(Value::Integer(_)) => Value::Integer(number as i64),
        _ => Value::Float(number),
    };
    *value = range.map(number).to_vec().into();
}

/// The experiment that a lab has under this name with another budget of games or other ranges, as `now` has them. What was played until now is
/// written down as an earlier stretch, so that a run from the top repeats it. Nothing happens if nothing is different.
///
/// # Errors
///
/// When there is none, somebody runs it, something else is different, too, or the store does not work.
pub fn change(store: &Store, id: &str, now: &Experiment) -> Result<Experiment, RunError> {
    let row = store.experiment(id)?;
    let claim = store.claim(id)?;
    let changed = |what: String| RunError::Changed { id: id.to_owned(), what };
    let stored = row.experiment().map_err(|damaged| changed(damaged.to_string()))?;
    let mut table = with_earlier(&row, now)?.table();
    if is_same_file(&row.file, &toml::to_string(&table).expect("plain values")) {
        return Ok(Experiment::from_table(&table).map_err(LabError::from)?);
    }
    let (was, is) = (ranges(&stored), ranges(now));
    let mut expected = stored.table();
    for key in ["games", "about"] {
        expected.extend(table.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    for (gene, range) in is.iter().filter(|(gene, _)| was.contains_key(*gene)) {
        set_range(&mut expected, gene, *range);
    }
    if expected != table {
        return Err(changed(difference(&expected, &table)));
    }
    let until = games_of_generations(store, id)?;
    if until == 0 {
        // Nothing was learned yet: it begins anew.
        drop(claim);
        store.delete(id)?;
        return Ok(now.clone());
    }
    let mut before: Earlier = read(&table).map_err(LabError::from)?;
    if until > before.earlier.last().map_or(0, |last| last.until) {
        before.earlier.push(Stretch { until, games: stored.head.budget.games, ranges: was.clone() });
    }
    table.extend(write(&before));
    let experiment = Experiment::from_table(&table).map_err(LabError::from)?;
    if was != is || !experiment.method.keeps_course() {
        // What was played of a generation that is not complete belongs to no stretch.
        for run in store.runs(id)? {
            store.forget_after(run.number, until, |answer| {
                serde_json::from_str::<GameResult>(answer).is_ok()
            })?;
        }
    }
    store.change_file(id, &experiment.text(), &experiment.head.about)?;
    // Those games were played by the values that were found before.
    store.forget_verification(id)?;
    Ok(experiment)
}

/// How many games the complete generations of an experiment have.
fn games_of_generations(store: &Store, id: &str) -> Result<u64, RunError> {
    let mut games = 0;
    for run in store.runs(id)? {
        games += store.summaries(run.number)?.iter().map(|generation| generation.games).sum::<u64>();
    }
    Ok(games)
}

/// An experiment with the earlier stretches that the lab knows of it.
pub(crate) fn with_earlier(row: &ExperimentRow, now: &Experiment) -> Result<Experiment, RunError> {
    let mut table = now.table();
    let stored: Table = row.file.parse().unwrap_or_default();
    match stored.get("earlier") {
        None => Ok(now.clone()),
        Some(earlier) => {
            table.insert("earlier".to_owned(), earlier.clone());
            Ok(Experiment::from_table(&table).map_err(LabError::from)?)
        }
    }
}

/// The same of what the lab has under a name, if it has something.
///
/// # Errors
///
/// When the store does not work.
pub fn with_history(store: &Store, id: &str, now: &Experiment) -> Result<Experiment, RunError> {
    store.find(id)?.map_or_else(|| Ok(now.clone()), |row| with_earlier(&row, now))
}

/// Whether what a lab has under some name is this experiment, perhaps after changes.
pub fn is_same_experiment(row: &ExperimentRow, now: &Experiment) -> bool {
    // What is said of earlier genes need not go with those of another experiment.
    let (Ok(stored), Ok(now)) = (row.experiment(), with_earlier(row, now)) else { return false };
    is_same_file(&stored.text(), &now.text())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::run::{Session, begin, run};
    use crate::testing::{TestLab, experiment, fake};
    use crate::view::Event;

    fn tune(optimizer: &str, games: u64, most: u32) -> Experiment {
        experiment(&format!(
            "name = 'x'\nmethod = 'optimize'\noptimizer = '{optimizer}'\ngenerations = 0\ngames = {games}\n\
             model = 'chess/material'\nmatch = {{ pairs = 1, opponents = ['start'] }}\n\
             weights = {{ knight = [0, {most}], bishop = [0, 8000] }}\n\
             parameters = {{ knight = {{ start = 100 }}, bishop = {{ start = 6000 }} }}\n"
        ))
    }

    /// Runs it until so many generations are over.
    fn play(lab: &TestLab, experiment: &Experiment, generations: u32) -> Result<Session, RunError> {
        let stop = AtomicBool::new(false);
        run(&lab.store(), "x", experiment, &fake(), &stop, |event| {
            if matches!(event, Event::Generation { generation, .. } if generation.number == generations) {
                stop.store(true, Ordering::Relaxed);
            }
        })
    }

    #[test]
    fn what_was_stopped_and_changed_is_repeated_from_the_top_of_its_file() {
        for optimizer in ["pairs", "spsa", "bspsa", "ga", "cma-es"] {
            let lab = TestLab::new();
            assert!(play(&lab, &tune(optimizer, 100_000, 2000), 2).is_err(), "{optimizer} was stopped");
            // A few more generations may have ended before the stop was seen.
            let played = games_of_generations(&lab.store(), "x").expect("games");
            let budget = played + 600;
            let changed = change(&lab.store(), "x", &tune(optimizer, budget, 6000)).expect("a change");
            let found = play(&lab, &changed, u32::MAX).expect("an end").conclusion;
            assert!((played..=budget).contains(&found.games), "{optimizer}: {}", found.games);
            let knight = changed.method.space().expect("a space").ranges()[0];
            assert_eq!(knight, [0.0, 6000.0], "{optimizer}");
            let text: Table = changed.text().parse().expect("a file");
            let again =
                play(&TestLab::new(), &Experiment::from_table(&text).expect("an experiment"), u32::MAX);
            assert_eq!(again.expect("an end").conclusion, found, "{optimizer}");
        }
    }

    #[test]
    fn what_else_is_changed_is_refused_and_what_has_not_begun_begins_anew() {
        let lab = TestLab::new();
        assert!(play(&lab, &tune("pairs", 100_000, 2000), 1).is_err());
        let refused = change(&lab.store(), "x", &tune("spsa", 100_000, 2000)).expect_err("another optimiser");
        assert!(refused.to_string().contains("optimizer was \"pairs\", and is now \"spsa\""), "{refused}");
        let same = change(&lab.store(), "x", &tune("pairs", 100_000, 2000)).expect("nothing is different");
        assert!(!same.text().contains("earlier"));
        let none = change(&lab.store(), "y", &same).expect_err("nothing").to_string();
        assert!(none.contains("\"y\""), "{none}");
        let fresh = TestLab::new();
        begin(&fresh.store(), "x", &tune("pairs", 100_000, 2000)).expect("begun");
        let anew = change(&fresh.store(), "x", &tune("pairs", 64, 6000)).expect("a change");
        let at_once = play(&TestLab::new(), &tune("pairs", 64, 6000), u32::MAX).expect("an end");
        assert_eq!(play(&fresh, &anew, u32::MAX).expect("an end").conclusion, at_once.conclusion);
    }
}
