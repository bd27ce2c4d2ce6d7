//! The `config.json` of weather-factory: `{"Param": {"value": 50, "min_value": 0, "max_value": 100, "step": 10}}`. The words of
//! Optuna's tuner for the same things are understood, too.

use serde_json::{Map, Value};

use super::objects::{line_of, parse};
use super::{LineError, Numbered, TunedParameter, Words, kind_of};

/// What it calls its numbers.
pub const WORDS: Words =
    Words { start: "value", min: "min_value", max: "max_value", step: "step", rate: "rate" };

/// Keys by the numbers that they are, the usual word first.
const KEYS: [(&str, &[&str]); 4] = [
    ("value", &["value", "default", "init"]),
    ("min_value", &["min_value", "min", "lower"]),
    ("max_value", &["max_value", "max", "upper"]),
    ("step", &["step"]),
];

pub fn read(text: &str) -> Result<Vec<Numbered>, LineError> {
    let parameter = |(name, value): (&String, &Value)| {
        let line = line_of(text, name);
        let read = match value {
            Value::Object(object) => parameter(name, object),
            other => Err(format!("{other} is no object with value, min_value, max_value and step")),
        };
        read.map(|read| (line, read)).map_err(|reason| LineError::new(line, format!("{name}: {reason}")))
    };
    let mut read = parse(text)?.iter().map(parameter).collect::<Result<Vec<_>, _>>()?;
    read.sort_by_key(|(line, _)| *line);
    Ok(read)
}

fn parameter(name: &str, object: &Map<String, Value>) -> Result<TunedParameter, String> {
    let is_known = |key: &str| key == "type" || KEYS.iter().any(|(_, words)| words.contains(&key));
    if let Some(key) = object.keys().find(|key| !is_known(key)) {
        return Err(format!("nothing reads {key:?}; there are value, min_value, max_value and step"));
    }
    let mut numbers = [None; 4];
    for (number, (usual, words)) in numbers.iter_mut().zip(KEYS) {
        if let Some(value) = words.iter().find_map(|word| object.get(*word)) {
            *number = Some(value.as_f64().ok_or_else(|| format!("{usual} {value} is not a number"))?);
        }
    }
    let [Some(start), Some(min), Some(max), step] = numbers else {
        let missing = KEYS.iter().zip(numbers).find(|(_, number)| number.is_none());
        return Err(format!("{} is missing", missing.map_or("value", |((usual, _), _)| *usual)));
    };
    let kind = match object.get("type").and_then(Value::as_str) {
        Some("float") => gamete_game::Kind::Real,
        _ => kind_of([start, min, max]),
    };
    Ok(TunedParameter {
        name: name.to_owned(),
        kind,
        start: Some(start),
        range: [min, max],
        step,
        rate: None,
    })
}
