//! The values that a file takes over from the experiment that it begins with.

use gamete_engine::SearchSettings;
use gamete_game::Kind;
use toml::{Table, Value};

use crate::breed::{Breed, REST, SEARCH};
use crate::experiment::{Experiment, ExperimentError};
use crate::objective::OPTIONS;

/// Keys besides weights and settings that a player has.
const PLAYER_KEYS: [&str; 4] = ["model", "preset", "noise", "tanh"];

/// Tables with the values and ranges of players.
const VALUE_TABLES: [&str; 3] = ["weights", "search", "options"];

/// A file in which every weight and setting that it does not name has the value of a player: the genome of a `source`, which
/// is called `from`.
pub(crate) fn with_player(
    file: &Table,
    from: &str,
    source: &Experiment,
    genome: &[f64],
) -> Result<Table, ExperimentError> {
    let refused = |reason: String| Err(ExperimentError::value("take", format!("\"player\": {reason}")));
    let mut table = file.clone();
    table.remove("from");
    table.remove("take");
    let theirs = source.table();
    let space = source.method.space()?;
    let mut found = Table::new();
    if let Some(breed) = source.method.breed() {
        // A file may make sense only with the model of the player.
        if Experiment::from_table(&table).is_ok_and(|own| own.method.breed().is_none()) {
            return refused(format!("what is sought here are no players, as {from} is"));
        }
        if let Some(model) = file.get("model").filter(|model| **model != theirs["model"]) {
            let reason = format!("{model}: the player of {from} has {}; leave the key out", theirs["model"]);
            return Err(ExperimentError::value("model", reason));
        }
        for key in PLAYER_KEYS {
            found.insert(key.to_owned(), theirs[key].clone());
        }
        let mut search: Table =
            breed.search.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut weights = Table::new();
        for (name, value) in space.values(genome) {
            match name.strip_prefix(SEARCH) {
                Some(setting) => drop(search.insert(setting.to_owned(), setting_value(setting, value))),
                None => drop(weights.insert(name.to_owned(), Value::Float(value))),
            }
        }
        if file.get("weights").is_none_or(|weights| weights.get(REST).is_none()) {
            found.insert("weights".to_owned(), weights.into());
        }
        found.insert("search".to_owned(), search.into());
    } else if let Some(Value::Table(options)) = theirs.get("options") {
        let mut options = options.clone();
        for (name, value) in space.values(genome) {
            let name = name.strip_prefix(OPTIONS).expect("an option, as there is nothing else");
            let value = match options[name].get(0) {
                Some(Value::Boolean(_)) => Value::Boolean(value != 0.0),
                Some(Value::Float(_)) => Value::Float(value),
                _ => Value::Integer(value as i64),
            };
            options.insert(name.to_owned(), value);
        }
        found.insert("options".to_owned(), options.into());
    } else {
        return refused(format!("{from} finds no player; take its champion or its population"));
    }
    let is_range = |table: &str| {
        let values = file.get(table).and_then(Value::as_table);
        values.is_some_and(|values| values.values().any(Value::is_array))
    };
    if !VALUE_TABLES.into_iter().any(is_range) {
        return refused(format!(
            "all weights and settings of {from} are kept, and nothing is sought; give ranges, as in \
             search.null_move_reduction = [1, 4]"
        ));
    }
    add_missing(&mut table, &found);
    Ok(table)
}

/// A file that begins with a player, in which every weight and setting that it does not name has the value that was stored when
/// it was `begun`.
pub(super) fn with_stored_player(file: &Table, begun: &Experiment) -> Table {
    let mut table = file.clone();
    table.remove("from");
    table.remove("take");
    take_over(&mut table, begun, &PLAYER_KEYS);
    table
}

/// A file that begins with a population or a champion of `source`, in which every weight and setting that it does not name and
/// that is not sought there has the value that it has there. `own` is the experiment of the file as it is.
///
/// A search that fits the limits of the source is not taken over: the limits of the file may be others.
pub(crate) fn with_kept_values(file: &Table, own: &Experiment, source: &Experiment) -> Table {
    let model = |one: &Experiment| one.method.breed().map(|breed| breed.model.clone());
    let mut table = file.clone();
    if model(own) != model(source) {
        return table;
    }
    match source.method.breed() {
        Some(breed) if breed.preset == Breed::fitting_preset(&breed.limits) => {
            take_over(&mut table, source, &["noise", "tanh"]);
        }
        Some(_) => take_over(&mut table, source, &["preset", "noise", "tanh"]),
        None if own.table().contains_key("options") => take_over(&mut table, source, &[]),
        None => {}
    }
    table
}

/// Takes these keys over, and the weights and settings that a source does not seek.
fn take_over(table: &mut Table, source: &Experiment, keys: &[&str]) {
    let mut found = source.table();
    found.retain(|key, _| keys.contains(&key) || VALUE_TABLES.contains(&key));
    for values in VALUE_TABLES {
        if let Some(Value::Table(values)) = found.get_mut(values) {
            values.retain(|_, value| !value.is_array());
        }
    }
    if table.get("weights").is_some_and(|weights| weights.get(REST).is_some()) {
        found.remove("weights");
    }
    found.retain(|_, value| value.as_table().is_none_or(|values| !values.is_empty()));
    add_missing(table, &found);
}

/// A setting of the search as files have it.
fn setting_value(name: &str, value: f64) -> Value {
    match SearchSettings::setting(name).map(|setting| setting.parameter.kind) {
        Some(Kind::Flag) => Value::Boolean(value != 0.0),
        Some(Kind::Integer) => Value::Integer(value as i64),
        _ => Value::Float(value),
    }
}

/// Takes values over, table by table, where there are none.
fn add_missing(table: &mut Table, values: &Table) {
    for (key, value) in values {
        match (table.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(values)) => add_missing(inner, values),
            (None, value) => drop(table.insert(key.clone(), value.clone())),
            (Some(Value::String(text)), value) if text.is_empty() => {
                table.insert(key.clone(), value.clone());
            }
            (Some(_), _) => {}
        }
    }
}
