//! The keys that all experiments and all players have.

use gamete_engine::SearchSettings;
use gamete_optim::{Key, KeyKind, OptimizerInfo};
use toml::{Table, Value};

use super::{Experiment, ExperimentError, Playoff, read_settings, unknown_key};
use crate::methods::{METHODS, MethodInfo};
use crate::objective::{OBJECTIVES, ObjectiveInfo};

/// More runs and play-offs of a study would not be over in a lifetime.
pub(super) const MAX_RUNS: i64 = 100_000;

/// Keys with their kinds, ranges, defaults and meanings; methods, optimisers and objectives declare their own.
const KEYS: &[Key] = &[
    Key::text("name", "", "its name; the file's name if left out"),
    Key::text("about", "", "its purpose, in one line"),
    Key::text("method", "", "the procedure"),
    Key::integer("seed", [0, i64::MAX], 1, "random seed"),
    Key::integer("replicates", [1, MAX_RUNS], 1, "runs, each with its own seed"),
    Key::text("from", "", "experiment of the lab to start from"),
    Key::choice(
        "take",
        &["population", "champion", "champions", "player"],
        "what to take from it: champions are those of all its runs; of a player, weights and settings are kept and others sought",
    ),
    Key::integer("generations", [0, u32::MAX as i64], 100, "budget: generations, 0 for no limit"),
    Key::integer("games", [0, i64::MAX], 0, "budget: games per run, 0 for no limit"),
    Key::real("seconds", [0.0, f64::MAX], 0.0, "budget: seconds since the experiment began, 0 for no limit"),
    Key::real("convergence", [0.0, 1.0], 0.0, "budget: deviation relative to the start, 0 for no limit"),
    Key::integer(
        "playoff.pairs",
        [0, Playoff::MAX_PAIRS as i64],
        1,
        "pairs of games between any two champions of arms",
    ),
    Key::integer("playoff.plies", [0, Playoff::MAX_PLIES as i64], 6, "random plies of their openings"),
    Key::integer(
        "playoff.classical",
        [0, Playoff::MAX_PAIRS as i64],
        0,
        "pairs of games of each champion against the classical weights",
    ),
    Key::text(
        "model",
        "chess/kendall-whitwell",
        "the model whose weights are sought; `gamete models` lists all",
    ),
    Key::text("preset", "", "search settings; those that fit the limits if left out"),
    Key::text(
        "limits",
        "depth=2",
        "how much a player may think: depth=, nodes=, st= (seconds per move), tc= (a clock), or several",
    ),
    Key::integer("max_moves", [1, 100_000], 200, "full moves after which a game is stopped"),
    Key::choice("at_max_moves", &["draw", "material"], "how it is then decided"),
    Key::flag("draw_rules", true, "whether repetition and the forty-move rule end checkers games"),
    Key::real(
        "noise",
        [0.0, 10.0],
        0.0,
        "half the width of the noise on each evaluation, in men; for checkers",
    ),
    Key::flag("tanh", false, "whether evaluations are squashed by tanh; for checkers"),
];

/// What lists the keys of an experiment.
pub(crate) const KEY_LISTER: &str = "`gamete evolve FILE --print`";

/// Tables whose keys are checked by those who read them.
fn is_open(table: &str, known: &Table) -> bool {
    // Those of other optimisers and objectives are for arms that use them.
    let is_registered = || OptimizerInfo::find(table).is_some() || ObjectiveInfo::find(table).is_some();
    match table {
        "arms" => true,
        "weights" | "search" | "options" | "parameters" | "genes" | "inner" => known.contains_key(table),
        _ => known.contains_key("optimizer") && is_registered(),
    }
}

/// The table that a key belongs to which is written without one: that of the objective or of the optimiser, if experiments
/// have no such key themselves, and one of the two has it, and not both.
pub(super) fn table_of_short_key(key: &str, table: &Table) -> Option<&'static str> {
    if is_key_of_experiment(key, table) {
        return None;
    }
    let named = |key: &str| table.get(key).and_then(Value::as_str);
    let is_own = |known: &Key| known.name.split('.').next() == Some(key);
    let objective = named("objective").and_then(ObjectiveInfo::find).map(|info| (info.name, info.keys));
    let optimizer = named("optimizer").and_then(OptimizerInfo::find).map(|info| (info.name, info.keys));
    let mut having = [objective, optimizer]
        .into_iter()
        .flatten()
        .filter(|(_, keys)| keys.iter().any(is_own))
        .map(|(name, _)| name);
    having.next().filter(|_| having.next().is_none())
}

