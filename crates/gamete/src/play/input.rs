use std::io::{self, BufRead, IsTerminal, StdinLock, Write};
use std::path::PathBuf;

/// What somebody can say at the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A move, or what should be one.
    Move(String),
    /// Take moves back.
    Undo,
    /// Ask for a good move.
    Hint,
    /// Ask what the position is worth.
    Eval,
    /// Turn the board around.
    Flip,
    /// Draw the board.
    Board,
    /// List the legal moves.
    Moves,
    /// Print the position.
    Fen,
    /// Save the game, from now on to this file if there is one.
    Save(Option<PathBuf>),
    /// Give the game up.
    Resign,
    /// Offer a draw.
    Draw,
    /// Start another game.
    New,
    /// List the commands.
    Help,
    /// Leave.
    Quit,
}

/// The commands with their arguments and meaning.
pub const HELP: [(&str, &str); 13] = [
    ("undo", "take back your last move, and the answer to it"),
    ("hint", "ask for a good move"),
    ("eval", "what the position is worth, term by term"),
    ("moves", "list the legal moves"),
    ("board", "draw the board again"),
    ("flip", "turn the board around"),
    ("fen", "print the position"),
    ("save [FILE]", "save the game; from then on after every move"),
    ("draw", "offer a draw"),
    ("resign", "give the game up"),
    ("new", "start another game"),
    ("help", "this list"),
    ("quit", "leave; so does the end of the input"),
];

impl Command {
    /// What a line means.
    pub fn parse(line: &str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let command = match word.to_lowercase().as_str() {
            "save" => {
                return Self::Save(Some(rest.trim()).filter(|rest| !rest.is_empty()).map(PathBuf::from));
            }
            "undo" | "u" => Self::Undo,
            "hint" => Self::Hint,
            "eval" => Self::Eval,
            "flip" => Self::Flip,
            "board" => Self::Board,
            "moves" => Self::Moves,
            "fen" => Self::Fen,
            "resign" => Self::Resign,
            "draw" => Self::Draw,
            "new" => Self::New,
            "help" | "?" => Self::Help,
            "quit" | "exit" | "q" => Self::Quit,
            _ => return Self::Move(line.to_owned()),
        };
        if rest.is_empty() { command } else { Self::Move(line.to_owned()) }
    }
}

/// The lines that people type, or that a script has for them.
pub struct Input {
    lines: StdinLock<'static>,
    prompts: bool,
}

impl Input {
    /// The standard input, with prompts if somebody sees them.
    pub fn new() -> Self {
        let prompts = io::stdin().is_terminal() && io::stdout().is_terminal();
        Self { lines: io::stdin().lock(), prompts }
    }

    /// The next line that is not empty, or `None` at the end.
    ///
    /// # Errors
    ///
    /// When the input cannot be read or the prompt not be written.
    pub fn line(&mut self, out: &mut impl Write, prompt: &str) -> io::Result<Option<String>> {
        loop {
            if self.prompts {
                write!(out, "{prompt}> ")?;
                out.flush()?;
            }
            let mut bytes = Vec::new();
            if self.lines.read_until(b'\n', &mut bytes)? == 0 {
                if self.prompts {
                    writeln!(out)?;
                }
                return Ok(None);
            }
            let line = String::from_utf8_lossy(&bytes).trim().to_owned();
            if !line.is_empty() {
                return Ok(Some(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_command_is_a_move() {
        assert_eq!(Command::parse(" Undo\n"), Command::Undo);
        assert_eq!(Command::parse("undo 3"), Command::Move("undo 3".to_owned()));
        assert_eq!(Command::parse("save"), Command::Save(None));
        assert_eq!(Command::parse("save my game.pgn"), Command::Save(Some("my game.pgn".into())));
        assert_eq!(Command::parse("11 15"), Command::Move("11 15".to_owned()));
    }
}
