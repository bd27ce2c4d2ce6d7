use std::fmt::Write;

use gamete_game::Thought;

use crate::task::MoveDetail;

/// What is written of a game besides its moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordStyle {
    /// Whether to leave out all comments, and all tags but those that a game must have.
    pub minimal: bool,
    /// `n=`, positions searched.
    pub nodes: bool,
    /// `sd=`, the deepest line looked at.
    pub selective_depth: bool,
    /// `tl=`, the time left after the move.
    pub time_left: bool,
    /// `nps=`, positions a second.
    pub speed: bool,
    /// `hashfull=`, thousandths of the table in use.
    pub hashfull: bool,
    /// `tbhits=`, positions found in endgame tables.
    pub table_hits: bool,
    /// `pv=`, the line that the mover expects.
    pub pv: bool,
}

impl Default for RecordStyle {
    fn default() -> Self {
        let (time_left, speed, hashfull, table_hits, pv) = (false, false, false, false, false);
        let (nodes, selective_depth) = (true, true);
        Self { minimal: false, nodes, selective_depth, time_left, speed, hashfull, table_hits, pv }
    }
}

impl RecordStyle {
    /// Whether it takes more of each move than its [`Thought`].
    pub fn wants_details(&self) -> bool {
        !self.minimal && (self.time_left || self.speed || self.hashfull || self.table_hits || self.pv)
    }

    /// The comment on a move, in the order of fastchess.
    pub(super) fn comment(&self, thought: Option<&Thought>, detail: Option<&MoveDetail>) -> String {
        let mut text = thought.map_or_else(
            || "no score".to_owned(),
            |thought| Thought { nodes: None, selective_depth: None, ..*thought }.to_string(),
        );
        let mut add = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                write!(text, ", {key}={value}").expect("room in memory");
            }
        };
        let number =
            |wanted: bool, value: Option<u64>| value.filter(|_| wanted).map(|value| value.to_string());
        let seconds = |ms: u64| format!("{}.{:03}s", ms / 1000, ms % 1000);
        add("tl", detail.and_then(|detail| detail.time_left_ms).filter(|_| self.time_left).map(seconds));
        add("n", number(self.nodes, thought.and_then(|thought| thought.nodes)));
        let deepest = thought.and_then(|thought| thought.selective_depth).map(u64::from);
        add("sd", number(self.selective_depth, deepest));
        if let Some(detail) = detail {
            add("nps", number(self.speed, detail.nps));
            add("hashfull", number(self.hashfull, detail.hashfull.map(u64::from)));
            add("tbhits", number(self.table_hits, detail.table_hits));
            let pv = detail.pv.as_ref().filter(|pv| self.pv && !pv.is_empty());
            add("pv", pv.map(|pv| format!("\"{}\"", pv.replace('"', "'"))));
        }
        text
    }
}
