use std::fmt;
use std::io::{self, BufRead, Read};
use std::str::FromStr;

use cozy_chess::Move;
use gamete_game::Game;

use crate::{FenError, Position, fen};

const MAX_LINE: u64 = 1 << 20;

/// A position with operations: a line of an EPD file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epd {
    /// The position, with the counters of `hmvc` and `fmvn` if the line gave them.
    pub position: Position,
    /// Everything else the line says, in its order.
    pub operations: Vec<Operation>,
}

/// One thing an EPD line says of its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// `bm`: these moves are best.
    BestMoves(Vec<Move>),
    /// `am`: these moves are mistakes.
    AvoidMoves(Vec<Move>),
    /// `id`: the name of the position.
    Id(String),
    /// `c0` to `c9`: remarks.
    Comment(u8, String),
    /// `ce`: evaluation in centipawns for the side to move.
    CentipawnEvaluation(i32),
    /// `acd`: depth of analysis in plies.
    AnalysisDepth(u32),
    /// Any other operation, kept as it stands.
    Other(String, Vec<Operand>),
}

/// A word or a quoted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// Without quotes.
    Word(String),
    /// In double quotes.
    Quoted(String),
}

/// Why a text is not an EPD line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// The position is not one.
    #[error(transparent)]
    Position(#[from] FenError),
    /// A move of `bm` or `am` that cannot be played.
    #[error("{opcode} {text:?} is not a legal move")]
    Move {
        /// `bm` or `am`.
        opcode: String,
        /// The move as it stands.
        text: String,
    },
    /// An operand that should be a number.
    #[error("{opcode} {text:?} is not a number")]
    Number {
        /// The operation.
        opcode: String,
        /// What stands there.
        text: String,
    },
    /// An operation without a name.
    #[error("operation {0:?} does not start with a letter")]
    Opcode(String),
    /// A text that is never closed.
    #[error("a quoted text is never closed")]
    Unclosed,
    /// A byte that no text has.
    #[error("a NUL byte")]
    Nul,
}

impl Epd {
    /// A position of which nothing is said.
    pub fn new(position: Position) -> Self {
        Self { position, operations: Vec::new() }
    }

    /// The moves that are best, if the line names any.
    pub fn best_moves(&self) -> Option<&[Move]> {
        self.operations.iter().find_map(|operation| match operation {
            Operation::BestMoves(moves) => Some(moves.as_slice()),
            _ => None,
        })
    }

    /// The moves that are mistakes, if the line names any.
    pub fn avoid_moves(&self) -> Option<&[Move]> {
        self.operations.iter().find_map(|operation| match operation {
            Operation::AvoidMoves(moves) => Some(moves.as_slice()),
            _ => None,
        })
    }

    /// The name of the position.
    pub fn id(&self) -> Option<&str> {
        self.operations.iter().find_map(|operation| match operation {
            Operation::Id(id) => Some(id.as_str()),
            _ => None,
        })
    }

    /// The remark with this number.
    pub fn comment(&self, number: u8) -> Option<&str> {
        self.operations.iter().find_map(|operation| match operation {
            Operation::Comment(known, text) if *known == number => Some(text.as_str()),
            _ => None,
        })
    }
}

impl FromStr for Epd {
    type Err = EpdError;

    fn from_str(line: &str) -> Result<Self, EpdError> {
        if line.contains('\0') {
            return Err(EpdError::Nul);
        }
        let (board, mut rest) = split_fields(line, 4);
        // Lines that go on like a FEN are common, and so are stray semicolons between the parts.
        let (counters, after) = split_fields(rest, 2);
        let is_fen = counters.split_ascii_whitespace().all(|field| field.bytes().all(|b| b.is_ascii_digit()));
        let mut position_text = board.to_owned();
        if is_fen && !counters.is_empty() {
            position_text = format!("{board} {counters}");
            rest = after;
        }

        let mut raw = Vec::new();
        for operation in split_operations(rest)? {
            let mut operands = split_operands(operation);
            if operands.is_empty() {
                continue;
            }
            let opcode = match operands.remove(0) {
                Operand::Word(word) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => word,
                Operand::Word(other) | Operand::Quoted(other) => return Err(EpdError::Opcode(other)),
            };
            raw.push((opcode, operands));
        }
        let mut counter = |name: &str| -> Result<Option<u16>, EpdError> {
            let mut value = None;
            while let Some(index) = raw.iter().position(|(opcode, _)| opcode == name) {
                let (opcode, operands) = raw.remove(index);
                value = Some(number(&opcode, &operands)?);
            }
            Ok(value)
        };
        let halfmove_clock = counter("hmvc")?;
        let move_number = counter("fmvn")?;
        if halfmove_clock.is_some() || move_number.is_some() {
            position_text = format!("{board} {} {}", halfmove_clock.unwrap_or(0), move_number.unwrap_or(1));
        }

        let position: Position = position_text.parse()?;
        let operations = raw
            .into_iter()
            .map(|(opcode, operands)| Operation::new(&position, opcode, operands))
            .collect::<Result<_, _>>()?;
        Ok(Self { position, operations })
    }
}

