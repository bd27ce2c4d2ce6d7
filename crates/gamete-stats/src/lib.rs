//! What the results of games say: Elo, sequential tests, sample sizes, ratings. Numbers in, numbers out.
//!
//! The unit of evidence is a pair: two games from one opening, colours swapped. Its five kinds are the pentanomial.
//!
//! ```
//! use gamete_stats::{Decision, Model, Pentanomial, Results, Sprt};
//!
//! let pairs = Pentanomial { ll: 43, ld: 61, wl: 119, dd: 25, wd: 55, ww: 37 };
//! let results = Results::from(pairs);
//! assert_eq!(results.elo().to_string(), "-9.20 +/- 20.93");
//!
//! let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05)?;
//! assert_eq!(sprt.decision(sprt.llr(&results)), Decision::Continue);
//! # Ok::<(), gamete_stats::SprtError>(())
//! ```
//!
//! Formulas and sources are in `docs/statistics.md`.

mod brownian;
mod cross_table;
mod distribution;
mod elo;
mod fixed;
mod homogeneity;
mod matrix;
pub mod normal;
mod pair;
mod pentanomial;
mod proportion;
mod ratings;
pub mod report;
mod results;
mod sample;
mod spread;
mod sprt;
mod sprt_elo;
mod student;
mod trinomial;

pub use cross_table::CrossTable;
pub use elo::{Estimate, elo_of_score, elo_text, score_of_elo};
pub use fixed::fixed;
pub use homogeneity::{Homogeneity, Residual};
pub use pair::{GamePoints, PairResult, PairScore};
pub use pentanomial::Pentanomial;
pub use proportion::{Interval, sample_size, wilson, win_ratio_variance};
pub use ratings::{Anchor, Rating, RatingOptions, Ratings, RatingsError};
pub use results::Results;
pub use sample::{Sample, geometric_mean};
pub use spread::Spread;
pub use sprt::{Decision, Model, Sprt, SprtError, UnknownModel};
pub use sprt_elo::SprtElo;
pub use trinomial::Trinomial;
