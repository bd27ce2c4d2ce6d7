use cozy_chess::{File, Move, Piece, Rank, Square};
use gamete_game::{Game, MoveError};

use crate::Position;

/// How castling is written in UCI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CastlingStyle {
    /// The king's two squares, `e1g1`; where chess has no such move, as in Chess960.
    #[default]
    Standard,
    /// The king takes its rook, `e1h1`.
    Chess960,
}

impl Position {
    /// A legal move in UCI notation.
    pub fn uci(&self, mv: Move, style: CastlingStyle) -> String {
        let castles = self.board().color_on(mv.to) == Some(self.board().side_to_move());
        if castles && style == CastlingStyle::Standard && mv.from.file() == File::E {
            let file = if mv.to.file() > mv.from.file() { File::G } else { File::C };
            return Move { to: Square::new(file, mv.from.rank()), ..mv }.to_string();
        }
        mv.to_string()
    }

    /// The move that a UCI text means, with castling in either style.
    ///
    /// # Errors
    ///
    /// When the text is not a move, or not a legal one.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let mut mv: Move = text.parse().map_err(|_| MoveError::Syntax)?;
        let turn = self.board().side_to_move();
        let home = Rank::First.relative_to(turn);
        let from_home = mv.from == Square::new(File::E, home) && mv.from == self.board().king(turn);
        if from_home && self.board().piece_on(mv.to) != Some(Piece::Rook) && mv.to.rank() == home {
            let rights = self.board().castle_rights(turn);
            let rook = match mv.to.file() {
                File::G => rights.short,
                File::C => rights.long,
                _ => None,
            };
            if let Some(rook) = rook {
                mv.to = Square::new(rook, home);
            }
        }
        if self.is_legal(mv) { Ok(mv) } else { Err(MoveError::Illegal) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_is_read_and_written_in_both_styles() {
        let position: Position = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse().unwrap();
        for (standard, chess960) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
            let mv = position.parse_uci(standard).unwrap();
            assert_eq!(mv, position.parse_uci(chess960).unwrap());
            assert_eq!(position.uci(mv, CastlingStyle::Standard), standard);
            assert_eq!(position.uci(mv, CastlingStyle::Chess960), chess960);
        }
    }

    #[test]
    fn a_king_beside_its_rook_can_step_or_castle() {
        let position: Position = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1".parse().unwrap();
        let castles = position.parse_uci("f1g1").unwrap();
        assert_eq!(position.move_text(castles), "O-O");
        assert_eq!(position.uci(castles, CastlingStyle::Standard), "f1g1");
        assert_eq!(position.parse_uci("f1e1").map(|mv| position.move_text(mv)).unwrap(), "Ke1");
    }

    #[test]
    fn nonsense_and_illegal_moves_are_told_apart() {
        let position = Position::start();
        assert_eq!(position.parse_uci("e2e9"), Err(MoveError::Syntax));
        assert_eq!(position.parse_uci("e2e5"), Err(MoveError::Illegal));
        assert_eq!(position.parse_uci("e2e4q"), Err(MoveError::Illegal));
        assert_eq!(position.parse_uci("e1g1"), Err(MoveError::Illegal));
    }
}
