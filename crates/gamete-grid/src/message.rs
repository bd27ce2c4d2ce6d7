//! What is sent: tasks in batches, what came of them, and who is there.

use std::io::Read as _;

use gamete_arena::{NamedEngine, Task, TaskOutcome};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ledger::WorkerReport;
use crate::part::Place;
use crate::sent_batch::SentBatch;

/// The version of all that is sent. Messages of another version are refused.
pub const PROTOCOL: u32 = 2;

/// Tasks that are given to one worker. It is sent as a [`SentBatch`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "SentBatch", try_from = "SentBatch")]
pub(crate) struct Batch {
    pub version: u32,
    /// What tells it from all others.
    pub batch: String,
    /// The speed of the machine that clocks are made for, in nodes a second, if they are to be scaled.
    pub reference: Option<u64>,
    pub orders: Vec<Order>,
}

/// A task with its identity: its key, and what tells it from others with the same key if a clock has a part in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Order {
    pub id: String,
    pub task: Task,
    /// What was taken out of the task and is kept at the broker, by its hash.
    pub kept: Vec<(Place, String)>,
}

impl Order {
    /// A task with all its parts.
    pub fn new(id: String, task: Task) -> Self {
        Self { id, task, kept: Vec::new() }
    }
}

/// What came of the tasks of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answers {
    pub version: u32,
    pub batch: String,
    /// Who did them: what it is called, and what tells it from all others.
    pub worker: String,
    pub id: String,
    pub answers: Vec<Answer>,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    pub id: String,
    /// How long it took.
    pub micros: u64,
    pub result: Result<TaskOutcome, Refusal>,
}

/// Why a worker has no outcome of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Refusal {
    /// It makes no sense, or not there.
    Refused(String),
    /// It made the worker panic.
    Panicked(String),
}

/// What a coordinator has to do, as it says every second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// [`PROTOCOL`].
    pub version: u32,
    /// What its experiment is called.
    pub experiment: String,
    /// The same as part of the names of its streams.
    pub slug: String,
    /// The [signature](crate::build_signature) of its program, which that of a worker has to be.
    pub signature: String,
    /// How long a worker may be silent about a task, in milliseconds.
    pub lease_ms: u64,
    /// The queues that there are; none when it is over.
    pub queues: Vec<QueueOffer>,
    /// Tasks that are given out and not answered.
    pub open: usize,
    /// Tasks that were answered.
    pub told: u64,
    /// Workers that were wrong, by their ids: they get nothing.
    #[serde(default)]
    pub refused: Vec<String>,
}

/// Tasks that need the same engines.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QueueOffer {
    /// What stands for these engines.
    pub token: String,
    /// The engines.
    pub engines: Vec<NamedEngine>,
}

/// What a worker says of itself every few seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// [`PROTOCOL`].
    pub version: u32,
    /// What tells it from all others.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Where it can be asked to do a task that somebody else has done.
    pub inbox: String,
    /// The [signature](crate::build_signature) of its program.
    pub signature: String,
    /// How many tasks it does at a time.
    pub concurrency: usize,
    /// The experiments that it takes tasks of, as in the names of their streams.
    pub serves: Vec<String>,
    /// Tasks that it did.
    pub done: u64,
    /// Those of them that it had no outcome of, and games in which a player failed.
    pub failed: u64,
    /// Tasks a second, of late.
    pub rate: f64,
    /// Its speed in nodes a second, if it was asked for.
    #[serde(default)]
    pub speed: Option<u64>,
    /// Whether it leaves.
    pub leaving: bool,
}

/// What a coordinator knows, as it tells who asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoordinatorReport {
    /// [`PROTOCOL`].
    pub version: u32,
    /// Its experiment, as in the names of its streams.
    pub slug: String,
    /// Tasks that were given up.
    pub failed: u64,
    /// Tasks that were sent again, as they were lost or a worker was wrong.
    pub sent_again: u64,
    /// The workers that it has heard of.
    pub workers: Vec<WorkerReport>,
}

/// Why a message cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MessageError {
    #[error("it is of version {found} of the protocol, and this program speaks {PROTOCOL}")]
    Version { found: u32 },
    #[error("it is not a message of this program: {0}")]
    NotOurs(String),
}

/// What every message has, whatever its version.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// More than any honest message has in it: what a small one may not be made to grow to.
pub(crate) const MAX_BYTES: u64 = 256 << 20;

/// How much is compressed: little, and quickly.
const LEVEL: i32 = 1;

/// A message as it is sent, compressed.
pub(crate) fn pack(message: &impl Serialize) -> Vec<u8> {
    compress(&serde_json::to_vec(message).expect("plain data"))
}

pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, LEVEL).expect("memory")
}

/// Reads what [`compress`] made, up to a size that is honest.
pub(crate) fn decompress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    zstd::Decoder::new(bytes)?.take(MAX_BYTES).read_to_end(&mut whole)?;
    Ok(whole)
}

/// Reads what [`pack`] made.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MessageError> {
    read(&decompress(bytes).map_err(|error| MessageError::NotOurs(error.to_string()))?)
}

/// Reads a message that is not compressed.
pub(crate) fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, MessageError> {
    let not_ours = |error: serde_json::Error| MessageError::NotOurs(error.to_string());
    let Versioned { version } = serde_json::from_slice(json).map_err(not_ours)?;
    if version != PROTOCOL {
        return Err(MessageError::Version { found: version });
    }
    serde_json::from_slice(json).map_err(not_ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ours_is_told_apart_from_other_versions() {
        let answers = Answers {
            version: PROTOCOL,
            batch: "b".to_owned(),
            worker: "w".to_owned(),
            id: "1".to_owned(),
            answers: vec![Answer {
                id: "i".to_owned(),
                micros: 7,
                result: Err(Refusal::Refused("no".to_owned())),
            }],
        };
        assert_eq!(unpack::<Answers>(&pack(&answers)).unwrap(), answers);
        let later = pack(&Answers { version: 99, ..answers });
        let error = unpack::<Answers>(&later).unwrap_err().to_string();
        assert_eq!(error, "it is of version 99 of the protocol, and this program speaks 2");
        for nonsense in
            [&b"hello"[..], &[], &pack(&"x"), &pack(&serde_json::json!({ "version": 2, "cmd": "sh" }))]
        {
            let error = unpack::<Batch>(nonsense).unwrap_err().to_string();
            assert!(error.starts_with("it is not a message of this program: "), "{error}");
        }
    }
}
