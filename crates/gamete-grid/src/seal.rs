use std::hash::{BuildHasher, RandomState};

use async_nats::HeaderMap;

/// What outcomes are sealed with, so that nobody else can send them in the name of a worker: a key that never leaves the process.
#[derive(Clone)]
pub(crate) struct Seal([u8; 32]);

impl Seal {
    /// The header of a message that has it.
    pub const HEADER: &str = "Gamete-Seal";

    pub fn new() -> Self {
        let mut hasher = blake3::Hasher::new();
        for number in 0..4 {
            hasher.update(&RandomState::new().hash_one(number).to_le_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The seal of a message.
    pub fn of(&self, payload: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.0, payload)
    }

    /// Whether a message has it.
    pub fn is_on(&self, headers: Option<&HeaderMap>, payload: &[u8]) -> bool {
        let found = headers.and_then(|headers| headers.get(Self::HEADER));
        found
            .and_then(|text| blake3::Hash::from_hex(text.as_str()).ok())
            .is_some_and(|found| found == self.of(payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_of_one_message_and_one_worker() {
        let seal = Seal::new();
        let mut headers = HeaderMap::new();
        assert!(!seal.is_on(None, b"a") && !seal.is_on(Some(&headers), b"a"));
        headers.insert(Seal::HEADER, seal.of(b"a").to_hex().as_str());
        assert!(seal.is_on(Some(&headers), b"a") && !seal.is_on(Some(&headers), b"b"));
        assert!(!Seal::new().is_on(Some(&headers), b"a"));
    }
}
