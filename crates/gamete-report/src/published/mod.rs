//! Numbers that were printed elsewhere, to set ours beside.

mod genetic_algorithms;
mod mutation;
mod piece_difference;
mod piece_values;

pub use genetic_algorithms::{HITS, SUITE_SEARCH, SuiteSearch, search_setting};
pub use mutation::{MutationRow, mutation_study, setting};
pub use piece_difference::{KING_IN_MEN, PieceDifference, Question, piece_difference};
pub use piece_values::{PIECE_VALUES, PieceValues};
