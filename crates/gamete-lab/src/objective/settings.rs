use gamete_optim::{Key, KeyError, KeyKind, Settings, Value};
use toml::Table;

use crate::experiment::{ExperimentError, unknown_key};

/// The settings in the table of a name.
pub(crate) fn read_settings(
    table: &Table,
    name: &str,
    keys: &'static [Key],
) -> Result<Settings, ExperimentError> {
    let mut settings = Settings::new(keys);
    let own = match table.get(name) {
        None => return Ok(settings),
        Some(toml::Value::Table(own)) => own,
        Some(other) => {
            let reason = format!("{other}: give a table, as in {name}.{} = …", keys[0].name);
            return Err(ExperimentError::value(name, reason));
        }
    };
    for (key, value) in own {
        let path = format!("{name}.{key}");
        if !keys.iter().any(|known| known.name == key) {
            return Err(unknown_key(&path, key, keys.iter().map(|key| key.name)));
        }
        let value = match value {
            toml::Value::Integer(number) => Value::Number(*number as f64),
            toml::Value::Float(number) => Value::Number(*number),
            toml::Value::Array(texts) if texts.iter().all(toml::Value::is_str) => {
                Value::Texts(texts.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect())
            }
            toml::Value::String(text) => Value::Text(text.clone()),
            other => Value::Text(other.to_string()),
        };
        settings.set(key, value).map_err(|error| ExperimentError::from(error).inside(name))?;
    }
    Ok(settings)
}

/// A table of settings.
pub(crate) fn write_settings(settings: &Settings) -> Table {
    settings
        .iter()
        .map(|(key, value)| {
            let value = match (value, key.kind) {
                (Value::Number(number), KeyKind::Integer { .. }) => toml::Value::Integer(*number as i64),
                (Value::Number(number), _) => toml::Value::Float(*number),
                (Value::Text(text), _) => toml::Value::from(text.as_str()),
                (Value::Texts(texts), _) => toml::Value::from(texts.clone()),
            };
            (key.name.to_owned(), value)
        })
        .collect()
}

impl From<KeyError> for ExperimentError {
    fn from(error: KeyError) -> Self {
        Self::Value { key: error.key, reason: error.reason }
    }
}
