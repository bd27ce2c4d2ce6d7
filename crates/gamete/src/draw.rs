//! Positions drawn in the terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Color, RgbColor, Style};
use gamete_checkers::Kind;
use gamete_chess::{File, Rank};
use gamete_game::Game;

/// How pieces are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Pieces {
    /// Letters, capitals for White.
    Letters,
    /// The symbols that Unicode has for them.
    Symbols,
}

/// A board that can be drawn.
pub trait Draw: Game {
    /// The board as rows from the top, as White sees it.
    fn rows(&self, pieces: Pieces) -> Vec<Vec<Cell>>;

    /// The row and column of every square that a legal move touches.
    fn places(&self, mv: Self::Move) -> Vec<(usize, usize)>;

    /// What stands under the columns and beside the rows.
    fn labels(&self) -> Labels;
}

/// How a board is looked at.
#[derive(Debug, Clone)]
pub struct View {
    /// How pieces are shown.
    pub pieces: Pieces,
    /// Who sits below.
    pub below: gamete_game::Color,
    /// The rows and columns to mark, counted as White sees them.
    pub marks: Vec<(usize, usize)>,
}

/// A square and what stands on it.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    dark: bool,
    piece: Option<(char, gamete_game::Color)>,
    number: Option<u8>,
    /// Whether numbers need room on this board.
    wide: bool,
}

/// How the edges of a board are labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labels {
    /// Files a to h and ranks 1 to 8.
    Coordinates,
    /// Numbers on the squares that are used.
    Numbers,
}

const LIGHT: Color = Color::Rgb(RgbColor(0xb5, 0x88, 0x63));
const DARK: Color = Color::Rgb(RgbColor(0x76, 0x52, 0x3a));
const MARKED_LIGHT: Color = Color::Rgb(RgbColor(0x6f, 0x8f, 0x3a));
const MARKED_DARK: Color = Color::Rgb(RgbColor(0x4f, 0x70, 0x2a));
const WHITE: Color = Color::Rgb(RgbColor(0xff, 0xff, 0xff));
const BLACK: Color = Color::Rgb(RgbColor(0x10, 0x10, 0x10));

/// The board as text. Colours are written always and taken out by the stream if it is not a terminal.
pub fn draw(board: &impl Draw, view: &View) -> String {
    let mut text = String::new();
    let labels = board.labels();
    let rows = board.rows(view.pieces);
    let order = |count: usize| -> Vec<usize> {
        match view.below {
            gamete_game::Color::White => (0..count).collect(),
            gamete_game::Color::Black => (0..count).rev().collect(),
        }
    };
    for row in order(rows.len()) {
        match labels {
            Labels::Coordinates => write!(text, "{} ", 8 - row).expect("a string to write to"),
            Labels::Numbers => text.push_str("  "),
        }
        for column in order(rows[row].len()) {
            write_cell(&mut text, rows[row][column], view.marks.contains(&(row, column)));
        }
        text.push('\n');
    }
    if labels == Labels::Coordinates {
        let files: Vec<_> =
            order(8).into_iter().map(|file| char::from(File::index(file)).to_string()).collect();
        writeln!(text, "   {}", files.join("  ")).expect("a string to write to");
    }
    text
}

fn write_cell(text: &mut String, cell: Cell, marked: bool) {
    let background = match (marked, cell.dark) {
        (false, false) => LIGHT,
        (false, true) => DARK,
        (true, false) => MARKED_LIGHT,
        (true, true) => MARKED_DARK,
    };
    let color = cell.piece.map_or(AnsiColor::BrightBlack.into(), |(_, color)| match color {
        gamete_game::Color::White => WHITE,
        gamete_game::Color::Black => BLACK,
    });
    let content = match (cell.piece, cell.number, cell.wide) {
        (Some((letter, _)), Some(number), _) => format!("{letter}{number:<2}"),
        (None, Some(number), _) => format!(".{number:<2}"),
        (None, None, true) => "   ".to_owned(),
        (Some((letter, _)), None, _) => letter.to_string(),
        (None, None, false) if cell.dark => ".".to_owned(),
        (None, None, false) => " ".to_owned(),
    };
    let style = Style::new().bg_color(Some(background)).fg_color(Some(color));
    let style = if cell.piece.is_some() { style.bold() } else { style.dimmed() };
    // Brackets mark a square where colours are taken out; with colours nobody sees them.
    let [open, close] = if marked { ['[', ']'] } else { [' ', ' '] };
    let edge = Style::new().bg_color(Some(background)).fg_color(Some(background));
    write!(text, "{edge}{open}{edge:#}{style}{content}{style:#}{edge}{close}{edge:#}")
        .expect("a string to write to");
}

