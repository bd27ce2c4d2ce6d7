use std::fmt;
use std::str::FromStr;

use gamete_game::{ByColor, Color, Game};

use crate::{Bitboard, Position, Square};

/// Why a text is not the FEN of a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The first field is neither `B` nor `W`.
    #[error("side to move: expected B or W, found {0:?}")]
    Turn(String),
    /// A list of pieces begins with neither `B` nor `W`.
    #[error("pieces: expected a list that begins with B or W, found {0:?}")]
    Color(String),
    /// There is no list of one side's pieces.
    #[error("{0} pieces: no such field")]
    MissingPieces(Color),
    /// There are two lists of one side's pieces.
    #[error("{0} pieces: the field is there twice")]
    PiecesTwice(Color),
    /// An entry of a list is not a square or a range of squares.
    #[error("{color} pieces: expected a square from 1 to 32, found {entry:?}")]
    Square {
        /// Whose list it is.
        color: Color,
        /// The entry as written.
        entry: String,
    },
    /// A square has two pieces.
    #[error("{color} pieces: square {square} is already taken")]
    SquareTwice {
        /// Whose list it is.
        color: Color,
        /// The square.
        square: Square,
    },
    /// A man stands where he would have been crowned.
    #[error("{color} pieces: the man on {square} would be a king")]
    UncrownedMan {
        /// Whose list it is.
        color: Color,
        /// The square.
        square: Square,
    },
    /// A side has more than twelve pieces.
    #[error("{color} pieces: at most 12, found {count}")]
    TooManyPieces {
        /// Whose list it is.
        color: Color,
        /// How many there are.
        count: usize,
    },
}

/// The colours may come in either order; ranges like `21-32`, blanks, counters like `H0:F1` and a final full stop are
/// understood.
impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        let text = text.trim();
        let mut fields = text.strip_suffix('.').unwrap_or(text).split(':').map(str::trim);
        let turn = fields.next().unwrap_or_default();
        let Some((turn, "")) = split_color(turn) else {
            return Err(FenError::Turn(turn.to_owned()));
        };

        let mut lists = ByColor::<Option<List>>::default();
        let mut taken = Bitboard::EMPTY;
        for field in fields.filter(|field| !is_counter(field)) {
            let (color, entries) = split_color(field).ok_or_else(|| FenError::Color(field.to_owned()))?;
            if lists[color].is_some() {
                return Err(FenError::PiecesTwice(color));
            }
            let list = List::parse(color, entries, taken)?;
            taken |= list.pieces;
            lists[color] = Some(list);
        }
        let list = |color| lists[color].ok_or(FenError::MissingPieces(color));
        let (white, black) = (list(Color::White)?, list(Color::Black)?);
        let pieces = ByColor { white: white.pieces, black: black.pieces };
        Ok(Self::from_pieces(pieces, white.kings | black.kings, turn))
    }
}

