//! Files in JSON: which form they have, and where in them something stands.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::{LineError, ParameterFormat};

/// Weather-factory has an object for each parameter, chess-tuning-tools a text, by itself or in the configuration of a tune.
pub fn format(text: &str) -> Result<ParameterFormat, LineError> {
    let object = parse(text)?;
    let is_ranges = object.contains_key("parameter_ranges") || object.values().all(Value::is_string);
    Ok(if is_ranges { ParameterFormat::TuningTools } else { ParameterFormat::WeatherFactory })
}

/// The object that a file is.
pub fn parse(text: &str) -> Result<Map<String, Value>, LineError> {
    serde_json::from_str(text).map(|Object(object)| object).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
        let reason = if error.is_data() { reason.to_owned() } else { format!("not JSON: {reason}") };
        LineError::new(error.line(), reason)
    })
}

/// An object with parameters, or with ranges of parameters in it, each of which is there once.
struct Object(Map<String, Value>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Object, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = match key.as_str() {
                "parameter_ranges" => Value::Object(entries.next_value::<Object>()?.0),
                _ => entries.next_value()?,
            };
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("{key} is given twice")));
            }
            object.insert(key, value);
        }
        Ok(Object(object))
    }
}

/// The line of a key, from 1.
pub fn line_of(text: &str, key: &str) -> usize {
    let quoted = Value::from(key).to_string();
    let place = text.find(&quoted).unwrap_or(0);
    text[..place].matches('\n').count() + 1
}