impl Draw for gamete_chess::Position {
    fn rows(&self, pieces: Pieces) -> Vec<Vec<Cell>> {
        let cell = |rank: Rank, file: File| {
            let square = gamete_chess::Square::new(file, rank);
            let piece =
                self.piece_at(square).map(|(color, piece)| (chess_piece(pieces, color, piece), color));
            Cell { dark: (rank as usize + file as usize).is_multiple_of(2), piece, number: None, wide: false }
        };
        let ranks = Rank::ALL.into_iter().rev();
        ranks.map(|rank| File::ALL.into_iter().map(|file| cell(rank, file)).collect()).collect()
    }

    fn places(&self, mv: Self::Move) -> Vec<(usize, usize)> {
        let castles = self.piece_at(mv.to).is_some_and(|(color, _)| color == self.turn());
        let to = match castles {
            true if mv.to.file() > mv.from.file() => gamete_chess::Square::new(File::G, mv.from.rank()),
            true => gamete_chess::Square::new(File::C, mv.from.rank()),
            false => mv.to,
        };
        [mv.from, to].map(|square| (7 - square.rank() as usize, square.file() as usize)).to_vec()
    }

    fn labels(&self) -> Labels {
        Labels::Coordinates
    }
}

fn chess_piece(pieces: Pieces, color: gamete_game::Color, piece: gamete_chess::Piece) -> char {
    let letter = char::from(piece);
    match (pieces, color) {
        (Pieces::Letters, gamete_game::Color::White) => letter.to_ascii_uppercase(),
        (Pieces::Letters, gamete_game::Color::Black) => letter,
        (Pieces::Symbols, gamete_game::Color::White) => ['♙', '♘', '♗', '♖', '♕', '♔'][piece as usize],
        (Pieces::Symbols, gamete_game::Color::Black) => ['♟', '♞', '♝', '♜', '♛', '♚'][piece as usize],
    }
}

impl Draw for gamete_checkers::Position {
    fn rows(&self, pieces: Pieces) -> Vec<Vec<Cell>> {
        let cell = |row: u32, column: u32| {
            let Some(square) = gamete_checkers::Square::at(row, column) else {
                return Cell { dark: false, piece: None, number: None, wide: true };
            };
            let piece =
                self.piece_at(square).map(|(color, kind)| (checkers_piece(pieces, color, kind), color));
            Cell { dark: true, piece, number: Some(square.number() as u8), wide: true }
        };
        (0..8).map(|row| (0..8).map(|column| cell(row, column)).collect()).collect()
    }

    fn places(&self, mv: Self::Move) -> Vec<(usize, usize)> {
        mv.path().into_iter().map(|square| (square.row() as usize, square.column() as usize)).collect()
    }

    fn labels(&self) -> Labels {
        Labels::Numbers
    }
}

fn checkers_piece(pieces: Pieces, color: gamete_game::Color, kind: Kind) -> char {
    match (pieces, color, kind) {
        (Pieces::Letters, gamete_game::Color::White, Kind::Man) => 'w',
        (Pieces::Letters, gamete_game::Color::White, Kind::King) => 'W',
        (Pieces::Letters, gamete_game::Color::Black, Kind::Man) => 'b',
        (Pieces::Letters, gamete_game::Color::Black, Kind::King) => 'B',
        (Pieces::Symbols, gamete_game::Color::White, Kind::Man) => '⛀',
        (Pieces::Symbols, gamete_game::Color::White, Kind::King) => '⛁',
        (Pieces::Symbols, gamete_game::Color::Black, Kind::Man) => '⛂',
        (Pieces::Symbols, gamete_game::Color::Black, Kind::King) => '⛃',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain<G: Draw>(fen: &str, mv: Option<&str>, below: gamete_game::Color) -> Vec<String> {
        let mut position: G = fen.parse().expect("a good FEN");
        let mut view = View { pieces: Pieces::Letters, below, marks: Vec::new() };
        if let Some(mv) = mv {
            let mv = position.parse_move(mv).expect("a legal move");
            view.marks = position.places(mv);
            position.play(mv);
        }
        let text = anstream::adapter::strip_str(&draw(&position, &view)).to_string();
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }

    #[test]
    fn a_move_is_marked_and_the_board_turned() {
        let castles = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let rows = plain::<gamete_chess::Position>(castles, Some("O-O"), gamete_game::Color::White);
        assert_eq!(rows[7..], ["1  .     .    [.] R [K]", "   a  b  c  d  e  f  g  h"]);
        let rows = plain::<gamete_chess::Position>(castles, Some("O-O"), gamete_game::Color::Black);
        assert_eq!([&rows[0], &rows[8]], ["1    [K] R [.]    .     .", "   h  g  f  e  d  c  b  a"]);

        let jumps = "W:W24,32:B10,19,20";
        let rows = plain::<gamete_checkers::Position>(jumps, Some("24x6"), gamete_game::Color::White);
        assert_eq!(rows[1], "   .5       [w6 ]      .7        .8");
        assert_eq!(rows[3], "   .13       .14      [.15]      .16");
        let rows = plain::<gamete_checkers::Position>(jumps, None, gamete_game::Color::Black);
        assert_eq!(rows[0], "        w32       .31       .30       .29");
    }
}