impl Operation {
    fn new(position: &Position, opcode: String, operands: Vec<Operand>) -> Result<Self, EpdError> {
        let moves = |operands: &[Operand]| {
            let texts = operands.iter().map(Operand::text);
            texts
                .map(|text| {
                    position
                        .parse_move(text)
                        .map_err(|_| EpdError::Move { opcode: opcode.clone(), text: text.to_owned() })
                })
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(match (opcode.as_str(), operands.as_slice()) {
            ("bm", [_, ..]) => Self::BestMoves(moves(&operands)?),
            ("am", [_, ..]) => Self::AvoidMoves(moves(&operands)?),
            ("id", [Operand::Quoted(_)] | [Operand::Word(_), ..]) => Self::Id(join(&operands)),
            ("ce", [_]) => Self::CentipawnEvaluation(number(&opcode, &operands)?),
            ("acd", [_]) => Self::AnalysisDepth(number(&opcode, &operands)?),
            (code, [_, ..])
                if code.len() == 2 && code.starts_with('c') && code.as_bytes()[1].is_ascii_digit() =>
            {
                Self::Comment(code.as_bytes()[1] - b'0', join(&operands))
            }
            _ => Self::Other(opcode, operands),
        })
    }
}

impl Operand {
    /// The text without its quotes.
    pub fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Quoted(text) => text,
        }
    }
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fen::write_position(f, &self.position)?;
        let (halfmove_clock, move_number) = (self.position.reversible_plies(), self.position.move_number());
        if (halfmove_clock, move_number) != (0, 1) {
            write!(f, " hmvc {halfmove_clock}; fmvn {move_number};")?;
        }
        for operation in &self.operations {
            match operation {
                Operation::BestMoves(moves) => write_moves(f, &self.position, "bm", moves)?,
                Operation::AvoidMoves(moves) => write_moves(f, &self.position, "am", moves)?,
                Operation::Id(id) => write!(f, " id {}", quoted(id))?,
                Operation::Comment(number, text) => write!(f, " c{number} {}", quoted(text))?,
                Operation::CentipawnEvaluation(value) => write!(f, " ce {value}")?,
                Operation::AnalysisDepth(depth) => write!(f, " acd {depth}")?,
                Operation::Other(opcode, operands) => {
                    write!(f, " {opcode}")?;
                    for operand in operands {
                        match operand {
                            Operand::Word(word) => write!(f, " {word}")?,
                            Operand::Quoted(text) => write!(f, " {}", quoted(text))?,
                        }
                    }
                }
            }
            f.write_str(";")?;
        }
        Ok(())
    }
}

fn write_moves(f: &mut fmt::Formatter<'_>, position: &Position, opcode: &str, moves: &[Move]) -> fmt::Result {
    write!(f, " {opcode}")?;
    moves.iter().try_for_each(|&mv| write!(f, " {}", position.move_text(mv)))
}

/// A double quote cannot stand inside quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "'"))
}

fn join(operands: &[Operand]) -> String {
    operands.iter().map(Operand::text).collect::<Vec<_>>().join(" ")
}

fn number<T: FromStr>(opcode: &str, operands: &[Operand]) -> Result<T, EpdError> {
    let text = join(operands);
    text.parse().map_err(|_| EpdError::Number { opcode: opcode.to_owned(), text })
}

/// The first `count` words, and what follows them; never past a semicolon.
fn split_fields(text: &str, count: usize) -> (&str, &str) {
    let text = text.trim_start();
    let limit = text.find(';').unwrap_or(text.len());
    let mut end = 0;
    for _ in 0..count {
        let rest = &text[end..limit];
        let word = rest.trim_start();
        if word.is_empty() {
            break;
        }
        let word_end = word.find(char::is_whitespace).unwrap_or(word.len());
        end += rest.len() - word.len() + word_end;
    }
    (&text[..end], &text[end..])
}

fn split_operations(text: &str) -> Result<Vec<&str>, EpdError> {
    let mut quoted = false;
    let operations = text
        .split(|c| {
            quoted ^= c == '"';
            c == ';' && !quoted
        })
        .collect();
    if quoted { Err(EpdError::Unclosed) } else { Ok(operations) }
}

fn split_operands(operation: &str) -> Vec<Operand> {
    let mut operands = Vec::new();
    for (index, part) in operation.split('"').enumerate() {
        if index % 2 == 1 {
            operands.push(Operand::Quoted(part.to_owned()));
        } else {
            operands.extend(part.split_whitespace().map(|word| Operand::Word(word.to_owned())));
        }
    }
    operands
}

/// Reads the lines of an EPD file one by one; empty lines and those that start with `#` are passed over.
pub struct EpdReader<R> {
    reader: R,
    line: u64,
    broken: bool,
}

