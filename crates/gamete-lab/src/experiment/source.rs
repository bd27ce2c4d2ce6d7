//! The text of an experiment: where it comes from, what is changed in it, and what it is called in a lab.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gamete_arena::nearest;
use toml::{Table, Value};

use super::ExperimentError;
use super::change::{merge, parse_change, remove_leaves};
use super::keys::table_of_short_key;
use crate::pipeline::change_stages;
use crate::presets;

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

/// Whether a file or preset has arms.
///
/// # Errors
///
/// When there is no such thing, or it is no TOML.
pub fn has_arms(source: &str) -> Result<bool, ExperimentError> {
    Ok(read_source(source)?.contains_key("arms"))
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
        if is_preset {
            remove_ranges_of_models(&mut table, change);
        }
        if table.contains_key("stages") {
            change_stages(&mut table, change)?;
            continue;
        }
        let mut named = table.clone();
        for key in ["method", "objective", "optimizer"] {
            let changed = changes.iter().filter_map(|change| change.get(key)).next_back();
            named.extend(changed.map(|value| (key.to_owned(), value.clone())));
        }
        let change = &with_tables(change, &named);
        for arm in table.get_mut("arms").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(set) = arm.get_mut("set").and_then(Value::as_table_mut) {
                remove_leaves(set, change);
            }
        }
        merge(&mut table, change);
    }
    Ok(table)
}

/// A change whose keys may be written without the table of the objective or optimiser that they belong to, with that table.
/// `experiment` says which these are.
pub(crate) fn with_tables(change: &Table, experiment: &Table) -> Table {
    let mut full = Table::new();
    for (key, value) in change {
        let alone = Table::from_iter([(key.clone(), value.clone())]);
        match table_of_short_key(key, experiment).filter(|_| !value.is_table()) {
            Some(name) => merge(&mut full, &Table::from_iter([(name.to_owned(), alone.into())])),
            None => merge(&mut full, &alone),
        }
    }
    full
}

/// Takes away the ranges of a preset, which are those of its own model, where that is changed, in stages too.
fn remove_ranges_of_models(table: &mut Table, change: &Table) {
    let is_everywhere = change.contains_key("model");
    if is_everywhere {
        table.remove("weights");
    }
    for stage in table.get_mut("stages").and_then(Value::as_array_mut).into_iter().flatten() {
        let name = stage.get("name").and_then(Value::as_str).unwrap_or_default();
        let own = change.get("stages").and_then(|stages| stages.get(name)?.get("model"));
        if let Some(Value::Table(set)) = stage.get_mut("set")
            && (is_everywhere || own.is_some())
        {
            set.remove("weights");
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_objective_and_the_optimiser_may_be_written_without_their_table() {
        let file = "method = 'optimize'\nobjective = 'experts'\noptimizer = 'ga'\nexperts.power = 1";
        let file: Table = file.parse().expect("TOML");
        let set = |changes: &[&str]| {
            let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
            changed(file.clone(), false, &changes, None).expect("a table")
        };
        assert_eq!(
            set(&["corpus=a.corpus", "population=7"]),
            set(&["experts.corpus=a.corpus", "ga.population=7"])
        );
        assert_eq!(set(&["power=3"])["experts"]["power"].as_integer(), Some(3));
        let other = set(&["corpus=a.corpus", "objective=mentor"]);
        assert_eq!(other["mentor"]["corpus"].as_str(), Some("a.corpus"));
        // Keys of experiments are meant before those of tables, and what nobody has stays as it is.
        assert_eq!(set(&["games=5"])["games"].as_integer(), Some(5));
        assert_eq!(set(&["nonsense=5"])["nonsense"].as_integer(), Some(5));
    }

    #[test]
    fn keys_without_their_table_are_those_of_each_stage_that_has_them() {
        let file = "[[stages]]\nname = 'a'\nset = { method = 'optimize', objective = 'experts', optimizer = 'ga' }\n\
            [[stages]]\nname = 'b'\nset = { method = 'coevolution' }\n\
            [[stages]]\nname = 'c'\nset = { method = 'optimize', objective = 'mentor', optimizer = 'es' }\n";
        let file: Table = file.parse().expect("TOML");
        let set = |changes: &[&str]| {
            let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
            changed(file.clone(), false, &changes, None).expect("a table")
        };
        assert_eq!(
            set(&["corpus=x", "population=7"]),
            set(&[
                "stages.a.experts.corpus=x",
                "stages.c.mentor.corpus=x",
                "stages.a.ga.population=7",
                "stages.b.population=7"
            ])
        );
        assert_eq!(set(&["stages.c.corpus=x"]), set(&["stages.c.mentor.corpus=x"]));
        assert_eq!(
            set(&["max_moves=9"])["max_moves"].as_integer(),
            Some(9),
            "keys of all stages stay in the file"
        );
    }
}
