//! The ranges of chess-tuning-tools, `{"CPuct": "Real(0.0, 10.0)", "Threads": "Integer(1, 4)"}`, by themselves or as the
//! `parameter_ranges` of a configuration. They have no values to start from: those of the engine are taken.

use gamete_game::Kind;
use serde_json::Value;

use super::objects::{line_of, parse};
use super::{LineError, Numbered, TunedParameter};

pub fn read(text: &str, notes: &mut Vec<String>) -> Result<Vec<Numbered>, LineError> {
    let mut object = parse(text)?;
    if let Some(ranges) = object.remove("parameter_ranges") {
        let line = line_of(text, "parameter_ranges");
        let Value::Object(ranges) = ranges else {
            return Err(LineError::new(line, "parameter_ranges is no object"));
        };
        object = ranges;
    }
    let mut read = Vec::new();
    for (name, value) in &object {
        let line = line_of(text, name);
        let wrong = || {
            let reason = format!(
                "{name}: {value} is not a range like \"Integer(1, 100)\" or \"Real(0.0, 1.0)\", and nothing else can be tuned"
            );
            LineError::new(line, reason)
        };
        let (kind, range, more) = value.as_str().and_then(parse_range).ok_or_else(wrong)?;
        if let Some(more) = more {
            notes.push(format!("{name}: {more} has no effect: ranges are searched evenly"));
        }
        let parameter =
            TunedParameter { name: name.clone(), kind, start: None, range, step: None, rate: None };
        read.push((line, parameter));
    }
    read.sort_by_key(|(line, _)| *line);
    Ok(read)
}

/// The kind and the ends of a range, and what else is in its parentheses.
fn parse_range(text: &str) -> Option<(Kind, [f64; 2], Option<&str>)> {
    let (kind, inside) = text.trim().split_once('(')?;
    let kind = match kind.trim() {
        "Integer" => Kind::Integer,
        "Real" => Kind::Real,
        _ => return None,
    };
    let mut parts = inside.strip_suffix(')')?.splitn(3, ',').map(str::trim);
    let mut number = || parts.next()?.parse::<f64>().ok();
    let range = [number()?, number()?];
    Some((kind, range, parts.next()))
}
