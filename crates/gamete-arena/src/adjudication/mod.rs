//! Deciding games before their end, by the rules of fastchess.

mod adjudicator;
mod move_cap;
mod rule_text;
mod rules;
mod tablebase;
mod verdict;

pub use adjudicator::Adjudicator;
pub use move_cap::MoveCap;
pub use rule_text::RuleError;
pub use rules::{Adjudication, AtMaxMoves, DrawRule, ResignRule};
pub(crate) use tablebase::syzygy_value;
pub use tablebase::{Tablebase, TablebaseDecides, TablebaseError, TablebaseRule, TablebaseValue};
pub use verdict::{Verdict, VerdictReason};
