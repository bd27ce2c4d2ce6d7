use std::io::Write;

use gamete_chess::{CastlingStyle, Position};
use gamete_game::{Game, Line};

/// The `position` command of a game, which grows with its moves.
#[derive(Debug)]
pub(crate) struct PositionText {
    text: Vec<u8>,
    style: CastlingStyle,
    start: Position,
    plies: usize,
    /// Of the position after those plies.
    key: u64,
}

impl PositionText {
    pub(crate) fn new() -> Self {
        let start = Position::start();
        let mut new =
            Self { text: Vec::with_capacity(4096), style: CastlingStyle::default(), key: 0, start, plies: 0 };
        new.restart(&Position::start());
        new
    }

    pub(crate) fn set_style(&mut self, style: CastlingStyle) {
        self.style = style;
        let start = self.start.clone();
        self.restart(&start);
    }

    /// Starts again at a position without any moves.
    pub(crate) fn restart(&mut self, start: &Position) {
        self.text.clear();
        if *start == Position::start() {
            self.text.extend_from_slice(b"position startpos");
        } else {
            write!(self.text, "position fen {start}").expect("room in memory");
        }
        self.start.clone_from(start);
        self.plies = 0;
        self.key = start.key();
    }

    /// Brings the command up to the end of a line, at the cost of the moves that are new.
    pub(crate) fn follow(&mut self, line: &Line<Position>) {
        if !self.is_continued_by(line) {
            self.restart(line.start());
        }
        let plies = line.moves().len();
        for back in (0..plies - self.plies).rev() {
            let position = line.earlier().nth(back).expect("a position before each move");
            let mv = line.moves().rev().nth(back).expect("as many moves");
            let head: &[u8] = if back + 1 == plies { b" moves " } else { b" " };
            self.text.extend_from_slice(head);
            self.text.extend_from_slice(position.uci(mv, self.style).as_bytes());
        }
        self.plies = plies;
        self.key = line.position().key();
    }

    fn is_continued_by(&self, line: &Line<Position>) -> bool {
        let Some(new) = line.moves().len().checked_sub(self.plies) else { return false };
        let then = if new == 0 { Some(line.position()) } else { line.earlier().nth(new - 1) };
        *line.start() == self.start && then.is_some_and(|position| position.key() == self.key)
    }

    /// Calls `send` with the command and what `write` puts behind it.
    pub(crate) fn with<T>(&mut self, write: impl FnOnce(&mut Vec<u8>), send: impl FnOnce(&[u8]) -> T) -> T {
        let length = self.text.len();
        write(&mut self.text);
        let sent = send(&self.text);
        self.text.truncate(length);
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &mut PositionText) -> String {
        text.with(|_| (), |text| String::from_utf8(text.to_vec()).unwrap())
    }

    fn play(line: &mut Line<Position>, moves: &str) {
        for mv in moves.split_whitespace() {
            line.play(line.position().parse_uci(mv).unwrap());
        }
    }

    #[test]
    fn moves_are_appended() {
        let mut position = PositionText::new();
        let mut line = Line::new(Position::start());
        position.follow(&line);
        assert_eq!(text(&mut position), "position startpos");
        play(&mut line, "e2e4");
        position.follow(&line);
        assert_eq!(text(&mut position), "position startpos moves e2e4");
        play(&mut line, "e7e5 g1f3 b8c6 f1c4 f8c5 e1g1");
        position.follow(&line);
        assert_eq!(text(&mut position), "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1");
        position.set_style(CastlingStyle::Chess960);
        position.follow(&line);
        assert_eq!(text(&mut position), "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1");
    }

    #[test]
    fn another_line_is_written_anew() {
        let mut position = PositionText::new();
        let mut line = Line::new(Position::start());
        play(&mut line, "e2e4 e7e5");
        position.follow(&line);
        line.undo();
        position.follow(&line);
        assert_eq!(text(&mut position), "position startpos moves e2e4");
        line.undo();
        play(&mut line, "d2d4 d7d5 c2c4");
        position.follow(&line);
        assert_eq!(text(&mut position), "position startpos moves d2d4 d7d5 c2c4");
        let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
        let mut line = Line::new(fen.parse().unwrap());
        play(&mut line, "e8d8");
        position.follow(&line);
        assert_eq!(text(&mut position), format!("position fen {fen} moves e8d8"));
    }
}
