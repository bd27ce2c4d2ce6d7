//! Values of declared keys in tables.

use gamete_optim::{Key, KeyError, KeyKind, Settings, Value};
use toml::Table;

use super::{ExperimentError, KEY_LISTER, unknown_key};

/// The settings of these keys in a table, which may have others; `mutation.draw` is the key `draw` of the table `mutation`.
pub(crate) fn read_settings(table: &Table, keys: &'static [Key]) -> Result<Settings, ExperimentError> {
    let mut settings = Settings::new(keys);
    for key in keys {
        let mut parts = key.name.split('.');
        let first = parts.next().and_then(|part| table.get(part));
        if let Some(value) = first.and_then(|first| parts.try_fold(first, |value, part| value.get(part))) {
            settings.set(key.name, of_file(value))?;
        }
    }
    Ok(settings)
}

/// The settings in the table of a name, which has no others.
pub(crate) fn read_own_settings(
    table: &Table,
    name: &str,
    keys: &'static [Key],
) -> Result<Settings, ExperimentError> {
    match table.get(name) {
        None => Ok(Settings::new(keys)),
        Some(toml::Value::Table(own)) => {
            match own.keys().find(|key| !keys.iter().any(|known| known.name == *key)) {
                Some(key) => {
                    let known = keys.iter().map(|key| key.name);
                    Err(unknown_key(&format!("{name}."), key, known, KEY_LISTER))
                }
                None => read_settings(own, keys).map_err(|error| error.inside(name)),
            }
        }
        Some(other) => {
            let reason = format!("{other}: give a table, as in {name}.{} = …", keys[0].name);
            Err(ExperimentError::value(name, reason))
        }
    }
}

/// Settings as a table.
pub(crate) fn write_settings(settings: &Settings) -> Table {
    let mut table = Table::new();
    for (key, value) in settings.iter() {
        let mut place = &mut table;
        let mut parts: Vec<&str> = key.name.split('.').collect();
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            let inner = place.entry(part).or_insert_with(|| Table::new().into());
            place = inner.as_table_mut().expect("a table, as no key is inside another");
        }
        place.insert(last.to_owned(), to_file(value, key.kind));
    }
    table
}

fn of_file(value: &toml::Value) -> Value {
    let number =
        |value: &toml::Value| value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    match value {
        toml::Value::Integer(_) | toml::Value::Float(_) => Value::Number(number(value).unwrap_or(f64::NAN)),
        toml::Value::Boolean(flag) => Value::Flag(*flag),
        toml::Value::String(text) => Value::Text(text.clone()),
        toml::Value::Array(values) => {
            match values.iter().map(number).collect::<Option<Vec<f64>>>().as_deref() {
                Some(&[one, two]) => Value::Numbers([one, two]),
                _ if values.iter().all(toml::Value::is_str) => {
                    Value::Texts(values.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect())
                }
                _ => Value::Text(value.to_string()),
            }
        }
        toml::Value::Datetime(_) | toml::Value::Table(_) => Value::Text(value.to_string()),
    }
}

fn to_file(value: &Value, kind: KeyKind) -> toml::Value {
    match (value, kind) {
        (Value::Number(number), KeyKind::Integer { .. }) => toml::Value::Integer(*number as i64),
        (Value::Number(number), _) => toml::Value::Float(*number),
        (Value::Numbers(numbers), _) => numbers.map(|number| number as i64).to_vec().into(),
        (Value::Flag(flag), _) => toml::Value::Boolean(*flag),
        (Value::Text(text), _) => toml::Value::from(text.as_str()),
        (Value::Texts(texts), _) => toml::Value::from(texts.clone()),
    }
}

impl From<KeyError> for ExperimentError {
    fn from(error: KeyError) -> Self {
        Self::Value { key: error.key, reason: error.reason }
    }
}
