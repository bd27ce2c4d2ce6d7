//! Files with a parameter in each line, its fields set apart by commas.

use super::LineError;

/// The lines that say something, with their numbers from 1.
pub fn content(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))
}

/// The fields of a line.
pub fn fields(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// A field that is a number.
pub fn number(line: usize, field: &str, name: &str) -> Result<f64, LineError> {
    field.parse().map_err(|_| LineError::new(line, format!("{name} {field:?} is not a number")))
}
