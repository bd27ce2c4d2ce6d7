//! What is sent: tasks in batches, what came of them, and who is there.

use std::cell::RefCell;
use std::io::Read as _;

use gamete_arena::{NamedEngine, Task, TaskOutcome};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use zstd::bulk::Compressor;

use crate::ledger::WorkerReport;
use crate::part::Place;
use crate::sent_batch::SentBatch;

/// The version of all that is sent. Messages of another version are refused.
pub const PROTOCOL: u32 = 3;

/// Tasks that are given to one worker. It is sent as a [`SentBatch`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "SentBatch")]
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
    #[serde(deserialize_with = "ours")]
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
    #[serde(deserialize_with = "ours")]
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
    #[serde(deserialize_with = "ours")]
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
    /// The queues of these that it takes tasks of, each as `SLUG.TOKEN`. One of an older build does not say.
    #[serde(default)]
    pub queues: Vec<String>,
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
    /// The tasks that it does as others have done them, by [what they begin with](short_id).
    #[serde(default)]
    pub checks: Vec<String>,
}

/// The most tasks that a worker does at a time.
const MAX_CONCURRENCY: usize = 1024;

/// The longest name of a worker, and the longest id.
const MAX_NAME: usize = 100;
pub(crate) const MAX_ID: usize = 64;

/// The longest name of a batch.
const MAX_BATCH: usize = 128;

/// The longest signature.
const MAX_SIGNATURE: usize = 100;

/// The most checks that a worker speaks of.
pub(crate) const MAX_CHECKS: usize = 1000;

impl Heartbeat {
    /// Reads one, with no more in it than an honest one has.
    pub(crate) fn read(payload: &[u8]) -> Option<Self> {
        let mut heartbeat: Self = read(payload).ok()?;
        // Whoever sends to an inbox has more rights than who says where that is.
        let is_inbox = heartbeat.inbox.starts_with("_INBOX.") && heartbeat.inbox.len() <= 256;
        if !is_inbox || heartbeat.id.len() > MAX_ID || heartbeat.signature.len() > MAX_SIGNATURE {
            return None;
        }
        heartbeat.checks.retain(|check| check.len() <= SHORT_ID);
        heartbeat.checks.truncate(MAX_CHECKS);
        heartbeat.name = short_name(&heartbeat.name);
        heartbeat.concurrency = heartbeat.concurrency.min(MAX_CONCURRENCY);
        heartbeat.rate = heartbeat.rate.clamp(0.0, 1e9);
        Some(heartbeat)
    }
}

/// The name of a worker, if it is not too long.
pub(crate) fn short_name(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}

/// The beginning of the id of a task, which tells it from others that a worker does.
pub(crate) fn short_id(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}

/// How long that is.
const SHORT_ID: usize = 16;

/// Whether this can be the id of a task: its key, and perhaps its place in a journal.
pub(crate) fn is_id(id: &str) -> bool {
    let (key, place) = id.split_once('.').unwrap_or((id, ""));
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    key.len() == 64
        && key.bytes().all(|letter| matches!(letter, b'0'..=b'9' | b'a'..=b'f'))
        && place.len() <= 128
        && place.chars().all(is_plain)
}

/// What a coordinator knows, as it tells who asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoordinatorReport {
    /// [`PROTOCOL`].
    #[serde(deserialize_with = "ours")]
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

/// The same of outcomes, which whoever works may send.
pub(crate) const MAX_OUTCOME_BYTES: u64 = 32 << 20;

/// The logarithm of what is remembered while a message is decompressed: more than it is compressed with.
const WINDOW_LOG: u32 = 23;

/// How much is compressed: little, and quickly.
const LEVEL: i32 = 1;

/// A message as it is sent, compressed.
pub(crate) fn pack(message: &impl Serialize) -> Vec<u8> {
    compress(&serde_json::to_vec(message).expect("plain data"))
}

pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    thread_local! {
        static COMPRESSOR: RefCell<Compressor<'static>> = RefCell::new(Compressor::new(LEVEL).expect("memory"));
    }
    COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(bytes)).expect("memory")
}

