//! One search for every game.
//!
//! A [`Searcher`] finds the best move of any game that implements [`Tactics`](gamete_game::Tactics), with any
//! evaluator. [`SearchSettings`] says which techniques it uses: with all of them off it is plain minimax, and
//! those that are exact never change its result. Everything but time is deterministic.

mod depth;
mod frontier;
mod limit;
mod memo;
mod ordering;
mod picker;
mod plain;
mod quiescence;
mod search;
mod search_result;
mod searcher;
mod settings;
mod table;
mod window;

pub use limit::{Clock, Limit};
pub use search_result::{Info, SearchResult};
pub use searcher::Searcher;
pub use settings::{Quiescence, SearchSettings, Setting};
