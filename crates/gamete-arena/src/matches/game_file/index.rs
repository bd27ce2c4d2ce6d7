use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::GameFileContent as Content;

/// Where games and positions begin in a file, by the tags of the game, or by the line of the position.
#[derive(Debug)]
pub(super) struct Index {
    content: Content,
    places: HashMap<[u8; 8], Vec<u64>>,
}

/// Longer lines are read in parts; no game of ours begins with one.
const MAX_LINE: u64 = 1 << 16;

impl Index {
    pub(super) fn read(mut file: &File, content: Content) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        Self::read_text(BufReader::new(file), content)
    }

    fn read_text(mut reader: impl BufRead, content: Content) -> io::Result<Self> {
        let mut index = Self { content, places: HashMap::new() };
        let (mut line, mut place) = (Vec::new(), 0);
        let (mut after_blank, mut after_line) = (true, true);
        let mut tags: Option<(u64, blake3::Hasher)> = None;
        while { reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? } > 0 {
            match content {
                Content::Positions if after_line => index.add(&blake3::hash(&line), place),
                Content::Positions => {}
                Content::Games => {
                    if after_blank && line.starts_with(b"[") {
                        tags = Some((place, blake3::Hasher::new()));
                    }
                    if let Some((place, hasher)) = &mut tags {
                        hasher.update(&line);
                        if line == b"\n" {
                            index.add(&hasher.finalize(), *place);
                            tags = None;
                        }
                    }
                }
            }
            after_blank = line == b"\n" || line == b"\r\n";
            after_line = line.ends_with(b"\n");
            place += line.len() as u64;
            line.clear();
        }
        Ok(index)
    }

    fn add(&mut self, hash: &blake3::Hash, place: u64) {
        self.places.entry(short(hash)).or_default().push(place);
    }

    /// Where a text may stand.
    pub(super) fn places(&self, text: &[u8]) -> &[u64] {
        let end = match self.content {
            Content::Games => text.windows(2).position(|window| window == b"\n\n").map(|place| place + 2),
            Content::Positions => text.iter().position(|&byte| byte == b'\n').map(|place| place + 1),
        };
        let hash = blake3::hash(&text[..end.unwrap_or(text.len())]);
        self.places.get(&short(&hash)).map_or(&[], Vec::as_slice)
    }
}

fn short(hash: &blake3::Hash) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_by_their_tags_and_positions_by_their_line() {
        let long = "x".repeat(200_000);
        let games = format!(
            "{long}\n\n[Event \"a\"]\n[Round \"1\"]\n\n1. e4 {{\n[Event\n}} *\n\n[Event \"b\"]\n\n*\n\n"
        );
        let index = Index::read_text(games.as_bytes(), Content::Games).unwrap();
        let at = |text: &str| games.find(text).unwrap() as u64;
        assert_eq!(index.places(b"[Event \"a\"]\n[Round \"1\"]\n\nany"), [at("[Event \"a\"]")]);
        assert_eq!(index.places(b"[Event \"b\"]\n\n*\n\n"), [at("[Event \"b\"]")]);
        assert!(index.places(b"[Event \"c\"]\n\n*\n\n").is_empty());
        let index = Index::read_text("a\nb\na\n".as_bytes(), Content::Positions).unwrap();
        assert_eq!(index.places(b"a\nb\n"), [0, 4]);
        assert_eq!(index.places(b"b\n"), [2]);
    }
}
