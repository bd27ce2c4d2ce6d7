use serde::{Deserialize, Serialize};

/// What is known of a move beyond its thought, kept only where it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveDetail {
    /// Milliseconds on the mover's clock after the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_left_ms: Option<u64>,
    /// Positions a second, by the mover's own count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// Thousandths of its table in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    /// Positions that it found in endgame tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_hits: Option<u64>,
    /// The line that it expects, as it wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pv: Option<String>,
}