/// `H0` and `F1`, with which some programs count moves; positions of ours have no such counters.
fn is_counter(field: &str) -> bool {
    let digits = field.strip_prefix(['H', 'F']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn split_color(text: &str) -> Option<(Color, &str)> {
    let color = match text.bytes().next()? {
        b'W' | b'w' => Color::White,
        b'B' | b'b' => Color::Black,
        _ => return None,
    };
    Some((color, text[1..].trim_start()))
}

/// The pieces of one side.
#[derive(Clone, Copy)]
struct List {
    pieces: Bitboard,
    kings: Bitboard,
}

impl List {
    fn parse(color: Color, entries: &str, taken: Bitboard) -> Result<Self, FenError> {
        let mut list = Self { pieces: Bitboard::EMPTY, kings: Bitboard::EMPTY };
        for entry in entries.split(',').map(str::trim).filter(|_| !entries.is_empty()) {
            let squares = entry.strip_prefix(['K', 'k']);
            let is_king = squares.is_some();
            let squares = parse_range(squares.unwrap_or(entry).trim_start())
                .ok_or_else(|| FenError::Square { color, entry: entry.to_owned() })?;
            for square in squares {
                if (taken | list.pieces).contains(square) {
                    return Err(FenError::SquareTwice { color, square });
                }
                if !is_king && Position::crown_row(color).contains(square) {
                    return Err(FenError::UncrownedMan { color, square });
                }
                list.pieces |= square.bitboard();
                if is_king {
                    list.kings |= square.bitboard();
                }
            }
        }
        let count = list.pieces.len();
        if count > Position::MAX_PIECES { Err(FenError::TooManyPieces { color, count }) } else { Ok(list) }
    }
}

/// The squares of `21` or `21-32`.
fn parse_range(text: &str) -> Option<impl Iterator<Item = Square> + use<>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last): (Square, Square) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then(|| (first.number()..=last.number()).filter_map(Square::new))
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |color| if color == Color::White { 'W' } else { 'B' };
        write!(f, "{}", letter(self.turn()))?;
        for color in Color::ALL {
            write!(f, ":{}", letter(color))?;
            for (n, square) in Square::all().filter(|&square| self.pieces(color).contains(square)).enumerate()
            {
                let comma = if n > 0 { "," } else { "" };
                let king = if self.kings().contains(square) { "K" } else { "" };
                write!(f, "{comma}{king}{square}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Rules;
    use crate::strategies::{reachable, scattered};

    fn error(text: &str) -> String {
        text.parse::<Position>().expect_err("a bad FEN").to_string()
    }

    #[test]
    fn the_start_is_written_as_everybody_does() {
        let start = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
        assert_eq!(Position::start().to_string(), start);
        assert_eq!(start.parse(), Ok(Position::start()));
    }

    #[test]
    fn order_ranges_blanks_and_full_stop_do_not_matter() {
        for text in
            ["B:W21-32:B1-12.", " b : b 1-12 : w 21-32 . ", "B:B1-4,5-12:W21-31,32\n", "B:W21-32:B1-12:H0:F1"]
        {
            assert_eq!(text.parse(), Ok(Position::start()), "{text}");
        }
        let kings: Position = "W:WK1-3,k 5:B".parse().expect("a FEN");
        assert_eq!(kings.to_string(), "W:WK1,K2,K3,K5:B");
    }

    #[test]
    fn errors_name_the_field_and_what_is_wrong_there() {
        assert_eq!(error(""), "side to move: expected B or W, found \"\"");
        assert_eq!(error("W21:B1"), "side to move: expected B or W, found \"W21\"");
        assert_eq!(error("B:W21:R1"), "pieces: expected a list that begins with B or W, found \"R1\"");
        assert_eq!(error("B:W21"), "Black pieces: no such field");
        assert_eq!(error("B:W21:W22:B1"), "White pieces: the field is there twice");
        assert_eq!(error("B:W21,33:B1"), "White pieces: expected a square from 1 to 32, found \"33\"");
        assert_eq!(error("B:W21,:B1"), "White pieces: expected a square from 1 to 32, found \"\"");
        assert_eq!(error("B:W25-21:B1"), "White pieces: expected a square from 1 to 32, found \"25-21\"");
        assert_eq!(error("B:W21:B1,K21"), "Black pieces: square 21 is already taken");
        assert_eq!(error("B:W21,4:B1"), "White pieces: the man on 4 would be a king");
        assert_eq!(error("B:W21-32:B1-13"), "Black pieces: at most 12, found 13");
    }

    proptest! {
        #[test]
        fn parsing_undoes_display(position in prop_oneof![scattered(), reachable()]) {
            let position = position.with_rules(Rules::ENGLISH);
            let again: Position = position.to_string().parse().expect("a FEN");
            prop_assert_eq!(&again, &position);
            prop_assert_eq!(again.key(), position.key());
        }

        #[test]
        fn any_text_is_refused_or_read(text in "[BW]?:[BWbwK0-9,.: -]{0,40}|.*") {
            if let Ok(position) = text.parse::<Position>() {
                prop_assert_eq!(position.to_string().parse(), Ok(position));
            }
        }
    }
}
