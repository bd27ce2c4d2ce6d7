//! Deciding games before their end, by the rules of fastchess.

mod adjudicator;
mod rules;
mod verdict;

pub use adjudicator::Adjudicator;
pub use rules::{Adjudication, AtMaxMoves, DrawRule, ResignRule};
pub use verdict::{Verdict, VerdictReason};
