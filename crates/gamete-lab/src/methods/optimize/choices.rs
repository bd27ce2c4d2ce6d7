//! The optimiser and the objective of a file.

use gamete_arena::suggest;
use toml::{Table, Value};

use crate::experiment::ExperimentError;

/// What a key chooses among, the first if it is left out.
pub(super) fn name<'a>(
    table: &'a Table,
    key: &str,
    mut known: impl Iterator<Item = &'static str> + Clone,
) -> Result<&'a str, ExperimentError> {
    match table.get(key) {
        None => Ok(known.next().unwrap_or_default()),
        Some(Value::String(name)) if known.clone().any(|known| known == name) => Ok(name),
        Some(Value::String(name)) => {
            let reason = format!("unknown {key} {name:?}{}", suggest(name, known));
            Err(ExperimentError::value(key, reason))
        }
        Some(other) => {
            let names: Vec<&str> = known.collect();
            let reason = format!(
                "{other}: give a name, one of {}; its settings are in a table of that name",
                names.join(", ")
            );
            Err(ExperimentError::value(key, reason))
        }
    }
}

/// The optimiser and the objective that a table names.
pub(super) fn choices(table: &Table) -> Vec<String> {
    let named =
        ["optimizer", "objective"].map(|key| table.get(key).and_then(Value::as_str).map(str::to_owned));
    named.into_iter().flatten().collect()
}