/// Reads what [`compress`] made, up to a size that is honest.
pub(crate) fn decompress(bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    let mut decoder = zstd::Decoder::with_buffer(bytes)?;
    decoder.window_log_max(WINDOW_LOG)?;
    decoder.take(most + 1).read_to_end(&mut whole)?;
    if whole.len() as u64 > most {
        return Err(std::io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(whole)
}

/// Reads what [`pack`] made.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MessageError> {
    unpack_within(bytes, MAX_BYTES)
}

fn unpack_within<T: DeserializeOwned>(bytes: &[u8], most: u64) -> Result<T, MessageError> {
    read(&decompress(bytes, most).map_err(|error| MessageError::NotOurs(error.to_string()))?)
}

impl Answers {
    /// Reads a message with outcomes, each of something that can be a task.
    pub fn unpack(bytes: &[u8]) -> Result<Self, MessageError> {
        let answers: Self = unpack_within(bytes, MAX_OUTCOME_BYTES)?;
        if answers.answers.is_empty() {
            return Err(MessageError::NotOurs("it has no outcomes".to_owned()));
        }
        if answers.id.len() > MAX_ID
            || answers.batch.len() > MAX_BATCH
            || !answers.answers.iter().all(|answer| is_id(&answer.id))
        {
            return Err(MessageError::NotOurs("it is of no worker, or of no task".to_owned()));
        }
        Ok(answers)
    }
}

/// Reads a message that is not compressed.
pub(crate) fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, MessageError> {
    serde_json::from_slice(json).map_err(|error| match serde_json::from_slice(json) {
        Ok(Versioned { version }) if version != PROTOCOL => MessageError::Version { found: version },
        _ => MessageError::NotOurs(error.to_string()),
    })
}

/// The version of a message, which has to be ours.
pub(crate) fn ours<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        PROTOCOL => Ok(PROTOCOL),
        found => Err(D::Error::custom(MessageError::Version { found })),
    }
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
                id: "0a".repeat(32),
                micros: 7,
                result: Err(Refusal::Refused("no".to_owned())),
            }],
        };
        assert_eq!(Answers::unpack(&pack(&answers)).unwrap(), answers);
        let later = pack(&Answers { version: 99, ..answers.clone() });
        let error = Answers::unpack(&later).unwrap_err().to_string();
        assert_eq!(error, "it is of version 99 of the protocol, and this program speaks 3");
        for nonsense in
            [&b"hello"[..], &[], &pack(&"x"), &pack(&serde_json::json!({ "version": 3, "cmd": "sh" }))]
        {
            let error = unpack::<Batch>(nonsense).unwrap_err().to_string();
            assert!(error.starts_with("it is not a message of this program: "), "{error}");
        }
        let mut of_no_task = answers.clone();
        of_no_task.answers[0].id.push('x');
        let nobody = Answers { id: "1".repeat(65), ..answers.clone() };
        let of_long_name = Answers { batch: "b".repeat(129), ..answers.clone() };
        for odd in [of_no_task, nobody, of_long_name, Answers { answers: Vec::new(), ..answers }] {
            let error = Answers::unpack(&pack(&odd)).unwrap_err().to_string();
            assert!(error.starts_with("it is not a message of this program: it "), "{error}");
        }
    }

    #[test]
    fn a_small_message_does_not_grow_without_end() {
        let most = MAX_OUTCOME_BYTES as usize;
        let bomb = compress(&vec![b' '; most + 1]);
        assert!(bomb.len() < 10_000, "{}", bomb.len());
        let error = Answers::unpack(&bomb).unwrap_err().to_string();
        assert_eq!(error, format!("it is not a message of this program: it has more than {most} bytes"));
        assert!(decompress(&bomb, MAX_BYTES).is_ok());
    }

    #[test]
    fn ids_are_keys_and_places() {
        let key = "0123456789abcdef".repeat(4);
        for id in [key.clone(), format!("{key}.12"), format!("{key}.0f3e.7"), format!("{key}.pair-1-White")] {
            assert!(is_id(&id), "{id}");
        }
        for id in ["", "a", &key[1..], &key.to_uppercase(), &format!("{key}x"), &format!("{key}. ")] {
            assert!(!is_id(id), "{id}");
        }
    }

    #[test]
    fn a_heartbeat_claims_no_more_than_a_worker_can_have() {
        let heartbeat = Heartbeat {
            version: PROTOCOL,
            id: "1".to_owned(),
            name: "x".repeat(10_000),
            inbox: "_INBOX.a".to_owned(),
            signature: String::new(),
            concurrency: usize::MAX,
            serves: Vec::new(),
            queues: Vec::new(),
            done: 0,
            failed: 0,
            rate: 0.0,
            speed: None,
            leaving: false,
            checks: Vec::new(),
        };
        let read = |heartbeat: &Heartbeat| Heartbeat::read(&serde_json::to_vec(heartbeat).unwrap());
        let found = read(&heartbeat).expect("a heartbeat");
        assert_eq!((found.concurrency, found.name.len()), (1024, 100));
        let checks = |check: &str| vec![check.to_owned(); 1500];
        let read_checks =
            |check| read(&Heartbeat { checks: checks(check), ..heartbeat.clone() }).expect("one").checks;
        assert_eq!(read_checks("0123456789abcdef"), checks("0123456789abcdef")[..1000]);
        assert_eq!(read_checks("0123456789abcdef0"), [""; 0], "what begins no task");
        assert_eq!(read(&Heartbeat { signature: "x".repeat(101), ..heartbeat.clone() }), None);
        assert_eq!(read(&Heartbeat { id: "1".repeat(65), ..heartbeat.clone() }), None);
        assert_eq!(read(&Heartbeat { inbox: "gamete.offer".to_owned(), ..heartbeat }), None);
    }
}
