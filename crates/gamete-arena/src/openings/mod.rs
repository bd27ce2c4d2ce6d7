//! Where games start: books of openings, and the order in which they are played.

mod book;
mod error;
mod opening;
mod order;
mod read;
mod text;

pub use book::Book;
pub use error::{BookError, BookErrorKind, BookPlace};
pub use opening::Opening;
pub use order::{OpeningOrder, OpeningWarning, Openings};
pub use read::HasBooks;
pub use text::OpeningText;
