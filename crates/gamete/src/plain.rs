//! Text that came from elsewhere, as it may be shown.
//!
//! Names, tags, comments and complaints of other programs may hold control characters, with which a terminal can be made
//! to show what is not there. Whatever is printed goes through here; only our own colours do not.

use std::borrow::Cow;
use std::io::{self, StderrLock, StdoutLock, Write};

/// The text with control characters and marks of writing direction spelled out as in `\u001b`, which JSON and TOML read
/// as the character itself. Ends of lines and tabs stay.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_control(c) {
            clean.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            clean.push(c);
        }
    }
    clean.into()
}

fn is_control(c: char) -> bool {
    let is_direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || matches!(c, '\u{2028}' | '\u{2029}') || c.is_control() && !matches!(c, '\n' | '\t')
}

/// Writes text [`clean`]ed.
#[derive(Debug)]
pub struct Plain<W>(W);

impl<W: Write> Plain<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self(out)
    }

    /// For what is our own, control characters and all.
    pub fn raw(&mut self) -> &mut W {
        &mut self.0
    }
}

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // What is formatted comes in whole characters.
        self.0.write_all(clean(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The standard output.
pub fn stdout() -> Plain<StdoutLock<'static>> {
    Plain(io::stdout().lock())
}

/// The standard error.
pub fn stderr() -> Plain<StderrLock<'static>> {
    Plain(io::stderr().lock())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_or_turns_the_text_is_spelled_out() {
        assert_eq!(clean("Ö\tx\n–½"), "Ö\tx\n–½");
        assert_eq!(clean("a\u{1b}[2Jb\r\u{7}\u{7f}"), "a\\u001b[2Jb\\u000d\\u0007\\u007f");
        assert_eq!(clean("\u{9b}31m\u{202e}txt"), "\\u009b31m\\u202etxt");
        let mut out = Plain::new(Vec::new());
        let (nul, mark) = ("\0ä", '\u{2069}');
        write!(out, "{nul}|{mark}").expect("memory to write to");
        assert_eq!(String::from_utf8(out.0).expect("text"), "\\u0000ä|\\u2069");
    }

    #[test]
    fn json_says_the_same_afterwards() {
        let text = "\u{1b}\u{9b}\u{202e}\"\\ü";
        let json = serde_json::to_string(text).expect("JSON");
        let shown = clean(&json);
        assert!(!shown.contains(is_control));
        assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), text);
    }
}
