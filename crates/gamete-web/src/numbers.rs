//! Numbers as JSON has them.

use serde_json::Value;

/// Data as JSON; numbers that are not finite are `null`.
///
/// # Panics
///
/// When the data are no plain data, which would be a mistake of ours.
pub fn json(data: &impl serde::Serialize) -> Value {
    serde_json::to_value(data).expect("plain data")
}
