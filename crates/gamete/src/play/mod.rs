//! Games played in the terminal.

mod advice;
mod input;
mod record;
mod resume;
mod saved_game;
mod seat;
mod terminal_game;

pub use resume::Resumed;
pub use saved_game::SavedGame;
pub use seat::Seat;
pub use terminal_game::{Options, Start, TerminalGame};
