//! Positions to learn from.
//!
//! A [`Corpus`] is a file of [`Sample`]s: positions with what an expert played there, who won, or what a mentor says they
//! are worth. Samples are drawn from games ([`draw_from_games`]); half are for learning, the others for seeing what was
//! learned. A [`Manifest`] says how the file was made, and its hash says which one it is.
//!
//! An [`ExpertTable`] has the features of every move that the experts could have played, so that a whole population is
//! compared with them by one matrix product. A [`MoveRanking`] finds the weights under which their moves are likeliest.

mod differences;
mod draw;
mod experts;
mod features;
mod file;
mod lbfgs;
mod manifest;
mod move_changes;
mod quiet;
mod ranking;
mod sample;

pub use differences::{Differences, DifferencesBy, KindDifferences, differences};
pub use draw::{DrawError, DrawOptions, Drawn, PassedOver, Take, draw_from_games};
pub use experts::{Agreement, ExpertTable, ExtractError, Leaf};
pub use file::{Corpus, CorpusError, Samples, check_output, write_corpus};
pub use lbfgs::Iterate;
pub use manifest::{Manifest, SourceFile};
pub use move_changes::MoveChanges;
pub use ranking::{MoveRanking, RankingScales};
pub use sample::{Part, Sample};
