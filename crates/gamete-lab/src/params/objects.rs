//! Files in JSON: which form they have, and where in them something stands.

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
    serde_json::from_str(text).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
        LineError::new(error.line(), format!("not JSON: {reason}"))
    })
}

/// The line of a key, from 1.
pub fn line_of(text: &str, key: &str) -> usize {
    let quoted = Value::from(key).to_string();
    let place = text.find(&quoted).unwrap_or(0);
    text[..place].matches('\n').count() + 1
}
