//! Files of pipelines, and changes of their keys.

use std::collections::BTreeSet;

use gamete_arena::suggest;
use toml::{Table, Value};

use super::{Pipeline, Stage};
use crate::experiment::{
    ExperimentError, check_name, check_values, culprit, has_leaf, is_key_of_experiment, merge, remove_leaves,
    with_tables, write,
};

/// Keys of a file that are about the pipeline itself.
const OWN: [&str; 3] = ["name", "about", "seed"];

impl Pipeline {
    /// The pipeline of a table that has `stages`.
    ///
    /// # Errors
    ///
    /// When something is wrong with it.
    pub fn from_table(table: &Table) -> Result<Self, ExperimentError> {
        let pipeline = Self::from_stored(table)?;
        for (index, draft) in pipeline.drafts.iter().enumerate() {
            draft.check().map_err(|error| pipeline.of_stage(index, error))?;
        }
        Ok(pipeline)
    }

    /// The pipeline of a table that a lab has, which was checked when it was begun.
    pub(crate) fn from_stored(table: &Table) -> Result<Self, ExperimentError> {
        check_values(table)?;
        let mut base = table.clone();
        let stages = read_stages(base.remove("stages"))?;
        for key in ["arms", "replicates"] {
            if base.contains_key(key) {
                let reason =
                    "give it to a stage, in its set; a whole pipeline is repeated with another --seed";
                return Err(ExperimentError::value(key, reason));
            }
        }
        let text = |key: &str| table.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let seed = table.get("seed").and_then(Value::as_integer).unwrap_or(1) as u64;
        for key in OWN {
            base.remove(key);
        }
        check_name("name", &text("name"))?;
        let mut pipeline =
            Self { name: text("name"), about: text("about"), seed, base, stages, drafts: Vec::new() };
        pipeline.make_drafts()?;
        Ok(pipeline)
    }

    /// Its file.
    pub fn table(&self) -> Table {
        let mut table = self.head();
        let stages = self.stages.iter().map(|stage| Value::Table(write(stage)));
        table.insert("stages".to_owned(), Value::Array(stages.collect()));
        table
    }

    /// The same with the keys of each stage under `stages.NAME`, as the command line names them.
    pub(crate) fn table_by_name(&self) -> Table {
        let mut table = self.head();
        let mut stages = Table::new();
        for stage in &self.stages {
            let mut own = write(stage);
            own.remove("name");
            if let Some(Value::Table(set)) = own.remove("set") {
                merge(&mut own, &set);
            }
            stages.insert(stage.name.clone(), own.into());
        }
        table.insert("stages".to_owned(), stages.into());
        table
    }

    fn head(&self) -> Table {
        let mut table = self.base.clone();
        table.insert("name".to_owned(), self.name.as_str().into());
        table.insert("about".to_owned(), self.about.as_str().into());
        table.insert("seed".to_owned(), (self.seed as i64).into());
        table
    }

    /// The same as text.
    pub fn text(&self) -> String {
        toml::to_string(&self.table()).expect("a table of plain values")
    }

    /// The file, and behind it each stage with every default in it and what its keys mean, as comments. Values of players that
    /// are not known yet are left out.
    pub fn annotated_text(&self) -> String {
        let mut text = self.text();
        for (index, (stage, draft)) in self.stages.iter().zip(&self.drafts).enumerate() {
            text.push_str(&format!(
                "\n# Stage {}, which begins with {}:\n",
                stage.name,
                self.beginning(index)
            ));
            let is_open = self.has_unknown_values(index);
            let mut section = "";
            let annotated = draft.annotated_text();
            for line in annotated.lines() {
                if let Some(name) = line.strip_prefix('[') {
                    section = name.trim_end_matches(']');
                }
                let is_value = ["weights", "search", "options"].contains(&section);
                let is_unknown = |(name, value): (&str, &str)| {
                    let is_named =
                        |table: &Table| table.get(section).is_some_and(|values| values.get(name).is_some());
                    !value.starts_with('[') && !is_named(&self.base) && !is_named(&stage.set)
                };
                if !(is_open && is_value && line.split_once(" = ").is_some_and(is_unknown)) {
                    text.push_str(format!("# {line}").trim_end());
                    text.push('\n');
                }
            }
        }
        text
    }
}

/// The stages of a file: named, no two alike, each after the first with an earlier one that it begins with.
fn read_stages(value: Option<Value>) -> Result<Vec<Stage>, ExperimentError> {
    let list = match value {
        Some(Value::Array(list)) if !list.is_empty() => list,
        other => {
            let found = other.map_or_else(String::new, |value| format!("{value}: "));
            let reason =
                format!("{found}give a list of stages, each as in [[stages]] with a name and what it sets");
            return Err(ExperimentError::value("stages", reason));
        }
    };
    let mut stages: Vec<Stage> = Vec::new();
    let mut names = BTreeSet::new();
    for (index, value) in list.into_iter().enumerate() {
        let name = value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        check_name(&format!("stages.{}.name", index + 1), &name)?;
        let place = format!("stages.{name}");
        if !names.insert(name.clone()) {
            return Err(ExperimentError::value("stages", format!("two stages are called {name:?}")));
        }
        let mut stage = read_stage(value).map_err(|error| error.inside(&place))?;
        if !stage.player.is_empty() {
            check_name(&format!("{place}.player"), &stage.player)?;
        }
        let fixed = ["stages", "seed", "name", "from", "take", "player"];
        if let Some(key) = fixed.into_iter().find(|key| stage.set.contains_key(*key)) {
            let reason = match key {
                "from" | "take" | "player" => "say it beside the name of the stage",
                "stages" => "a stage has no stages",
                "name" => "the name of a stage stands outside of its set",
                _ => "this is that of the pipeline",
            };
            return Err(ExperimentError::value(&format!("{place}.set.{key}"), reason));
        }
        match stages.last() {
            Some(before) => {
                if stage.from.is_empty() {
                    stage.from.clone_from(&before.name);
                }
                stage.take.get_or_insert_default();
            }
            None => {
                let own = [("from", !stage.from.is_empty()), ("take", stage.take.is_some())];
                if let Some((key, _)) = own.into_iter().find(|(_, given)| *given) {
                    let reason = "no stage is before the first; what it begins with in the lab is said outside of the stages, \
                                  as in from = \"mine-1\"";
                    return Err(ExperimentError::value(&format!("{place}.{key}"), reason));
                }
            }
        }
        stages.push(stage);
    }
    Ok(stages)
}

