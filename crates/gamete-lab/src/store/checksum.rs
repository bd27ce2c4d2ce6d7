//! Checksums of rows, so that what was damaged is noticed and not taken for something else.

/// The checksum of an outcome.
pub(crate) fn of_outcome(number: u64, task: i64, answer: &str) -> [u8; 32] {
    checksum("outcome", &[&number.to_le_bytes(), &task.to_le_bytes(), answer.as_bytes()])
}

/// The checksum of some values of one kind.
pub(crate) fn checksum(kind: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.as_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// How many rows there are, and the exclusive or of their checksums: rows that are gone are missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Total {
    pub count: u64,
    sum: [u8; 32],
}

impl Total {
    pub fn with(mut self, checksum: &[u8; 32]) -> Self {
        self.count += 1;
        self.sum.iter_mut().zip(checksum).for_each(|(sum, byte)| *sum ^= byte);
        self
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (count, sum) = text.split_once(' ')?;
        Some(Self { count: count.parse().ok()?, sum: blake3::Hash::from_hex(sum).ok()?.into() })
    }
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.count, blake3::Hash::from_bytes(self.sum).to_hex())
    }
}
