//! Parts of tasks that are kept in the broker's object store, so that a worker fetches them once instead of with every task.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{Config, ObjectMetadata, ObjectStore};
use futures_util::TryStreamExt as _;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use crate::access::causes;
use crate::message::{MAX_BYTES, Order, compress, decompress};
use crate::part::{Part, Place};
use crate::{GridError, Notices};

/// The object store of all experiments at a broker. Each has its parts in it by their hashes.
const BUCKET: &str = "gamete-parts";

/// How long a part is kept that nobody removes.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// How long a coordinator believes that a part is there.
const BELIEVED: Duration = Duration::from_secs(24 * 3600);

/// Bytes below which a part goes with its task.
const MIN_BYTES: usize = 4096;

/// How often a part goes with its task before it is kept: what few tasks have is not worth a visit of every worker.
const SENT_BEFORE: u32 = 32;

/// The most that one message of a part has.
const MAX_CHUNK: usize = 128 << 10;

/// Hashes of parts that are remembered.
const MOST_COUNTED: usize = 10_000;

/// What is kept by a coordinator.
pub(crate) struct Keeper {
    context: Context,
    slug: String,
    replicas: usize,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// How often parts were sent with tasks.
    sent: HashMap<String, u32>,
    /// Parts that are at the broker, and since when that is known.
    kept: HashMap<String, Instant>,
}

impl Keeper {
    pub fn new(context: Context, slug: &str, replicas: usize) -> Self {
        Self { context, slug: slug.to_owned(), replicas, counts: Mutex::default() }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out of tasks what was sent often, and sees to it that the broker has it; with `at_once`, all that is large. Where that
    /// does not succeed, a task keeps its parts.
    pub async fn keep(&self, orders: &mut [Order], at_once: bool) -> Result<(), GridError> {
        for order in orders {
            for place in Place::ALL {
                let Some(part) = place.take(&mut order.task) else { continue };
                let kept = self.kept(&part, at_once).await;
                if let Ok(Some(hash)) = kept {
                    order.kept.push((place, hash));
                    continue;
                }
                assert!(place.put(&mut order.task, part), "a part that was there");
                kept?;
            }
        }
        Ok(())
    }

    /// The hash of a part that the broker has.
    async fn kept(&self, part: &Part, at_once: bool) -> Result<Option<String>, GridError> {
        if part.least_bytes() < MIN_BYTES {
            return Ok(None);
        }
        let json = serde_json::to_vec(part).expect("plain data");
        let hash = blake3::hash(&json).to_hex().to_string();
        {
            let mut counts = self.counts();
            if counts.kept.get(&hash).is_some_and(|since| since.elapsed() < BELIEVED) {
                return Ok(Some(hash));
            }
            if counts.sent.len() >= MOST_COUNTED {
                counts.sent.clear();
            }
            let sent = counts.sent.entry(hash.clone()).or_default();
            *sent += 1;
            if *sent <= SENT_BEFORE && !at_once {
                return Ok(None);
            }
        }
        self.upload(&hash, &json).await?;
        let mut counts = self.counts();
        counts.sent.remove(&hash);
        counts.kept.insert(hash.clone(), Instant::now());
        Ok(Some(hash))
    }

    async fn upload(&self, hash: &str, json: &[u8]) -> Result<(), GridError> {
        let failed = |error: &dyn std::error::Error| {
            GridError::broker("keep what tasks have in common", causes(error))
        };
        let store = match self.context.get_object_store(BUCKET).await {
            Ok(store) => store,
            Err(_) => {
                let config = Config {
                    bucket: BUCKET.to_owned(),
                    max_age: MAX_AGE,
                    num_replicas: self.replicas,
                    ..Config::default()
                };
                self.context.create_object_store(config).await.map_err(|error| failed(&error))?
            }
        };
        let name = object(&self.slug, hash);
        if store.info(&name).await.is_ok_and(|info| !info.deleted) {
            return Ok(());
        }
        let bytes = compress(json);
        let most = self.context.client().max_payload() / 2;
        let about =
            ObjectMetadata { name, chunk_size: Some(most.min(MAX_CHUNK)), ..ObjectMetadata::default() };
        store.put(about, &mut bytes.as_slice()).await.map_err(|error| failed(&error))?;
        Ok(())
    }

    /// Believes no more that anything is there, as after a broker has lost its disk.
    pub fn forget(&self) {
        self.counts().kept.clear();
    }

    /// Removes all that is kept for the experiment, as far as that is possible.
    pub async fn remove_all(&self) -> Result<(), GridError> {
        let failed = |error: &dyn std::error::Error| {
            GridError::broker("remove what tasks had in common", causes(error))
        };
        // None was ever needed.
        let Ok(store) = self.context.get_object_store(BUCKET).await else { return Ok(()) };
        let objects: Vec<_> = store
            .list()
            .await
            .map_err(|error| failed(&error))?
            .try_collect()
            .await
            .map_err(|error| failed(&error))?;
        let mut removed = Ok(());
        for info in objects.iter().filter(|info| info.name.starts_with(&object(&self.slug, ""))) {
            removed = removed.and(store.delete(&info.name).await.map_err(|error| failed(&error)));
        }
        removed
    }
}

/// What a part of an experiment is called in the object store.
fn object(slug: &str, hash: &str) -> String {
    format!("{slug}/{hash}")
}

/// What a worker has fetched, in memory and in a folder.
pub(crate) struct Cache {
    context: Context,
    folder: Option<PathBuf>,
    notices: Notices,
    /// By experiment and hash.
    known: tokio::sync::Mutex<HashMap<(String, String), Part>>,
}

/// How long a worker tries to fetch a part.
const PATIENCE: Duration = Duration::from_secs(120);

/// Parts that a worker has in memory.
const MOST_KNOWN: usize = 256;

impl Cache {
    pub fn new(context: Context, folder: Option<PathBuf>, notices: Notices) -> Self {
        Self { context, folder, notices, known: tokio::sync::Mutex::default() }
    }