/// A stage of a file. What cannot be read is told by its key.
fn read_stage(value: Value) -> Result<Stage, ExperimentError> {
    let keys = value.as_table().cloned().unwrap_or_default();
    let name = keys.get("name").cloned();
    value.try_into().map_err(|error: toml::de::Error| {
        let is_refused = |part: &Table| {
            let mut part = part.clone();
            part.extend(name.clone().map(|name| ("name".to_owned(), name)));
            Value::Table(part).try_into::<Stage>().is_err()
        };
        ExperimentError::value(culprit(&keys, &is_refused).as_deref().unwrap_or("name"), error.message())
    })
}

/// Changes keys in the file of a pipeline: `stages.NAME.KEY` or `stages.NAME.set.KEY` in one stage; others in every stage that sets them itself, and in
/// the file, unless only stages have them. What nobody sets may be a key without its table, of each stage whose objective or
/// optimiser has it.
pub(crate) fn change_stages(table: &mut Table, change: &Table) -> Result<(), ExperimentError> {
    let mut change = change.clone();
    let base = table.clone();
    let Some(Value::Array(stages)) = table.get_mut("stages") else { return Ok(()) };
    if let Some(Value::Table(named)) = change.get("stages").cloned() {
        change.remove("stages");
        let names: Vec<String> =
            stages.iter().filter_map(|stage| stage.get("name")?.as_str().map(str::to_owned)).collect();
        for (name, value) in named {
            let Some(index) = names.iter().position(|known| *known == name) else {
                let reason = format!(
                    "no stage has this name, but {}{}",
                    names.join(", "),
                    suggest(&name, names.iter().map(String::as_str))
                );
                return Err(ExperimentError::value(&format!("stages.{name}"), reason));
            };
            let (Value::Table(stage), Value::Table(keys)) = (&mut stages[index], value) else {
                let reason = "name a key of the stage too, as in stages.NAME.generations=3";
                return Err(ExperimentError::value(&format!("stages.{name}"), reason));
            };
            if keys.contains_key("name") {
                let reason = "only the file says what stages are called";
                return Err(ExperimentError::value(&format!("stages.{name}.name"), reason));
            }
            let (own, mut set): (Table, Table) =
                keys.into_iter().partition(|(key, _)| ["from", "take", "player"].contains(&key.as_str()));
            merge(stage, &own);
            if let Some(Value::Table(inside)) = set.get("set").cloned() {
                set.remove("set");
                merge(&mut set, &inside);
            }
            let set = with_tables(&set, &keys_of_stage(&base, stage));
            let place = stage.entry("set").or_insert_with(|| Table::new().into());
            if let Value::Table(place) = place {
                merge(place, &set);
            }
        }
    }
    if change.is_empty() {
        return Ok(());
    }
    if change.contains_key("stages") {
        merge(table, &change);
        return Ok(());
    }
    let mut stages: Vec<&mut Table> = stages.iter_mut().filter_map(Value::as_table_mut).collect();
    let sets_it =
        |stage: &Table| stage.get("set").and_then(Value::as_table).is_some_and(|set| has_leaf(set, &change));
    let full = |stage: &Table| with_tables(&change, &keys_of_stage(&base, stage));
    let is_in_a_stage = stages.iter().any(|stage| sets_it(stage));
    let is_in_the_file = has_leaf(&base, &change);
    let is_short = !is_in_a_stage && !is_in_the_file && stages.iter().any(|stage| full(stage) != change);
    for stage in &mut stages {
        let own = if is_short { full(stage) } else { change.clone() };
        let keys = keys_of_stage(&base, stage);
        let has_it = || own != change || change.keys().all(|key| is_key_of_experiment(key, &keys));
        if (sets_it(stage) || is_short && has_it())
            && let Value::Table(set) = stage.entry("set").or_insert_with(|| Table::new().into())
        {
            remove_leaves(set, &own);
            merge(set, &own);
        }
    }
    if is_in_the_file || !is_in_a_stage && !is_short {
        merge(table, &change);
    }
    Ok(())
}

/// The keys of a stage, those of all stages among them.
fn keys_of_stage(base: &Table, stage: &Table) -> Table {
    let mut keys = base.clone();
    if let Some(Value::Table(set)) = stage.get("set") {
        merge(&mut keys, set);
    }
    keys
}
