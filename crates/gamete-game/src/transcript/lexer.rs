//! Cuts the text of game files into tokens, knowing the line of each.
//!
//! The text is read in blocks and no token is ever larger than its limit, so memory stays flat however large the
//! file is. Nothing is dropped: what is not understood is an error with a line, because a lost
//! token in the middle of a game would turn it into another game.

use std::io::{self, Read};

const BLOCK: usize = 1 << 16;
const MAX_WORD: usize = 255;
const MAX_TAG: usize = 1 << 16;
const MAX_COMMENT: usize = 1 << 20;

/// A piece of a game file. Texts are in the lexer's [`text`](Lexer::text) buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// `[Name "value"]`: [`Lexer::name`] and [`Lexer::text`].
    Tag,
    /// `{...}` or `;...`: [`Lexer::text`], with its white space folded.
    Comment,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `$1`, or `!` and its kind.
    Nag(u8),
    /// A move number, `12.` or `12...`
    Number(u32),
    /// A move, a result, or nonsense: [`Lexer::text`].
    Word,
}

/// Why a text cannot be cut into tokens.
#[derive(Debug, thiserror::Error)]
pub enum LexError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the comment that starts here is never closed")]
    UnclosedComment,
    #[error("a comment of more than 1 MiB")]
    LongComment,
    #[error("a tag that is not of the form [Name \"value\"]")]
    BadTag,
    #[error("a word of more than {MAX_WORD} bytes")]
    LongWord,
    #[error("a NUL byte")]
    Nul,
    #[error("unexpected character {0:?}")]
    Unexpected(char),
    #[error("a $ without a number from 0 to 255")]
    BadNag,
}

pub struct Lexer<R> {
    reader: R,
    block: Box<[u8]>,
    start: usize,
    end: usize,
    line: u64,
    token_line: u64,
    at_line_start: bool,
    after_blank_line: bool,
    glued: bool,
    dotted: bool,
    name: String,
    text: String,
    bytes: Vec<u8>,
}