    /// Puts back what was taken out of a task. What cannot be had now is put back by another attempt.
    pub async fn complete(&self, slug: &str, order: &mut Order) -> Result<(), String> {
        while let Some((place, hash)) = order.kept.last() {
            let part = self.part(slug, hash).await?;
            if !place.put(&mut order.task, part) {
                return Err(format!("the part {hash} does not belong into its task"));
            }
            order.kept.pop();
        }
        Ok(())
    }

    /// A part by its hash. Who needs one that is being fetched waits for it.
    async fn part(&self, slug: &str, hash: &str) -> Result<Part, String> {
        if !is_plain(slug) || !is_plain(hash) {
            return Err(format!("{slug}/{hash} is not the name of a part"));
        }
        let mut known = self.known.lock().await;
        let key = (slug.to_owned(), hash.to_owned());
        if let Some(part) = known.get(&key) {
            return Ok(part.clone());
        }
        let path = self.folder.as_ref().map(|folder| folder.join(slug).join(hash));
        let stored = path.as_ref().and_then(|path| std::fs::read(path).ok());
        let part = match stored.and_then(|bytes| checked(&bytes, hash).ok()) {
            Some(part) => part,
            None => {
                let bytes =
                    timeout(PATIENCE, self.fetch(slug, hash)).await.map_err(|_| "it takes too long")??;
                let part = checked(&bytes, hash)?;
                if let Some(path) = &path {
                    self.store(path, &bytes);
                }
                part
            }
        };
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(key, part.clone());
        Ok(part)
    }

    async fn fetch(&self, slug: &str, hash: &str) -> Result<Vec<u8>, String> {
        let store: ObjectStore =
            self.context.get_object_store(BUCKET).await.map_err(|error| causes(&error))?;
        let mut object = store.get(object(slug, hash)).await.map_err(|error| causes(&error))?;
        let mut bytes = Vec::new();
        object.read_to_end(&mut bytes).await.map_err(|error| causes(&error))?;
        Ok(bytes)
    }

    /// Writes down what was fetched. Without room for it there, it is in memory.
    fn store(&self, path: &Path, bytes: &[u8]) {
        let unfinished = path.with_extension(format!("{}.part", std::process::id()));
        let folder = path.parent().expect("a folder");
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&unfinished, bytes))
            .and_then(|()| std::fs::rename(&unfinished, path));
        if let Err(error) = written {
            let _ = std::fs::remove_file(&unfinished);
            let folder = folder.display();
            self.notices.say(&format!(
                "{folder}: {error}; what tasks have in common is kept in memory; --cache names another folder"
            ));
        }
    }

    /// Removes what was fetched for an experiment that is over.
    pub async fn forget(&self, slug: &str) {
        self.known.lock().await.retain(|(of, _), _| of != slug);
        if let Some(folder) = self.folder.as_ref().filter(|_| is_plain(slug)) {
            let _ = std::fs::remove_dir_all(folder.join(slug));
        }
    }
}

/// Whether a word that somebody sent can be the name of a file and nothing else.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
}

/// The part of these bytes, if it is the one with this hash.
fn checked(bytes: &[u8], hash: &str) -> Result<Part, String> {
    let json = decompress(bytes, MAX_BYTES).map_err(|error| error.to_string())?;
    if blake3::hash(&json).to_hex().as_str() != hash {
        return Err(format!("the part {hash} is not what its hash says"));
    }
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}
