//! Our own form, TOML: a parameter in each line, with its value and its range.
//!
//! ```toml
//! Aspiration = { value = 20, min = 5, max = 60, step = 3, rate = 0.002 }
//! Contempt = [0, 100]     # starts where the engine has it
//! Hash = 16               # kept
//! ```

use std::collections::BTreeMap;

use gamete_game::Kind;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::{LineError, Numbered, TunedParameter, Words};

/// What it calls its numbers.
pub const WORDS: Words = Words { start: "value", min: "min", max: "max", step: "step", rate: "rate" };

/// The numbers of a parameter that is sought.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    value: Value,
    min: Value,
    max: Value,
    step: Option<f64>,
    rate: Option<f64>,
    /// int or float; whole numbers are int if it is left out.
    r#type: Option<String>,
}

pub fn read(text: &str) -> Result<Vec<Numbered>, LineError> {
    let line_at = |place: usize| text[..place.min(text.len())].matches('\n').count() + 1;
    let table: BTreeMap<String, Spanned<Value>> = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_at(span.start));
        let name = text.lines().nth(line - 1).and_then(unquoted_name);
        let reason = match name {
            Some(name) => format!("{name}: a name with spaces needs quotes: \"{name}\" = …"),
            None => error.message().to_owned(),
        };
        LineError::new(line, reason)
    })?;
    let mut read = Vec::new();
    for (name, value) in table {
        let line = line_at(value.span().start);
        let wrong = |reason: String| LineError::new(line, format!("{name}: {reason}"));
        read.push((line, parameter(&name, value.get_ref()).map_err(wrong)?));
    }
    read.sort_by_key(|(line, _)| *line);
    Ok(read)
}

/// What stands before the equals sign of a line, if it is a name with spaces that has no quotes.
fn unquoted_name(line: &str) -> Option<&str> {
    let name = line.split_once('=')?.0.trim();
    (name.contains(char::is_whitespace) && !name.contains(['"', '\'', '[', ']', '{', '}', '#']))
        .then_some(name)
}

fn parameter(name: &str, value: &Value) -> Result<TunedParameter, String> {
    let make = |kind, start, range, step, rate| TunedParameter {
        name: name.to_owned(),
        kind,
        start,
        range,
        step,
        rate,
    };
    match value {
        Value::Boolean(flag) => {
            let number = f64::from(u8::from(*flag));
            Ok(make(Kind::Flag, Some(number), [number; 2], None, None))
        }
        Value::Integer(_) | Value::Float(_) => {
            let number = number(value, "value")?;
            Ok(make(kind_of_values(&[value]), Some(number), [number; 2], None, None))
        }
        Value::Array(ends) => match ends.as_slice() {
            [Value::Boolean(false), Value::Boolean(true)] => {
                Ok(make(Kind::Flag, None, [0.0, 1.0], None, None))
            }
            [min, max] => {
                let range = [number(min, "min")?, number(max, "max")?];
                Ok(make(kind_of_values(&[min, max]), None, range, None, None))
            }
            _ => Err(format!("{value}: give [smallest, largest]")),
        },
        Value::Table(table) => {
            let entry: Entry = Value::Table(table.clone())
                .try_into()
                .map_err(|error: toml::de::Error| error.message().to_owned())?;
            let Entry { value, min, max, step, rate, r#type } = &entry;
            if let (Value::Boolean(start), Value::Boolean(false), Value::Boolean(true)) = (value, min, max) {
                return Ok(make(Kind::Flag, Some(f64::from(u8::from(*start))), [0.0, 1.0], *step, *rate));
            }
            let [start, least, most] = [number(value, "value")?, number(min, "min")?, number(max, "max")?];
            let kind = match r#type.as_deref() {
                None => kind_of_values(&[value, min, max]),
                Some("int") => Kind::Integer,
                Some("float") => Kind::Real,
                Some(other) => return Err(format!("type {other:?} is not int or float")),
            };
            Ok(make(kind, Some(start), [least, most], *step, *rate))
        }
        other => Err(format!(
            "{other}: give {{ value = …, min = …, max = … }}, a range [smallest, largest], or a number that is kept"
        )),
    }
}

fn number(value: &Value, word: &str) -> Result<f64, String> {
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    number.ok_or_else(|| format!("{word} {value} is not a number"))
}

/// Whole if all are written so.
fn kind_of_values(values: &[&Value]) -> Kind {
    if values.iter().all(|value| value.is_integer()) { Kind::Integer } else { Kind::Real }
}
