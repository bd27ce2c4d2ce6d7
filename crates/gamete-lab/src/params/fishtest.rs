//! The lines that `TUNE()` of Stockfish prints for fishtest, `mThreat,173,0,346,17.3,0.0020`, and the `.var` files of zamar's
//! tuner, which have the same six fields and may have a seventh, for simulations.

use super::lines::{content, fields, number};
use super::{LineError, Numbered, TunedParameter, kind_of};

/// The fields of a line.
pub const FIELDS: &str = "name, value, min, max, c_end, r_end";

pub fn is_line(fields: &[&str]) -> bool {
    matches!(fields.len(), 6 | 7) && fields[1].parse::<f64>().is_ok()
}

pub fn read(text: &str) -> Result<Vec<Numbered>, LineError> {
    content(text).map(|(line, text)| Ok((line, parameter(line, &fields(text))?))).collect()
}

fn parameter(line: usize, fields: &[&str]) -> Result<TunedParameter, LineError> {
    let (&[name, start, min, max, step, rate] | &[name, start, min, max, step, rate, _]) = fields else {
        return Err(LineError::new(line, format!("{} fields instead of six: {FIELDS}", fields.len())));
    };
    let number = |field, name| number(line, field, name);
    let (start, range) = (number(start, "value")?, [number(min, "min")?, number(max, "max")?]);
    Ok(TunedParameter {
        name: name.to_owned(),
        kind: kind_of([start, range[0], range[1]]),
        start: Some(start),
        range,
        step: Some(number(step, "c_end")?),
        rate: Some(number(rate, "r_end")?),
    })
}
