//! Connect four on 7 columns of 6 squares: the smallest game of Gamete, which `docs/adding-a-game.md` leads through.
//!
//! A [`Position`] is a [`Game`](gamete_game::Game). White begins and has the discs `x`, Black has `o`; a move is the
//! letter of a column, or its number from the left.
//!
//! ```
//! use gamete_connect_four::Position;
//! use gamete_game::{Game, perft};
//!
//! let mut position = Position::start();
//! assert_eq!(perft(&position, 4), 2401);
//! for text in ["d", "d", "3"] {
//!     position.play(position.parse_move(text)?);
//! }
//! assert_eq!(position.to_string(), "//x/xo/// o");
//! # Ok::<(), gamete_game::MoveError>(())
//! ```

mod board_game;
mod fen;
mod lines;
mod position;

pub use fen::FenError;
pub use lines::Lines;
pub use position::{Column, Position};
