//! How large the whole numbers of a file may be.

use toml::{Table, Value};

use super::{ExperimentError, Playoff};

/// The largest whole numbers that keys may have, and the smallest, for what they say of others.
const RANGES: [(&str, i64, i64); 13] = [
    ("replicates", 1, MAX_RUNS),
    ("generations", 0, u32::MAX as i64),
    ("games", 0, i64::MAX),
    ("seed", 0, i64::MAX),
    ("population", 2, MAX_PLAYERS),
    ("survivors", 1, MAX_PLAYERS),
    ("children", 1, MAX_PLAYERS),
    ("opponents", 1, MAX_PLAYERS),
    ("max_moves", 1, 100_000),
    ("parents", 1, 1000),
    ("playoff.pairs", 0, Playoff::MAX_PAIRS as i64),
    ("playoff.classical", 0, Playoff::MAX_PAIRS as i64),
    ("playoff.plies", 0, Playoff::MAX_PLIES as i64),
];

/// More players would not meet in a lifetime.
const MAX_PLAYERS: i64 = 100_000;

/// More runs and play-offs of a study would not be over in one.
pub(super) const MAX_RUNS: i64 = 100_000;

/// Refuses whole numbers that would take more memory or time than there is.
pub(super) fn check_ranges(table: &Table, place: &str) -> Result<(), ExperimentError> {
    for (key, value) in table {
        let path = format!("{place}{key}");
        let numbers = match value {
            Value::Table(inner) if key == "playoff" => {
                check_ranges(inner, "playoff.")?;
                continue;
            }
            Value::Array(numbers) => numbers.as_slice(),
            value => std::slice::from_ref(value),
        };
        let Some(&(_, least, most)) = RANGES.iter().find(|(name, ..)| *name == path) else { continue };
        // What is too small by a little is told by those who know why.
        if let Some(number) =
            numbers.iter().filter_map(Value::as_integer).find(|&number| number < 0 || number > most)
        {
            let reason = format!("{number}: give a whole number from {least} to {most}");
            return Err(ExperimentError::value(&path, reason));
        }
    }
    Ok(())
}
