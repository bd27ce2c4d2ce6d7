use gamete_game::{BoardGame, Diagram, DiagramPiece, Game, MoveCode, Tactics, TaggedText};

use crate::fen::letter;
use crate::position::{COLUMNS, ROWS};
use crate::{Column, Lines, Position};

impl Tactics for Position {
    const HISTORY_SIZE: usize = 2 * 64;

    fn history_index(&self, mv: Column) -> usize {
        self.turn as usize * 64 + self.landing(mv).trailing_zeros() as usize
    }

    fn code(mv: Column) -> MoveCode {
        MoveCode::new(u16::from(mv.0) + 1).expect("a number from 1")
    }
}

impl BoardGame for Position {
    type Format = TaggedText<Self>;
    type Models = (Lines,);

    const FILE_ENDING: &'static str = "c4";
    const MOVE_EXAMPLES: &'static str = "d or 4";

    fn diagram(&self) -> Diagram {
        let disc = |color| DiagramPiece::disc(color, letter(color));
        let piece = |row, column| self.disc_at(Column(column as u8), ROWS - 1 - row as u32).map(disc);
        let column_labels = Column::all().map(|column| self.move_text(column)).collect();
        Diagram { column_labels, turns: false, ..Diagram::plain(ROWS as usize, COLUMNS as usize, piece) }
    }

    fn clicked_alike(&self, mv: Column) -> Vec<(usize, usize)> {
        (0..ROWS as usize).map(|row| (row, usize::from(mv.0))).collect()
    }
}
