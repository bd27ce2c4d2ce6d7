//! A game between people and computers at one board, without a terminal.

mod adviser;
mod computer;
mod game_session;
#[cfg(test)]
mod tests;
mod understand;

pub use adviser::{Adviser, Hint, line_text};
pub use computer::ComputerError;
use computer::{Choice, Computer};
pub use game_session::{
    ComputerMove, DrawAnswer, GameEnd, GameSession, SessionOptions, SessionSeat, TakenBack, WrongSeat,
};
use understand::understand;
pub use understand::{LegalMoves, MoveRefusal};
