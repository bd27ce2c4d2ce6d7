//! Where games start: books of openings, and the order in which they are played.

mod book;
mod error;
mod opening;
mod order;
mod random;
mod read;
mod source;
mod text;

pub use book::Book;
pub use error::{BookError, BookErrorKind, BookPlace};
pub use opening::Opening;
pub use order::{OpeningOrder, OpeningWarning, Openings};
pub use random::{MAX_RANDOM_PLIES, RANDOM_PLIES, RandomOpenings};
pub use read::PositionReader;
pub(crate) use read::read_epd;
pub use source::OpeningSource;
pub use text::{OpeningText, StartPositions};