/// Whether it is a key, or a table of keys, that experiments or their method have themselves.
pub(crate) fn is_key_of_experiment(key: &str, table: &Table) -> bool {
    let method = table.get("method").and_then(Value::as_str).and_then(|name| MethodInfo::find(name).ok());
    let own = method.map_or(&[][..], |method| method.keys);
    KEYS.iter().chain(own).any(|known| known.name.split('.').next() == Some(key))
}

/// Refuses keys that nothing reads.
pub(super) fn check_keys(table: &Table, known: &Table, place: &str) -> Result<(), ExperimentError> {
    for (key, value) in table {
        match known.get(key) {
            _ if place.is_empty() && is_open(key, known) => {}
            None => return Err(unread(place, key, known)),
            Some(Value::Table(known)) => {
                if let Value::Table(table) = value {
                    check_keys(table, known, &format!("{place}{key}."))?;
                }
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// What is wrong with a key that is not known.
fn unread(place: &str, key: &str, known: &Table) -> ExperimentError {
    let mut parts = key.split('.');
    let first = parts.next().and_then(|part| known.get(part));
    if key.contains('.')
        && first.is_some_and(|first| parts.try_fold(first, |at, part| at.get(part)).is_some())
    {
        let reason = format!("write {key} = … without quotes, which make one key of it");
        return ExperimentError::value(&key_path(place, key), reason);
    }
    let inner = |(table, value): (&String, &Value)| {
        value.as_table()?.contains_key(key).then(|| format!("{place}{table}.{key}"))
    };
    // Tables may have keys of one name: whoever writes one alone means any of them.
    let inner: Vec<String> = known.iter().filter_map(inner).collect();
    match unknown_key(place, key, known.keys().map(String::as_str), KEY_LISTER) {
        ExperimentError::UnknownKey { key, nearest: None, .. } if inner.len() > 1 => {
            let known = format!("did you mean \"{}\"?", inner.join("\" or \""));
            ExperimentError::UnknownKey { key, nearest: None, known }
        }
        ExperimentError::UnknownKey { key, nearest: None, known } => {
            ExperimentError::UnknownKey { key, nearest: inner.into_iter().next(), known }
        }
        error => error,
    }
}

/// Refuses values of the wrong kind or out of range.
pub(crate) fn check_values(table: &Table) -> Result<(), ExperimentError> {
    read_settings(table, KEYS).map(drop)
}

impl Experiment {
    /// The file with every default in it, in the order in which people read it, and behind each key what it means.
    pub fn annotated_text(&self) -> String {
        let mut text = String::new();
        self.annotate("", &self.table(), &mut text);
        text
    }

    fn annotate(&self, place: &str, table: &Table, text: &mut String) {
        let is_table = |value: &Value| match value {
            Value::Table(_) => true,
            Value::Array(values) => values.first().is_some_and(Value::is_table),
            _ => false,
        };
        let mut entries: Vec<(&String, &Value)> = table.iter().collect();
        entries.sort_by_key(|(key, value)| (is_table(value), self.rank(&format!("{place}{key}"))));
        for (key, value) in entries {
            let alone = || toml::to_string(&Table::from_iter([(key.clone(), value.clone())]));
            match value {
                Value::Table(inner) => {
                    let path = key_path(place, key);
                    text.push_str(&format!("\n[{path}]\n"));
                    self.annotate(&format!("{path}."), inner, text);
                }
                _ => {
                    let line = alone().expect("a table of plain values");
                    if is_table(value) {
                        text.push('\n');
                    }
                    text.push_str(line.trim_end());
                    let is_line = line.trim_end().lines().count() == 1;
                    if let Some(about) = self.meaning(&format!("{place}{key}")).filter(|_| is_line) {
                        text.push_str(&format!("  # {about}"));
                    }
                    text.push('\n');
                }
            }
        }
    }

    /// Every key of its file that is declared, by its path, in the order in which people read them.
    pub(super) fn declared(&self) -> Vec<(String, &'static Key)> {
        let own = MethodInfo::find(&self.head.method).map_or(&[][..], |info| info.keys);
        let plain = KEYS.iter().chain(own).map(|key| (key.name.to_owned(), key));
        let tables = OptimizerInfo::all().map(|info| (info.name, info.keys));
        let tables = tables.chain(OBJECTIVES.iter().map(|info| (info.name, info.keys)));
        let inside = tables.flat_map(|(table, keys)| {
            keys.iter().map(move |key| (format!("{table}.{key}", key = key.name), key))
        });
        plain.chain(inside).collect()
    }

    /// Where a key or a table stands in a file; what is not declared is behind what is.
    pub(super) fn rank(&self, path: &str) -> usize {
        let path = path.strip_prefix("inner.").unwrap_or(path);
        let declared = self.declared();
        let inside = format!("{path}.");
        let found = declared.iter().position(|(key, _)| key == path || key.starts_with(&inside));
        match path {
            // Games of champions come after what makes champions.
            "playoff" => declared.len() + 1,
            _ => found.unwrap_or(declared.len()),
        }
    }

    /// What a key of its file means, and what it can be.
    fn meaning(&self, path: &str) -> Option<String> {
        if let Some(path) = path.strip_prefix("inner.") {
            return self.method.inner()?.meaning(path);
        }
        let (_, key) = self.declared().into_iter().find(|(known, _)| known == path)?;
        let choices: Vec<&str> = match (key.kind, key.name) {
            (KeyKind::Choice(words), _) => words.to_vec(),
            (_, "method") => METHODS.iter().map(|info| info.name).collect(),
            (_, "optimizer") => OptimizerInfo::all().map(|info| info.name).collect(),
            (_, "objective") => OBJECTIVES.iter().map(|info| info.name).collect(),
            (_, "preset") => SearchSettings::PRESETS.to_vec(),
            _ => return Some(key.about.to_owned()),
        };
        Some(format!("{}; one of {}", key.about, choices.join(", ")))
    }
}

/// A key as it is written in a file, behind the tables that it is in.
pub(crate) fn key_path(place: &str, key: &str) -> String {
    let is_bare = |letter: u8| letter.is_ascii_alphanumeric() || b"_-".contains(&letter);
    match !key.is_empty() && key.bytes().all(is_bare) {
        true => format!("{place}{key}"),
        false => format!("{place}{}", Value::from(key)),
    }
}

/// The key whose value alone is refused, with all that it is in.
pub(crate) fn culprit(table: &Table, is_refused: &dyn Fn(&Table) -> bool) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let alone = |value: Value| Table::from_iter([(key.clone(), value)]);
        if !is_refused(&alone(value.clone())) {
            return None;
        }
        let inside = value
            .as_table()
            .and_then(|inner| culprit(inner, &|part| is_refused(&alone(Value::Table(part.clone())))));
        Some(inside.map_or_else(|| key.clone(), |rest| format!("{key}.{rest}")))
    })
}

#[cfg(test)]
mod tests {
    use gamete_optim::Settings;

    use super::*;
    use crate::Breed;
    use crate::experiment::{Head, write, write_settings};

    fn value<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
        let mut parts = key.split('.');
        let first = table.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }

    #[test]
    fn defaults_are_those_that_are_read() {
        let mut read = write(&Head::default());
        read.extend(write(&Breed::default()));
        let declared = write_settings(&Settings::new(KEYS));
        for key in KEYS {
            assert_eq!(value(&declared, key.name), value(&read, key.name), "{}", key.name);
        }
    }

    #[test]
    fn every_key_of_the_registries_is_documented() {
        let docs = include_str!("../../../../docs/lab.md");
        let tables =
            OptimizerInfo::all().map(|info| info.keys).chain(OBJECTIVES.iter().map(|info| info.keys));
        for key in METHODS.iter().map(|info| info.keys).chain(tables).flatten().chain(KEYS) {
            let name = key.name.rsplit('.').next().unwrap_or_default();
            assert!(docs.contains(&format!("{name} = ")) || docs.contains(&format!("`{name}")), "{name}");
            if let KeyKind::Choice(words) = key.kind {
                assert!(words.iter().all(|word| docs.contains(word)), "{name}: {words:?}");
            }
        }
        for name in METHODS.iter().map(|info| info.name) {
            assert!(docs.contains(name), "{name}");
        }
    }

    #[test]
    fn a_printed_file_says_what_keys_mean_and_reads_back() {
        for method in METHODS.iter().filter(|info| info.name != "meta-evolution") {
            let experiment = Experiment::of_method(method.name).expect("an experiment");
            let text = experiment.annotated_text();
            assert!(text.contains("seed = 1  # random seed"), "{text}");
            for key in method.keys {
                assert!(text.contains(key.about), "{}: {text}", key.name);
                if let KeyKind::Choice(words) = key.kind {
                    assert!(text.contains(&format!("; one of {}", words.join(", "))), "{}: {text}", key.name);
                }
            }
            let place = |key: &str| text.find(&format!("\n{key}")).unwrap_or_else(|| panic!("{key}: {text}"));
            assert!(text.starts_with("name = "), "{text}");
            assert!(place("method = ") < place("seed = ") && place("seed = ") < place("[playoff]"), "{text}");
            assert_eq!(
                Experiment::from_table(&text.parse().expect("TOML")).expect("an experiment"),
                experiment
            );
        }
    }
}
