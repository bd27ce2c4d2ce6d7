use std::error::Error;
use std::fmt::Display;
use std::path::Path;
use std::sync::OnceLock;

use gamete_arena::dispatch;
use gamete_corpus::{Corpus, ExtractError, Lesson};

use crate::breed::Breed;
use crate::experiment::ExperimentError;
use crate::runtime::{Lab, LabError};

/// The corpus that an experiment learns from.
///
/// It is no part of the experiment, but its hash is journalled by every run, which so refuses another.
#[derive(Debug)]
pub(crate) struct CorpusFile {
    /// The key of the file, as errors name it.
    key: &'static str,
    path: String,
    /// What is learned from it.
    lesson: Lesson,
    /// How one is made, for those who have none.
    made_by: &'static str,
    /// The hash of the corpus.
    hash: OnceLock<String>,
}

impl CorpusFile {
    /// The corpus that the value of a key names.
    pub fn new(key: &'static str, path: &str, lesson: Lesson, made_by: &'static str) -> Self {
        Self { key, path: path.to_owned(), lesson, made_by, hash: OnceLock::new() }
    }

    /// Its file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with it, under its key.
    pub fn bad(&self, reason: impl Display) -> ExperimentError {
        ExperimentError::value(self.key, reason)
    }

    /// Why its features were not extracted.
    pub fn not_extracted(&self, error: ExtractError) -> LabError {
        match error {
            ExtractError::Interrupted => LabError::Stopped,
            error => self.bad(error).into(),
        }
    }

    /// Opens the corpus. It is closed when it was read, as files that stay open can be cut short by others.
    fn open(&self, players: &Breed) -> Result<Corpus, ExperimentError> {
        if self.path.is_empty() {
            return Err(self.bad(format!("\"\": name a corpus; `{}` makes one", self.made_by)));
        }
        let corpus = Corpus::open(Path::new(&self.path)).map_err(|error| self.bad(with_cause(&error)))?;
        dispatch!(players.game(), G => corpus.samples::<G>().map(drop)).map_err(|error| self.bad(error))?;
        if corpus.manifest().train == 0 {
            return Err(self.bad(format!("{:?}: none of its positions is to learn from", self.path)));
        }
        Ok(corpus)
    }

    /// The hash of the corpus. It is checked once that the corpus teaches what is learned from it: a hash that is journalled before
    /// would refuse the corpus that is made in its place.
    pub fn hash(&self, players: &Breed) -> Result<&str, ExperimentError> {
        if let Some(hash) = self.hash.get() {
            return Ok(hash);
        }
        let corpus = self.open(players)?;
        dispatch!(players.game(), G => {
            let samples = corpus.samples::<G>().map_err(|error| self.bad(error))?;
            self.lesson.check(samples).map_err(|error| self.bad(error))?;
        });
        Ok(self.hash.get_or_init(|| corpus.hash()))
    }

    /// Opens the corpus, if it is still the one whose hash is known.
    pub fn open_again(&self, players: &Breed) -> Result<Corpus, ExperimentError> {
        let corpus = self.open(players)?;
        self.expect_hash(players, &corpus.hash())?;
        Ok(corpus)
    }

    /// Journals which corpus it is, under a name, or refuses it where another one was journalled.
    pub fn remember(&self, name: &str, players: &Breed, lab: &mut Lab<'_>) -> Result<(), LabError> {
        let hash = self.hash(players)?;
        let journalled = lab.remember(name, |_| Ok(hash.to_owned()))?;
        Ok(self.expect_hash(players, &journalled)?)
    }

    /// Refuses a corpus that is not the one with this hash.
    fn expect_hash(&self, players: &Breed, hash: &str) -> Result<(), ExperimentError> {
        if self.hash(players)? == hash {
            return Ok(());
        }
        Err(ExperimentError::other_file(self.key, &self.path, "this is not the corpus"))
    }
}

/// What an error says, and what caused it, in a line.
fn with_cause(error: &dyn Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}
