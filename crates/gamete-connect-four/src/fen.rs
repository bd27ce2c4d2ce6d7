use std::fmt;
use std::str::FromStr;

use gamete_game::Color;

use crate::position::{BOARD, COLUMNS, ROWS};
use crate::{Column, Position};

/// Why a text is not a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FenError(&'static str);

const SHAPE: FenError =
    FenError("expected 7 columns of x and o from the bottom, and who is to move, as in ///x/// o");

pub(crate) fn letter(color: Color) -> char {
    ['x', 'o'][color as usize]
}

/// The columns from the left, each from the bottom, with `x` for White and `o` for Black, and who is to move.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let discs = |column| (0..ROWS).filter_map(move |row| self.disc_at(column, row)).map(letter);
        let columns: Vec<String> = Column::all().map(|column| discs(column).collect()).collect();
        write!(f, "{} {}", columns.join("/"), letter(self.turn))
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        let color = |letter| Color::ALL.into_iter().find(|&color| self::letter(color) == letter).ok_or(SHAPE);
        let (columns, turn) = text.trim().split_once(' ').ok_or(SHAPE)?;
        let turn = color(turn.parse().map_err(|_| SHAPE)?)?;
        let mut position = Self { discs: [0, 0], turn };
        for (column, discs) in Column::all().zip(columns.split('/')) {
            for letter in discs.chars() {
                position.discs[color(letter)? as usize] |= position.landing(column);
            }
        }
        if columns.split('/').count() != COLUMNS as usize || position.occupied() & !BOARD != 0 {
            return Err(SHAPE);
        }
        let [own, other] = [turn, !turn].map(|color| position.discs[color as usize].count_ones());
        if own != other && own + 1 != other {
            return Err(FenError("the discs are not of players who take turns"));
        }
        if position.has_four(turn) { Err(FenError("four in a row of who is to move")) } else { Ok(position) }
    }
}