impl<R: Read> Lexer<R> {
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            block: vec![0; BLOCK].into_boxed_slice(),
            start: 0,
            end: 0,
            line: 1,
            token_line: 1,
            at_line_start: true,
            after_blank_line: false,
            glued: false,
            dotted: false,
            name: String::new(),
            text: String::new(),
            bytes: Vec::new(),
        }
    }

    /// The line on which the last token or error started.
    pub fn token_line(&self) -> u64 {
        self.token_line
    }

    /// Whether an empty line stands before the last token.
    pub fn after_blank_line(&self) -> bool {
        self.after_blank_line
    }

    /// Whether nothing stands between the last token and the one before it.
    pub fn is_glued(&self) -> bool {
        self.glued
    }

    /// Whether the last number has a full stop behind it.
    pub fn has_dot(&self) -> bool {
        self.dotted
    }

    /// The name of the last tag.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The last number as it is written, without a full stop.
    pub fn digits(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    /// The text of the last tag, comment or word.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The next token, or `None` at the end of the text. After an error the next call goes on behind it.
    pub fn next(&mut self) -> Result<Option<Token>, LexError> {
        self.skip_space()?;
        self.token()
    }

    fn token(&mut self) -> Result<Option<Token>, LexError> {
        self.token_line = self.line;
        let Some(byte) = self.peek()? else {
            return Ok(None);
        };
        match byte {
            b'[' => self.tag().map(Some),
            b'{' => self.comment().map(Some),
            b';' => self.line_comment().map(Some),
            b'(' => self.single(Token::Open),
            b')' => self.single(Token::Close),
            b'$' => self.nag().map(Some),
            b'!' | b'?' => self.glyph().map(Some),
            b'*' => {
                self.text.clear();
                self.text.push('*');
                self.single(Token::Word)
            }
            0 => {
                self.skip_word()?;
                Err(LexError::Nul)
            }
            b'}' | b']' | b'<' | b'>' | b'"' | ..=b'\x1f' => {
                self.bump();
                Err(LexError::Unexpected(byte.into()))
            }
            _ => self.word().map(Some),
        }
    }

    fn single(&mut self, token: Token) -> Result<Option<Token>, LexError> {
        self.bump();
        Ok(Some(token))
    }

    fn tag(&mut self) -> Result<Token, LexError> {
        self.bump();
        self.bytes.clear();
        let mut in_value = false;
        let mut escaped = false;
        // A tag ends with the bracket behind its closing quote, and never outlives its line.
        loop {
            match self.peek()? {
                None | Some(b'\n') => return Err(LexError::BadTag),
                Some(0) => {
                    self.skip_line()?;
                    return Err(LexError::Nul);
                }
                Some(byte) => {
                    self.bump();
                    if byte == b']' && !in_value {
                        break;
                    }
                    if byte == b'"' && !escaped {
                        in_value = !in_value;
                    }
                    escaped = in_value && byte == b'\\' && !escaped;
                    self.bytes.push(byte);
                    if self.bytes.len() > MAX_TAG {
                        self.skip_line()?;
                        return Err(LexError::BadTag);
                    }
                }
            }
        }
        let body = decode(&self.bytes);
        let (name, rest) = body.split_once('"').ok_or(LexError::BadTag)?;
        let value = rest.trim_end().strip_suffix('"').ok_or(LexError::BadTag)?;
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(LexError::BadTag);
        }
        self.name.clear();
        self.name.push_str(name);
        self.text.clear();
        let mut escaped = false;
        for c in value.chars() {
            if c == '\\' && !escaped {
                escaped = true;
            } else {
                escaped = false;
                self.text.push(c);
            }
        }
        Ok(Token::Tag)
    }

    fn comment(&mut self) -> Result<Token, LexError> {
        self.bump();
        self.bytes.clear();
        let mut problem = None;
        loop {
            match self.peek()? {
                None => return Err(LexError::UnclosedComment),
                // The next game begins: one brace that is missing does not cost all that follow.
                Some(b'[') if self.at_line_start && self.is_next(b"[Event \"")? => {
                    return Err(LexError::UnclosedComment);
                }
                Some(byte) => {
                    self.bump();
                    match byte {
                        b'}' => break,
                        0 => problem = Some(LexError::Nul),
                        _ if self.bytes.len() == MAX_COMMENT => problem = Some(LexError::LongComment),
                        _ => self.bytes.push(byte),
                    }
                }
            }
        }
        problem.map_or_else(|| Ok(self.fold_comment()), Err)
    }

    fn line_comment(&mut self) -> Result<Token, LexError> {
        self.bump();
        self.bytes.clear();
        let mut problem = None;
        while let Some(byte) = self.peek()?.filter(|&byte| byte != b'\n') {
            self.bump();
            match byte {
                0 => problem = Some(LexError::Nul),
                _ if self.bytes.len() == MAX_COMMENT => problem = Some(LexError::LongComment),
                _ => self.bytes.push(byte),
            }
        }
        problem.map_or_else(|| Ok(self.fold_comment()), Err)
    }

    fn fold_comment(&mut self) -> Token {
        self.text.clear();
        for word in decode(&self.bytes).split_whitespace() {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(word);
        }
        Token::Comment
    }

    fn nag(&mut self) -> Result<Token, LexError> {
        self.bump();
        let mut number = None;
        while let Some(digit @ b'0'..=b'9') = self.peek()? {
            self.bump();
            number = Some(number.unwrap_or(0_u32).saturating_mul(10).saturating_add(u32::from(digit - b'0')));
        }
        number.and_then(|number| u8::try_from(number).ok()).map(Token::Nag).ok_or(LexError::BadNag)
    }

    fn glyph(&mut self) -> Result<Token, LexError> {
        let first = self.peek()?;
        self.bump();
        let second = self.peek()?.filter(|byte| matches!(byte, b'!' | b'?'));
        if second.is_some() {
            self.bump();
        }
        Ok(Token::Nag(match (first, second) {
            (Some(b'!'), None) => 1,
            (Some(b'!'), Some(b'!')) => 3,
            (Some(b'!'), _) => 5,
            (_, None) => 2,
            (_, Some(b'?')) => 4,
            (_, _) => 6,
        }))
    }

    fn word(&mut self) -> Result<Token, LexError> {
        self.bytes.clear();
        self.dotted = false;
        let mut number = true;
        while let Some(byte) = self.peek()?.filter(|&byte| !ends_word(byte)) {
            if number && byte == b'.' && !self.bytes.is_empty() {
                while self.peek()? == Some(b'.') {
                    self.bump();
                }
                self.dotted = true;
                return Ok(self.number());
            }
            number &= byte.is_ascii_digit();
            self.bytes.push(byte);
            self.bump();
            if self.bytes.len() > MAX_WORD {
                self.skip_word()?;
                return Err(LexError::LongWord);
            }
        }
        if number {
            return Ok(self.number());
        }
        // Continuation dots that stand alone, as in "1. ... e5".
        if self.bytes.iter().all(|&byte| byte == b'.') {
            self.dotted = true;
            return Ok(Token::Number(0));
        }
        self.text.clear();
        match std::str::from_utf8(&self.bytes) {
            Ok(word) => self.text.push_str(word),
            Err(_) => self.text.extend(self.bytes.iter().map(|&byte| char::from(byte))),
        }
        Ok(Token::Word)
    }

    fn number(&self) -> Token {
        let digits = self.bytes.iter().map(|digit| u32::from(digit - b'0'));
        Token::Number(digits.fold(0, |number, digit| number.saturating_mul(10).saturating_add(digit)))
    }

    fn skip_space(&mut self) -> Result<(), LexError> {
        self.after_blank_line = false;
        self.glued = true;
        while let Some(byte) = self.peek()? {
            match byte {
                b'\n' => {
                    self.after_blank_line |= self.at_line_start;
                    self.bump();
                }
                b'\r' => self.skip_byte(),
                b' ' | b'\t' | b'\x0b' | b'\x0c' => self.bump(),
                b'%' if self.at_line_start => self.skip_line()?,
                0xef if self.line == 1 && self.at_line_start && self.has_byte_order_mark() => self.start += 3,
                _ => break,
            }
            self.glued = false;
        }
        Ok(())
    }

    fn has_byte_order_mark(&self) -> bool {
        self.block[self.start..self.end].starts_with(b"\xef\xbb\xbf")
    }

    /// Passes over a byte that does not count as part of its line.
    fn skip_byte(&mut self) {
        self.start += 1;
    }

    fn skip_word(&mut self) -> Result<(), LexError> {
        while self.peek()?.is_some_and(|byte| byte == 0 || !ends_word(byte)) {
            self.bump();
        }
        Ok(())
    }

    fn skip_line(&mut self) -> Result<(), LexError> {
        while self.peek()?.is_some_and(|byte| byte != b'\n') {
            self.bump();
        }
        Ok(())
    }

    #[inline]
    fn peek(&mut self) -> Result<Option<u8>, LexError> {
        if self.start == self.end {
            self.refill()?;
        }
        Ok(self.block[..self.end].get(self.start).copied())
    }

    #[inline]
    fn bump(&mut self) {
        self.at_line_start = self.block[self.start] == b'\n';
        self.line += u64::from(self.at_line_start);
        self.start += 1;
    }

    /// Whether this text comes next.
    #[cold]
    fn is_next(&mut self, text: &[u8]) -> Result<bool, LexError> {
        if self.end - self.start < text.len() {
            self.block.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            self.read_more(text.len())?;
        }
        Ok(self.block[self.start..self.end].starts_with(text))
    }

    #[cold]
    fn refill(&mut self) -> Result<(), LexError> {
        self.start = 0;
        self.end = 0;
        // A few bytes at least, so that a byte order mark is never cut.
        self.read_more(3)
    }

    /// Reads until so many bytes are there, or the text ends.
    fn read_more(&mut self, bytes: usize) -> Result<(), LexError> {
        while self.end < bytes {
            match self.reader.read(&mut self.block[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

#[inline]
fn ends_word(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b'!' | b'?' | b'$' | b'*')
}

/// UTF-8, or else Latin-1, in which the PGN standard was written.
fn decode(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &[u8]) -> Vec<String> {
        let mut lexer = Lexer::new(text);
        let mut seen = Vec::new();
        loop {
            seen.push(match lexer.next() {
                Ok(None) => return seen,
                Ok(Some(Token::Tag)) => format!("{}={}", lexer.name(), lexer.text()),
                Ok(Some(Token::Comment)) => format!("{{{}}}", lexer.text()),
                Ok(Some(Token::Word)) => lexer.text().to_owned(),
                Ok(Some(token)) => format!("{token:?}"),
                Err(error) => format!("line {}: {error}", lexer.token_line()),
            });
        }
    }

    #[test]
    fn a_comment_that_is_never_closed_ends_where_the_next_game_begins() {
        // One byte at a time, so that the words are cut everywhere.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(out.len()).min(1);
                self.0.read(&mut out[..count])
            }
        }
        let text = b"e4 {open\n[Eve\n[Event \"b\"]\nd4 {ok}";
        let found = "e4|line 1: the comment that starts here is never closed|Event=b|d4|{ok}";
        assert_eq!(tokens(text).join("|"), found);
        let mut lexer = Lexer::new(Slow(text));
        let mut tags = 0;
        while !matches!(lexer.next(), Ok(None)) {
            tags += usize::from(lexer.name() == "Event" && lexer.text() == "b");
        }
        assert_eq!(tags, 1);
    }

    #[test]
    fn cuts_a_game_into_tokens() {
        let text =
            b"\xef\xbb\xbf[Event \"a \\\"b\\\" \\\\ c]d\"]\r\n% a comment of some other program\r\n\r\n\
            1.e4!? {two\r\n words} e5 $14 (1... c5) 2. Nf3 ; to the end\n2... Nc6 0-1";
        assert_eq!(
            tokens(text),
            [
                "Event=a \"b\" \\ c]d",
                "Number(1)",
                "e4",
                "Nag(5)",
                "{two words}",
                "e5",
                "Nag(14)",
                "Open",
                "Number(1)",
                "c5",
                "Close",
                "Number(2)",
                "Nf3",
                "{to the end}",
                "Number(2)",
                "Nc6",
                "0-1",
            ]
        );
    }

    #[test]
    fn jumps_and_results_are_words_though_they_start_with_digits() {
        assert_eq!(tokens(b"1. 11-15 22x15x8 1/2-1/2 *"), ["Number(1)", "11-15", "22x15x8", "1/2-1/2", "*"]);
    }

    #[test]
    fn says_what_it_cannot_read_and_where() {
        assert_eq!(tokens(b"\n\0\0e4 e5"), ["line 2: a NUL byte", "e5"]);
        assert_eq!(tokens(b"e4\n\n{never"), ["e4", "line 3: the comment that starts here is never closed"]);
        assert_eq!(
            tokens(b"[Event \"a\n[Site]\n[Date \"d\"]"),
            [
                "line 1: a tag that is not of the form [Name \"value\"]",
                "line 2: a tag that is not of the form [Name \"value\"]",
                "Date=d"
            ]
        );
        let mut long = b"{".to_vec();
        long.resize(2 * MAX_COMMENT, b'x');
        long.extend(b"} e4");
        assert_eq!(tokens(&long), ["line 1: a comment of more than 1 MiB", "e4"]);
        assert_eq!(tokens(&[b'x'; 300]), ["line 1: a word of more than 255 bytes"]);
        assert_eq!(
            tokens(b"$ $256 $7"),
            [
                "line 1: a $ without a number from 0 to 255",
                "line 1: a $ without a number from 0 to 255",
                "Nag(7)"
            ]
        );
    }

    #[test]
    fn text_that_is_not_utf8_is_read_as_latin1() {
        assert_eq!(tokens(b"[White \"M\xfcller\"]"), ["White=M\u{fc}ller"]);
        assert_eq!(tokens("[White \"Müller\"]".as_bytes()), ["White=Müller"]);
    }
}
