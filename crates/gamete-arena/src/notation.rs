use gamete_chess::{CastlingStyle, Move, Pgn, Position};
use gamete_game::{Format, Game, Outcome, Tags, Transcript};

use crate::engine::written;

/// How the moves of chess are written in a game file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notation {
    /// `Nf3`, as PGN has it.
    #[default]
    San,
    /// `Ng1f3`, with the square that the piece comes from.
    Lan,
    /// `g1f3`, as UCI has it.
    Uci,
}

/// PGN with moves in any notation.
#[derive(Debug, Clone, Copy, Default)]
struct NotatedPgn {
    notation: Notation,
    castling: CastlingStyle,
}

/// A game of chess as PGN with moves in this notation.
pub(crate) fn notated_pgn(game: &Transcript<Position>, notation: Notation) -> Vec<u8> {
    let castling = if game.start.is_chess960() { CastlingStyle::Chess960 } else { CastlingStyle::Standard };
    written(game, NotatedPgn { notation, castling })
}

impl Format for NotatedPgn {
    type Game = Position;

    fn start(&self, tags: &Tags) -> Result<Position, String> {
        Pgn.start(tags)
    }

    fn parse_result(&self, word: &str) -> Option<Option<Outcome>> {
        Pgn.parse_result(word)
    }

    fn tags(&self, game: &Transcript<Position>) -> Tags {
        Pgn.tags(game)
    }

    fn result_text(&self, outcome: Option<Outcome>) -> &'static str {
        Pgn.result_text(outcome)
    }

    fn move_text(&self, position: &Position, mv: Move) -> String {
        match self.notation {
            Notation::San => position.move_text(mv),
            Notation::Lan => long_text(position, mv),
            Notation::Uci => position.uci(mv, self.castling),
        }
    }
}

/// `Ng1xf3+`: as in short notation, but with the whole square of origin.
fn long_text(position: &Position, mv: Move) -> String {
    let short = position.move_text(mv);
    if short.starts_with('O') {
        return short;
    }
    let squares = position.uci(mv, CastlingStyle::Standard);
    let piece = short.chars().next().filter(char::is_ascii_uppercase);
    let takes = if short.contains('x') { "x" } else { "" };
    let end = short.find(['=', '+', '#']).map_or("", |at| &short[at..]);
    let piece = piece.map_or_else(String::new, String::from);
    format!("{piece}{}{takes}{}{end}", &squares[..2], &squares[2..4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_notation_names_both_squares() {
        let long = |fen: &str, mv: &str| {
            let position: Position = fen.parse().unwrap();
            long_text(&position, position.parse_move(mv).unwrap())
        };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!([long(start, "Nf3"), long(start, "e4")], ["Ng1f3", "e2e4"]);
        let sharp = "r3k3/1P6/8/8/8/2n5/1P6/4K2R w Kq - 0 1";
        assert_eq!([long(sharp, "bxa8=Q+"), long(sharp, "bxc3")], ["b7xa8=Q+", "b2xc3"]);
        assert_eq!([long(sharp, "O-O"), long(sharp, "Rh8+")], ["O-O", "Rh1h8+"]);
    }
}
