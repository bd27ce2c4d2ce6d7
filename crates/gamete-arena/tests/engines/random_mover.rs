//! An engine that plays random moves as quickly as it can, to measure what a match costs beside thinking.
//!
//! The argument is the seed. It keeps the game it was told last, and plays only the moves that are new.

use std::io::{self, BufRead, Write};

use gamete_chess::{CastlingStyle, Position};
use gamete_game::Game;

struct Mover {
    position: Position,
    /// The command that led to the position.
    known: String,
    style: CastlingStyle,
    random: u64,
}

impl Mover {
    fn set_position(&mut self, command: &str) {
        let new =
            command.strip_prefix(self.known.as_str()).filter(|rest| rest.is_empty() || rest.starts_with(' '));
        let moves = match new {
            Some(moves) if !self.known.is_empty() => moves,
            _ => {
                let (start, moves) = command.split_once(" moves").unwrap_or((command, ""));
                self.position = match start.strip_prefix("position fen ") {
                    Some(fen) => fen.parse().unwrap_or_else(|_| Position::start()),
                    None => Position::start(),
                };
                moves
            }
        };
        for mv in moves.split_ascii_whitespace().filter(|&word| word != "moves") {
            if let Ok(mv) = self.position.parse_uci(mv) {
                self.position.play(mv);
            }
        }
        command.clone_into(&mut self.known);
    }

    fn go(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let moves = self.position.moves();
        if moves.is_empty() {
            return out.write_all(b"info depth 0 score cp 0\nbestmove (none)\n");
        }
        // An xorshift generator, after Marsaglia.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let mv = self.position.uci(moves[(self.random >> 33) as usize % moves.len()], self.style);
        writeln!(out, "info depth 1 seldepth 1 score cp 0 nodes 1 nps 1 time 0 pv {mv}\nbestmove {mv}")
    }
}

const INTRODUCTION: &str = "id name Random Mover
id author the Gamete authors
option name Threads type spin default 1 min 1 max 1
option name Hash type spin default 16 min 1 max 64
option name Clear Hash type button
option name UCI_Chess960 type check default false
uciok
";

fn main() -> io::Result<()> {
    let seed: u64 = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let (known, style) = (String::new(), CastlingStyle::Standard);
    let mut mover = Mover { position: Position::start(), known, style, random };
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut line, mut out) = (String::new(), Vec::new());
    while input.read_line(&mut line)? > 0 {
        let command = line.trim_end();
        match command.split(' ').next().unwrap_or_default() {
            "position" => mover.set_position(command),
            "go" => mover.go(&mut out)?,
            "isready" => out.extend_from_slice(b"readyok\n"),
            "uci" => out.extend_from_slice(INTRODUCTION.as_bytes()),
            "setoption" if command == "setoption name UCI_Chess960 value true" => {
                mover.style = CastlingStyle::Chess960;
            }
            "setoption" if command == "setoption name UCI_Chess960 value false" => {
                mover.style = CastlingStyle::Standard;
            }
            "quit" => break,
            _ => {}
        }
        // Past the buffer of standard output, which would look for lines.
        if !out.is_empty() {
            output.write_all(&out)?;
            output.flush()?;
            out.clear();
        }
        line.clear();
    }
    Ok(())
}
