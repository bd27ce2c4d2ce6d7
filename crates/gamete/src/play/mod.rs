//! Games played in the terminal.

mod advice;
mod input;
mod record;
mod resume;
mod score_sheet;
mod seat;
mod session;
mod thinker;
mod understand;

pub use resume::Resumed;
pub use score_sheet::ScoreSheet;
pub use seat::Seat;
pub use session::{Options, Session};
