//! Deciding games before their end, by the rules of fastchess.

mod adjudicator;
mod move_cap;
mod rules;
mod verdict;

pub use adjudicator::Adjudicator;
pub use move_cap::MoveCap;
pub use rules::{Adjudication, AtMaxMoves, DrawRule, ResignRule};
pub use verdict::{Verdict, VerdictReason};