/// A line that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct EpdReadError {
    /// Which line of the text, from 1.
    pub line: u64,
    /// What is wrong there.
    pub kind: EpdReadErrorKind,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum EpdReadErrorKind {
    /// The text could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The line is longer than any position.
    #[error("a line of more than 1 MiB")]
    LongLine,
    /// The line is not EPD.
    #[error("{0}")]
    Epd(#[from] EpdError),
}

impl<R: BufRead> EpdReader<R> {
    /// Reads the lines of `reader`.
    pub fn new(reader: R) -> Self {
        Self { reader, line: 0, broken: false }
    }

    /// The line that was read last.
    pub fn line(&self) -> u64 {
        self.line
    }

    fn read_line(&mut self) -> Result<Option<String>, EpdReadErrorKind> {
        let mut bytes = Vec::new();
        if self.reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        if bytes.len() as u64 == MAX_LINE && bytes.last() != Some(&b'\n') {
            while self.reader.by_ref().take(MAX_LINE).skip_until(b'\n')? as u64 == MAX_LINE {}
            return Err(EpdReadErrorKind::LongLine);
        }
        let text = String::from_utf8_lossy(&bytes);
        // Old programs in C left the end of their strings in their files.
        let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\0', '\n', '\r']);
        Ok(Some(text.trim().to_owned()))
    }
}

impl<R: BufRead> Iterator for EpdReader<R> {
    type Item = Result<Epd, EpdReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.broken {
            let result = match self.read_line() {
                Ok(None) => return None,
                Ok(Some(line)) if line.is_empty() || line.starts_with('#') => continue,
                Ok(Some(line)) => line.parse().map_err(EpdReadErrorKind::from),
                Err(error) => Err(error),
            };
            self.broken = matches!(result, Err(EpdReadErrorKind::Io(_)));
            return Some(result.map_err(|kind| EpdReadError { line: self.line, kind }));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_every_operation_and_types_the_known_ones() {
        let line = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - hmvc 3; fmvn 30; \
            bm f5 Be5+; am Qe5+; id \"a; b\"; c0 \"f5=10, Be5+=2\"; ce -32; acd 12; pv Be5+ Nxe5; x \"q\" w;";
        let epd: Epd = line.parse().unwrap();
        assert_eq!(epd.id(), Some("a; b"));
        assert_eq!(epd.best_moves().unwrap().len(), 2);
        assert_eq!(epd.avoid_moves().unwrap().len(), 1);
        assert_eq!(epd.comment(0), Some("f5=10, Be5+=2"));
        assert!(epd.operations.contains(&Operation::CentipawnEvaluation(-32)));
        assert!(epd.operations.contains(&Operation::AnalysisDepth(12)));
        assert_eq!(epd.position.move_number(), 30);
        assert_eq!(epd.to_string(), line);
    }

    #[test]
    fn stray_semicolons_and_fen_counters_are_tolerated() {
        let epd: Epd =
            "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - ; bm Qd1+ ; id BK.01 ".parse().unwrap();
        assert_eq!(
            epd.to_string(),
            "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\";"
        );
        let epd: Epd = "4k3/8/8/8/8/8/8/4K2R w K - 3 7 ;D1 15 ;D2 66".parse().unwrap();
        assert_eq!(epd.to_string(), "4k3/8/8/8/8/8/8/4K2R w K - hmvc 3; fmvn 7; D1 15; D2 66;");
    }

    #[test]
    fn a_nul_byte_is_tolerated_only_at_the_end_of_a_line() {
        let read = |text: &str| EpdReader::new(text.as_bytes()).filter(Result::is_ok).count();
        assert_eq!(read("4k3/8/8/8/8/8/8/4K2R w K - id A\0\n4k3/8/8/8/8/8/8/4K2R w K - id B\0\r\n"), 2);
        assert_eq!(read("4k3/8/8/8/8/8/8/4K2R w K - id \0A"), 0);
    }

    #[test]
    fn an_operation_needs_a_name() {
        for operation in ["\"f5; id\" a", "2 66"] {
            let line = format!("4k3/8/8/8/8/8/8/4K2R w K - id A; {operation};");
            assert!(matches!(line.parse::<Epd>(), Err(EpdError::Opcode(_))), "{line}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let text = "4k3/8/8/8/8/8/8/4K2R w K - bm O-O;\n\n# a remark\n4k3/8/8/8/8/8/8/4K2R w K - bm Qa1;\n\
            4k3/8/8/8/8/8/8/4K2R w K - id \"x;\n4k3/8/8/8/8/8/8 w - -\n4k3/8/8/8/8/8/8/4K2R w K - ce high;";
        let lines: Vec<_> = EpdReader::new(text.as_bytes())
            .map(|line| line.map_or_else(|error| error.to_string(), |_| "read".to_owned()))
            .collect();
        assert_eq!(
            lines,
            [
                "read",
                "line 4: bm \"Qa1\" is not a legal move",
                "line 5: a quoted text is never closed",
                "line 6: the FEN has 7 ranks instead of 8",
                "line 7: ce \"high\" is not a number",
            ]
        );
    }
}
