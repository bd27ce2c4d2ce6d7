use std::collections::HashMap;

use gamete_arena::uci::EngineCatalog;
use gamete_arena::{Task, TaskKey};
use serde::de::DeserializeOwned;

use super::{LabError, Runtime};
use crate::engines::EngineContents;

/// How the tasks of an experiment are told apart in its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyVersion {
    /// Up to version 0.1 of the program: by a hash of the task as JSON.
    Json,
    /// By their [`TaskKey::of_commands`], from before engines had names in tasks.
    Commands(EngineCatalog),
    /// By its [`TaskKey`].
    TaskKey,
}

impl KeyVersion {
    /// What stands in the journal for a task.
    pub fn hash(&self, task: &Task, key: TaskKey) -> i64 {
        match (self, task) {
            (Self::Json, Task::Game(task)) => hash_bytes(&serde_json::to_vec(task).expect("plain data")),
            (Self::Commands(engines), task) => TaskKey::of_commands(task, engines).unwrap_or(key).short(),
            _ => key.short(),
        }
    }
}

/// What the tasks of an experiment are told apart by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskIdentity {
    pub keys: KeyVersion,
    /// What the engines in them are.
    pub engines: EngineContents,
}

impl TaskIdentity {
    /// That of a new experiment.
    pub fn new(engines: EngineContents) -> Self {
        Self { keys: KeyVersion::TaskKey, engines }
    }

    /// Writes into a task what its engines are; gives its key, and what stands for it in the journal.
    pub fn identify(&self, task: &mut Task) -> (TaskKey, i64) {
        for engine in task.engines_mut() {
            engine.content = self.engines.get(&engine.name).cloned();
        }
        let key = task.key();
        (key, self.keys.hash(task, key))
    }
}

pub(crate) fn hash_bytes(bytes: &[u8]) -> i64 {
    let hash = blake3::hash(bytes);
    i64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
}

/// What a run has been answered before, by the number of the question.
pub(super) struct Journal {
    answers: HashMap<u64, (i64, String)>,
    next: u64,
}

impl Journal {
    pub fn new(answers: HashMap<u64, (i64, String)>) -> Self {
        Self { answers, next: 0 }
    }

    /// The number of the next question, and its answer if it is known: a number and a hash of what is asked.
    ///
    /// # Errors
    ///
    /// When something else was asked at this point.
    pub fn ask(&mut self, hash: i64) -> Result<(u64, Option<String>), OtherTask> {
        let number = self.next;
        self.next += 1;
        match self.answers.remove(&number) {
            Some((known, _)) if known != hash => {
                Err(OtherTask { number, what: "it asks for something else".to_owned() })
            }
            known => Ok((number, known.map(|(_, answer)| answer))),
        }
    }
}

/// What is asked is not what was asked the last time.
pub(super) struct OtherTask {
    pub number: u64,
    pub what: String,
}

impl OtherTask {
    pub fn of_run(self, runtime: &Runtime<'_>, path: &str) -> LabError {
        LabError::Changed {
            experiment: runtime.experiment.to_owned(),
            path: path.to_owned(),
            number: self.number,
            what: self.what,
        }
    }
}

/// An answer as it was stored.
pub(super) fn parse<T: DeserializeOwned>(number: u64, answer: &str) -> Result<T, OtherTask> {
    serde_json::from_str(answer).map_err(|error| OtherTask { number, what: error.to_string() })
}
