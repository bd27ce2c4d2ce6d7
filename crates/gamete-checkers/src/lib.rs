//! English checkers, also called draughts.
//!
//! A [`Position`] is a [`Game`](gamete_game::Game) and reads and writes FEN:
//!
//! ```
//! use gamete_checkers::Position;
//! use gamete_game::Game;
//!
//! let mut position = Position::start();
//! position.play(position.parse_move("11-15")?);
//! position.play(position.parse_move("22-18")?);
//! assert_eq!(position.moves().len(), 1, "jumps are compulsory");
//! assert_eq!(
//!     position.to_string(),
//!     "B:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15"
//! );
//! # Ok::<(), gamete_game::MoveError>(())
//! ```
//!
//! Squares are numbered as players number them, with Black at the top and moving first:
//!
//! ```text
//!    1   2   3   4
//!  5   6   7   8
//!    9  10  11  12
//! 13  14  15  16
//!   17  18  19  20
//! 21  22  23  24
//!   25  26  27  28
//! 29  30  31  32
//! ```

mod ballots;
mod bitboard;
mod board_game;
mod direction;
mod fen;
mod models;
mod movegen;
mod moves;
mod notation;
mod pdn;
mod piece;
mod position;
mod rules;
mod square;
#[cfg(test)]
mod strategies;
mod tactics;
mod zobrist;

pub use ballots::{Ballot, BallotStatus, three_move_ballots, two_move_ballots};
pub use bitboard::Bitboard;
pub use fen::FenError;
pub use models::{Material, Squares, SquaresSymmetric};
pub use moves::Move;
pub use pdn::{Paths, Pdn, ResultOrder};
pub use piece::Kind;
pub use position::Position;
pub use rules::{Captures, MultiJumps, Rules};
pub use square::{ParseSquareError, Square};
