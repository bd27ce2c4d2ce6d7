//! Chess and Chess960, on the move generator of [`cozy_chess`].
//!
//! ```
//! use gamete_chess::Position;
//! use gamete_game::{Game, perft};
//!
//! let mut position = Position::start();
//! assert_eq!(perft(&position, 3), 8902);
//!
//! let mv = position.parse_move("Nf3").unwrap();
//! assert_eq!(position.uci(mv, Default::default()), "g1f3");
//! position.play(mv);
//! assert_eq!(position.to_string(), "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1");
//! ```

mod board_game;
mod epd;
mod fen;
mod models;
mod packed;
mod pgn;
mod position;
mod san;
mod tactics;
mod uci;

pub use cozy_chess::{BitBoard, Board, File, Move, Piece, Rank, Square};
pub use epd::{Epd, EpdError, EpdReadError, EpdReadErrorKind, EpdReader, Operand, Operation};
pub use fen::FenError;
pub use models::{Classic, KendallWhitwell, Material, MaterialPhased, Tapered};
pub use pgn::Pgn;
pub use position::Position;
pub use uci::CastlingStyle;
