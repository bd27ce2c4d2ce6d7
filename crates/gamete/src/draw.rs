//! Positions drawn in the terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Color, RgbColor, Style};
use gamete_checkers::Kind;
use gamete_chess::{File, Rank};

/// How pieces are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Pieces {
    /// Letters, capitals for White.
    Letters,
    /// The symbols that Unicode has for them.
    Symbols,
}

/// A board that can be drawn.
pub trait Draw {
    /// The board as rows from the top, as White sees it.
    fn rows(&self, pieces: Pieces) -> Vec<Vec<Cell>>;

    /// What stands under the columns and beside the rows.
    fn labels(&self) -> Labels;
}

/// A square and what stands on it.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    dark: bool,
    piece: Option<(char, gamete_game::Color)>,
    number: Option<u8>,
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
const WHITE: Color = Color::Rgb(RgbColor(0xff, 0xff, 0xff));
const BLACK: Color = Color::Rgb(RgbColor(0x10, 0x10, 0x10));

/// The board as text. Colours are written always and taken out by the stream if it is not a terminal.
pub fn draw(board: &impl Draw, pieces: Pieces) -> String {
    let mut text = String::new();
    let labels = board.labels();
    for (index, row) in board.rows(pieces).iter().enumerate() {
        match labels {
            Labels::Coordinates => write!(text, "{} ", 8 - index).expect("a string to write to"),
            Labels::Numbers => text.push_str("  "),
        }
        for cell in row {
            write_cell(&mut text, *cell);
        }
        text.push('\n');
    }
    if labels == Labels::Coordinates {
        text.push_str("   a  b  c  d  e  f  g  h\n");
    }
    text
}

fn write_cell(text: &mut String, cell: Cell) {
    let background = if cell.dark { DARK } else { LIGHT };
    let color = cell.piece.map_or(AnsiColor::BrightBlack.into(), |(_, color)| match color {
        gamete_game::Color::White => WHITE,
        gamete_game::Color::Black => BLACK,
    });
    let mut style = Style::new().bg_color(Some(background)).fg_color(Some(color));
    let content = match (cell.piece, cell.number) {
        (Some((letter, _)), None) => format!(" {letter} "),
        (Some((letter, _)), Some(number)) => format!("{letter}{number:<2}"),
        (None, Some(number)) => format!(".{number:<2}"),
        (None, None) if cell.dark => " . ".to_owned(),
        (None, None) => "   ".to_owned(),
    };
    if cell.piece.is_some() {
        style = style.bold();
    } else {
        style = style.dimmed();
    }
    write!(text, "{style}{content}{style:#}").expect("a string to write to");
}

impl Draw for gamete_chess::Position {
    fn rows(&self, pieces: Pieces) -> Vec<Vec<Cell>> {
        let cell = |rank: Rank, file: File| {
            let square = gamete_chess::Square::new(file, rank);
            let piece =
                self.piece_at(square).map(|(color, piece)| (chess_piece(pieces, color, piece), color));
            Cell { dark: (rank as usize + file as usize).is_multiple_of(2), piece, number: None }
        };
        let ranks = Rank::ALL.into_iter().rev();
        ranks.map(|rank| File::ALL.into_iter().map(|file| cell(rank, file)).collect()).collect()
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
                return Cell { dark: false, piece: None, number: None };
            };
            let piece =
                self.piece_at(square).map(|(color, kind)| (checkers_piece(pieces, color, kind), color));
            Cell { dark: true, piece, number: Some(square.number() as u8) }
        };
        (0..8).map(|row| (0..8).map(|column| cell(row, column)).collect()).collect()
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
