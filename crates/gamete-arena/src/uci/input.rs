use std::io::{self, BufRead, ErrorKind};

/// What comes from the other side of a conversation.
#[derive(Debug)]
pub(super) enum Input {
    /// A line, without its end.
    Line(String),
    /// A line that is longer than any command.
    TooLong {
        /// How long it is.
        bytes: u64,
        /// How long it may be.
        most: usize,
    },
    /// The end, which may be a failure.
    End(io::Result<()>),
}

/// A game of many thousand moves fits; whoever says more in one line has something else to say.
const MAX_LINE: usize = 1 << 20;

/// Gives all lines to `give`, then the end, unless it wants no more. Memory is bounded, however long a line is.
pub(super) fn read_lines(mut input: impl BufRead, mut give: impl FnMut(Input) -> bool) {
    loop {
        let next = next_line(&mut input).unwrap_or_else(|error| Input::End(Err(error)));
        let is_end = matches!(next, Input::End(_));
        if !give(next) || is_end {
            return;
        }
    }
}

fn next_line(input: &mut impl BufRead) -> io::Result<Input> {
    let (mut line, mut length) = (Vec::new(), 0);
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() && length == 0 {
            return Ok(Input::End(Ok(())));
        }
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let room = MAX_LINE.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        length += part.len() as u64;
        let (is_last, used) = (end.is_some() || bytes.is_empty(), part.len() + usize::from(end.is_some()));
        input.consume(used);
        if is_last {
            return Ok(if length > line.len() as u64 {
                Input::TooLong { bytes: length, most: MAX_LINE }
            } else {
                Input::Line(String::from_utf8_lossy(&line).into_owned())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn lines(input: impl Read) -> Vec<String> {
        let mut texts = Vec::new();
        read_lines(BufReader::with_capacity(7, input), |input| {
            texts.push(match input {
                Input::Line(line) => line,
                Input::TooLong { bytes, .. } => format!("({bytes} bytes)"),
                Input::End(result) => format!("({result:?})"),
            });
            true
        });
        texts
    }

    #[test]
    fn lines_of_any_length_are_read() {
        assert_eq!(lines(&b"one\n\ntwo\r\nthree"[..]), ["one", "", "two\r", "three", "(Ok(()))"]);
        assert_eq!(lines(&b""[..]), ["(Ok(()))"]);
        let endless = io::repeat(b'x').take(3 << 20).chain(&b"\nshort\n"[..]);
        assert_eq!(lines(endless), ["(3145728 bytes)", "short", "(Ok(()))"]);
        let full = io::repeat(b'x').take(MAX_LINE as u64);
        assert_eq!(lines(full)[0].len(), MAX_LINE);
    }
}
