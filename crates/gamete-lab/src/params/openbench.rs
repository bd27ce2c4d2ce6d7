//! The lines of an SPSA tune of OpenBench, as engines print them: `Aspiration, int, 20, 5, 60, 3, 0.002`.

use gamete_game::Kind;

use super::lines::{content, fields, number};
use super::{LineError, Numbered, TunedParameter};

/// The fields of a line.
pub const FIELDS: &str = "name, int|float, value, min, max, c_end, r_end";

pub fn is_line(fields: &[&str]) -> bool {
    match fields {
        [_, "int" | "float", ..] => true,
        // With a misspelt type, which is then reported as such.
        [_, word, _, _, _, _, _] => word.parse::<f64>().is_err(),
        _ => false,
    }
}

pub fn read(text: &str) -> Result<Vec<Numbered>, LineError> {
    content(text).map(|(line, text)| Ok((line, parameter(line, &fields(text))?))).collect()
}

fn parameter(line: usize, fields: &[&str]) -> Result<TunedParameter, LineError> {
    let &[name, kind, start, min, max, step, rate] = fields else {
        return Err(LineError::new(line, format!("{} fields instead of seven: {FIELDS}", fields.len())));
    };
    let kind = match kind {
        "int" => Kind::Integer,
        "float" => Kind::Real,
        _ => return Err(LineError::new(line, format!("{name}: {kind:?} is not int or float"))),
    };
    let number = |field, name| number(line, field, name);
    Ok(TunedParameter {
        name: name.to_owned(),
        kind,
        start: Some(number(start, "value")?),
        range: [number(min, "min")?, number(max, "max")?],
        step: Some(number(step, "c_end")?),
        rate: Some(number(rate, "r_end")?),
    })
}
