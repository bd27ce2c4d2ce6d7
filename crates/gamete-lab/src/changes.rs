//! What an experiment has set, compared with its preset or with the defaults of its method.

use toml::{Table, Value};

use crate::experiment::{Experiment, key_path};
use crate::pipeline::Pipeline;
use crate::plan::Plan;
use crate::presets;

impl Experiment {
    /// The changes that make this experiment of the preset of its name, as `--set` takes them; nothing if there is no such
    /// preset, or changes alone do not make it.
    fn changes_from_preset(&self) -> Option<Vec<String>> {
        let name = self.head.name.as_str();
        presets::text(name)?;
        let changes = changes(self, |model| Self::load(name, model, None).ok())?;
        let same = Self::load(name, &changes, Some(self.head.seed)).is_ok_and(|same| same == *self);
        same.then_some(changes)
    }

    /// The command that runs the same experiment, if it is a preset with few keys changed.
    pub fn command(&self) -> Option<String> {
        /// More would be a file rather than a command.
        const MAX_CHANGES: usize = 8;
        let changes = self.changes_from_preset().filter(|changes| changes.len() <= MAX_CHANGES)?;
        let (name, seed) = (self.head.name.as_str(), self.head.seed);
        let mut command = format!("gamete evolve {name}");
        if Self::load(name, &[], None).is_ok_and(|preset| preset.head.seed != seed) {
            command.push_str(&format!(" --seed {seed}"));
        }
        for change in changes {
            command.push_str(&format!(" --set {}", shell_word(&change)));
        }
        Some(command)
    }

    /// How its players differ from those of the preset that is called like its method, as `--set` takes it.
    pub(crate) fn player_changes(&self) -> Vec<String> {
        let Ok(preset) = Self::load(&self.head.method, &[], None) else { return Vec::new() };
        let (was, now) = (preset.table(), self.table());
        let keys = ["model", "preset", "limits", "max_moves", "at_max_moves", "draw_rules", "noise", "tanh"];
        let changed = keys.into_iter().filter(|key| was.get(*key) != now.get(*key));
        changed.filter_map(|key| Some(format!("{key}={}", now.get(key)?))).collect()
    }

    /// What tells it apart: the changes from the preset of its name, or from the defaults where there is none.
    pub(crate) fn what_is_set(&self) -> Vec<String> {
        let name = self.head.name.as_str();
        let preset = presets::text(name).is_some();
        let base = |model: &[String]| {
            if preset {
                return Self::load(name, model, None).ok();
            }
            let table = model.first().map_or_else(|| Ok(Table::new()), |change| change.parse());
            let mut table: Table = table.ok()?;
            for key in ["name", "method", "inner", "genes", "optimizer", "objective"] {
                table.extend(self.table().remove(key).map(|value| (key.to_owned(), value)));
            }
            Self::from_stored(&table).ok()
        };
        let mut set = changes(self, base).unwrap_or_default();
        if !preset {
            set.retain(|change| !change.starts_with("about="));
            let table = self.table();
            for key in ["objective", "optimizer", "method"] {
                set.splice(0..0, table.get(key).and_then(Value::as_str).map(|name| format!("{key}={name}")));
            }
        }
        let names: Vec<&str> = self.head.arms.iter().map(|arm| arm.name.as_str()).collect();
        // The arms of a preset with some keys changed follow from these.
        if !names.is_empty() && self.changes_from_preset().is_none() {
            set.push(format!("arms={}", names.join("|")));
        }
        set
    }
}

impl Pipeline {
    /// The changes that make this pipeline of the preset of its name, as `--set` takes them; nothing if there is no such
    /// preset, or changes alone do not make it.
    fn changes_from_preset(&self) -> Option<Vec<String>> {
        let load = |changes: &[String], seed| match Plan::load(&self.name, changes, seed) {
            Ok((Plan::Pipeline(pipeline), _)) => Some(pipeline),
            _ => None,
        };
        presets::text(&self.name)?;
        let mut changes = Vec::new();
        differences("", &load(&[], None)?.table_by_name(), &self.table_by_name(), &mut changes);
        let same = load(&changes, Some(self.seed))?;
        (same.table() == self.table()).then_some(changes)
    }

    /// The command that runs the same pipeline, if it is a preset with keys changed.
    pub(crate) fn command(&self) -> Option<String> {
        let changes = self.changes_from_preset()?;
        let preset: Option<Table> = presets::text(&self.name).and_then(|text| text.parse().ok());
        let seed = preset?.get("seed").and_then(Value::as_integer).unwrap_or(1);
        let seed = if seed == self.seed as i64 { String::new() } else { format!(" --seed {}", self.seed) };
        let changes = changes.iter().map(|change| format!(" --set {}", shell_word(change)));
        Some(format!("gamete evolve {}{seed}{}", self.name, changes.collect::<String>()))
    }

    /// What tells it apart: the changes from the preset of its name, or else the names of its stages.
    pub(crate) fn what_is_set(&self) -> Vec<String> {
        self.changes_from_preset().unwrap_or_else(|| {
            let names: Vec<&str> = self.stages().iter().map(|stage| stage.name.as_str()).collect();
            vec![format!("stages={}", names.join("|"))]
        })
    }
}

