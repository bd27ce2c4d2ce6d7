use std::io::{self, Write};

use super::{Format, Transcript};
use crate::Game;

const COLUMNS: usize = 80;

/// Writes games as text: the seven tags first, lines of at most 80 columns.
pub struct TranscriptWriter<W, F> {
    out: W,
    format: F,
    column: usize,
}

impl<W: Write, F: Format> TranscriptWriter<W, F> {
    /// Writes to `out`, which had better be buffered.
    pub fn new(out: W, format: F) -> Self {
        Self { out, format, column: 0 }
    }

    /// Writes a game and the empty line behind it.
    ///
    /// # Errors
    ///
    /// When `out` fails.
    pub fn write(&mut self, game: &Transcript<F::Game>) -> io::Result<()> {
        for (name, value) in self.format.tags(game).with_roster().iter() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " ");
            writeln!(self.out, "[{name} \"{value}\"]")?;
        }
        writeln!(self.out)?;
        self.write_moves(game)?;
        self.word(self.format.result_text(game.outcome))?;
        self.column = 0;
        self.out.write_all(b"\n\n")
    }

    /// Gives back what was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn write_moves(&mut self, game: &Transcript<F::Game>) -> io::Result<()> {
        let starter = F::Game::start().turn();
        let mut position = game.start.clone();
        self.comment(game.comment.as_deref())?;
        let mut number_due = true;
        for ply in &game.plies {
            let number = position.move_number();
            if position.turn() == starter {
                self.word(&format!("{number}."))?;
            } else if number_due {
                self.word(&format!("{number}..."))?;
            }
            self.word(&self.format.move_text(&position, ply.mv))?;
            for nag in &ply.nags {
                self.word(&format!("${nag}"))?;
            }
            self.comment(ply.comment.as_deref())?;
            number_due = ply.comment.is_some();
            position.play(ply.mv);
        }
        Ok(())
    }

    fn comment(&mut self, comment: Option<&str>) -> io::Result<()> {
        let Some(comment) = comment else {
            return Ok(());
        };
        // A brace cannot be told from the end of the comment.
        let text = format!("{{{}}}", comment.replace('}', ")").replace(char::is_control, " "));
        text.split_whitespace().try_for_each(|word| self.word(word))
    }

    fn word(&mut self, word: &str) -> io::Result<()> {
        let width = word.chars().count();
        if self.column > 0 && self.column + 1 + width > COLUMNS {
            self.out.write_all(b"\n")?;
            self.column = 0;
        } else if self.column > 0 {
            self.out.write_all(b" ")?;
            self.column += 1;
        }
        self.column += width;
        self.out.write_all(word.as_bytes())
    }
}
