/// Where the games of an encounter stand in a file, and what they are.
///
/// It is written down before the file is, so that a record of which only a part arrived is known again. Others may
/// change the file at any time: only what has this hash at this place is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The first byte.
    pub start: u64,
    /// How many bytes they are.
    pub length: u64,
    /// The BLAKE3 hash of the bytes.
    pub hash: [u8; 32],
}

impl Written {
    /// The record of a text that stands at `start`.
    pub fn new(start: u64, text: &[u8]) -> Self {
        Self { start, length: text.len() as u64, hash: blake3::hash(text).into() }
    }

    /// The first byte behind it.
    pub const fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }
}