/// The keys of an experiment that differ from those of a base. The base is asked for again with the model of the
/// experiment where that differs, because the ranges of weights are those of a model.
fn changes(experiment: &Experiment, base: impl Fn(&[String]) -> Option<Experiment>) -> Option<Vec<String>> {
    let (was, now) = (base(&[])?.table(), experiment.table());
    let mut changes = Vec::new();
    if was.get("model") == now.get("model") {
        differences("", &was, &now, &mut changes);
    } else {
        let model = vec![format!("model={}", now.get("model")?)];
        differences("", &base(&model)?.table(), &now, &mut changes);
        changes.extend(model);
    }
    Some(changes)
}

/// The keys with other values, as the command line takes them. Arms follow from the other keys.
fn differences(place: &str, was: &Table, now: &Table, changes: &mut Vec<String>) {
    for (key, value) in now {
        if place.is_empty() && ["arms", "name", "seed"].contains(&key.as_str()) {
            continue;
        }
        let path = key_path(place, key);
        match (was.get(key), value) {
            (Some(was), now) if was == now => {}
            (Some(Value::Table(was)), Value::Table(now)) => {
                differences(&format!("{path}."), was, now, changes);
            }
            (_, Value::Table(now)) => differences(&format!("{path}."), &Table::new(), now, changes),
            (_, value) => changes.push(format!("{path}={value}")),
        }
    }
}

/// A word as shells take it.
pub fn shell_word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-=/@".contains(letter);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(preset: &str, changes: &[&str]) -> Vec<String> {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        Experiment::load(preset, &changes, None).expect("an experiment").what_is_set()
    }

    #[test]
    fn a_preset_is_told_by_what_was_changed() {
        assert_eq!(set("kendall-whitwell", &[]), [""; 0]);
        assert_eq!(
            set("kendall-whitwell", &["population=12", "limits=depth=3"]),
            ["limits=\"depth=3\"", "population=12"]
        );
        assert_eq!(
            set("mutation-study", &["replicates=3", "generations=4"]),
            ["generations=4", "replicates=3"]
        );
        assert_eq!(set("mutation-study", &["arms=[{name='a'}, {name='b', set={scale=2.0}}]"]), ["arms=a|b"]);
    }

    #[test]
    fn a_file_is_told_by_what_is_in_it() {
        let file = |text: &str| {
            let table = format!("name = 'mine'\nabout = 'words'\n{text}").parse().expect("TOML");
            Experiment::from_table(&table).expect("an experiment").what_is_set()
        };
        assert_eq!(file("population = 6"), ["method=kendall-whitwell", "population=6"]);
        assert_eq!(
            file("method = 'optimize'\nobjective = 'function'\nfunction.name = 'rastrigin'"),
            ["method=optimize", "optimizer=ga", "objective=function", "function.name=\"rastrigin\""]
        );
        let other = file("method = 'quick-tournament'\nmodel = 'chess/material'\nlimits = 'nodes=60'\n");
        assert_eq!(other[0], "method=quick-tournament");
        assert!(other.contains(&"limits=\"nodes=60\"".to_owned()), "{other:?}");
        assert!(!other.iter().any(|change| change.starts_with("weights")), "{other:?}");
    }

    fn command(preset: &str, changes: &[&str], seed: Option<u64>) -> Option<String> {
        let changes: Vec<_> = changes.iter().map(|&change| change.to_owned()).collect();
        let experiment = Experiment::load(preset, &changes, seed).unwrap();
        experiment.command()
    }

    #[test]
    fn commands_say_what_was_changed() {
        let same = |preset, changes, seed, text: &str| {
            assert_eq!(command(preset, changes, seed).as_deref(), Some(text));
        };
        same("kendall-whitwell", &[], None, "gamete evolve kendall-whitwell");
        same(
            "kendall-whitwell",
            &["generations=3", "population=4"],
            Some(7),
            "gamete evolve kendall-whitwell --seed 7 --set generations=3 --set population=4",
        );
        same("mutation-study", &["generations=3"], None, "gamete evolve mutation-study --set generations=3");
        same(
            "kendall-whitwell",
            &["weights.pawn=[0,3]"],
            None,
            "gamete evolve kendall-whitwell --set 'weights.pawn=[0.0, 3.0]'",
        );
        same(
            "kendall-whitwell",
            &["preset=full"],
            None,
            "gamete evolve kendall-whitwell --set 'preset=\"full\"'",
        );
        same(
            "meta-mutation",
            &["genes.\"mutation.draw\"=0.5"],
            None,
            "gamete evolve meta-mutation --set 'genes.\"mutation.draw\"=0.5'",
        );
    }

    #[test]
    fn another_model_brings_its_own_weights() {
        let text = "gamete evolve kendall-whitwell --set population=4 --set 'model=\"checkers/squares\"'";
        let changes = ["model=checkers/squares", "population=4"];
        assert_eq!(command("kendall-whitwell", &changes, None).as_deref(), Some(text));
    }

    #[test]
    fn other_names_are_no_presets() {
        assert_eq!(command("kendall-whitwell", &["name=mine"], None), None);
    }

    #[test]
    fn shells_take_words_as_they_are_meant() {
        assert_eq!(shell_word("a=b"), "a=b");
        assert_eq!(shell_word("a='b c'"), r"'a='\''b c'\'''");
    }
}
