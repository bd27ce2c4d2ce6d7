//! Positions to learn from.
//!
//! A [`Corpus`] is a file of [`Sample`]s: positions with what an expert played there, who won, or what a mentor says they
//! are worth. Samples are drawn from games, of files ([`draw_from_games`]) or played for it ([`draw_from_play`]), or taken from
//! suites ([`draw_from_suites`]), and a mentor may score them ([`ask_mentor`]); half are for learning, the others for seeing
//! what was learned. A [`Manifest`] says how the file was made, and its hash says which one it is.
//!
//! An [`ExpertTable`] has the features of every move that the experts could have played, so that a whole population is
//! compared with them by one matrix product; it is kept beside the corpus. A [`LogisticRegression`] finds the weights under which
//! their moves are likeliest. A [`MentorTable`] has the features of positions that a mentor scored, a [`ResultTable`] those of positions whose games were won or drawn. [`draw_openings`] makes books
//! of the positions after so many plies.

mod alternatives;
mod bytes;
mod cache;
mod differences;
mod draw;
mod experts;
mod extract;
mod features;
mod file;
mod lbfgs;
mod lesson;
mod logistic;
mod lookahead;
mod manifest;
mod mentor;
mod mentor_table;
mod openings;
mod own_search;
mod play;
mod puzzles;
mod result_table;
mod sample;
mod suites;
#[cfg(test)]
mod testing;
mod words;

pub use alternatives::Alternatives;
pub use differences::{Differences, DifferencesBy, KindDifferences, differences, differences_of_moves};
pub use draw::{DrawError, DrawOptions, Drawn, PassedOver, Take, draw_from_games};
pub use experts::{Agreement, ExpertTable};
pub use extract::{ExtractError, Leaf};
pub use file::{Corpus, CorpusError, Samples, check_output, write_corpus};
pub use lbfgs::Iterate;
pub use lesson::Lesson;
pub use logistic::{LogisticRegression, LogisticScales};
pub use manifest::{Manifest, SourceFile};
pub use mentor::{MAX_SCORE, MentorError, Scored, ask_mentor, searched_moves};
pub use mentor_table::MentorTable;
pub use openings::{DrawnOpenings, OpeningOptions, draw_openings};
pub use play::{Played, SelfPlay, draw_from_play};
pub use puzzles::{PuzzleOptions, draw_puzzles};
pub use result_table::ResultTable;
pub use sample::{Part, Sample};
pub use suites::draw_from_suites;
