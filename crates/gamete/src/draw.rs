//! Positions drawn in the terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Color, RgbColor, Style};
use gamete_game::{BoardGame, DiagramSquare};

/// How pieces are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Pieces {
    /// Letters, capitals for White.
    Letters,
    /// Unicode symbols.
    Symbols,
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

const LIGHT: Color = Color::Rgb(RgbColor(0xb5, 0x88, 0x63));
const DARK: Color = Color::Rgb(RgbColor(0x76, 0x52, 0x3a));
const MARKED_LIGHT: Color = Color::Rgb(RgbColor(0x6f, 0x8f, 0x3a));
const MARKED_DARK: Color = Color::Rgb(RgbColor(0x4f, 0x70, 0x2a));
const WHITE: Color = Color::Rgb(RgbColor(0xff, 0xff, 0xff));
const BLACK: Color = Color::Rgb(RgbColor(0x10, 0x10, 0x10));

/// The board as text. Colours are written always and taken out by the stream if it is not a terminal.
pub fn draw(position: &impl BoardGame, view: &View) -> String {
    let mut text = String::new();
    let diagram = position.diagram();
    let order = |count: usize| -> Vec<usize> {
        if diagram.turns && view.below == gamete_game::Color::Black {
            (0..count).rev().collect()
        } else {
            (0..count).collect()
        }
    };
    // Numbers need room on squares, and labels beside rows, those of other games as much as those of chess.
    let wide = diagram.iter().any(|square| square.number.is_some());
    let margin = diagram.row_labels.iter().map(String::len).max().unwrap_or(1);
    for row in order(diagram.squares.len()) {
        let label = diagram.row_labels.get(row).map_or("", String::as_str);
        write!(text, "{label:<margin$} ").expect("a string to write to");
        for column in order(diagram.columns()) {
            let marked = view.marks.contains(&(row, column));
            write_square(&mut text, diagram.squares[row][column], view.pieces, wide, marked);
        }
        text.push('\n');
    }
    if !diagram.column_labels.is_empty() {
        let width = if wide { 5 } else { 3 };
        let labels = order(diagram.columns()).into_iter().map(|column| &diagram.column_labels[column]);
        let labels: String = labels.map(|label| format!("{label:^width$}")).collect();
        writeln!(text, "{:margin$} {}", "", labels.trim_end()).expect("a string to write to");
    }
    text
}

fn write_square(text: &mut String, square: DiagramSquare, pieces: Pieces, wide: bool, marked: bool) {
    let background = match (marked, square.dark) {
        (false, false) => LIGHT,
        (false, true) => DARK,
        (true, false) => MARKED_LIGHT,
        (true, true) => MARKED_DARK,
    };
    let color = square.piece.map_or(AnsiColor::BrightBlack.into(), |piece| match piece.color {
        gamete_game::Color::White => WHITE,
        gamete_game::Color::Black => BLACK,
    });
    let piece = square.piece.map(|piece| match pieces {
        Pieces::Letters => piece.letter,
        Pieces::Symbols => piece.symbol,
    });
    let content = match (piece, square.number, wide) {
        (Some(piece), Some(number), _) => format!("{piece}{number:<2}"),
        (None, Some(number), _) => format!(".{number:<2}"),
        (None, None, true) => "   ".to_owned(),
        (Some(piece), None, _) => piece.to_string(),
        (None, None, false) if square.dark => ".".to_owned(),
        (None, None, false) => " ".to_owned(),
    };
    let style = Style::new().bg_color(Some(background)).fg_color(Some(color));
    let style = if square.piece.is_some() { style.bold() } else { style.dimmed() };
    // Brackets mark a square where colours are taken out; with colours nobody sees them.
    let [open, close] = if marked { ['[', ']'] } else { [' ', ' '] };
    let edge = Style::new().bg_color(Some(background)).fg_color(Some(background));
    write!(text, "{edge}{open}{edge:#}{style}{content}{style:#}{edge}{close}{edge:#}")
        .expect("a string to write to");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain<G: BoardGame>(fen: &str, mv: Option<&str>, below: gamete_game::Color) -> Vec<String> {
        let mut position: G = fen.parse().expect("a good FEN");
        let mut view = View { pieces: Pieces::Letters, below, marks: Vec::new() };
        if let Some(mv) = mv {
            let mv = position.parse_move(mv).expect("a legal move");
            view.marks = position.marks(mv);
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
