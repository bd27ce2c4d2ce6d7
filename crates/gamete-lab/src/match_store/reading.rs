use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gamete_arena::{JournalError, JournalGame, MatchHead};

use super::error;
use super::open::check;
use crate::store::matches;
use crate::store::{Store, StoreError};

/// All that the journal of a match has, whether or not it is being played.
#[derive(Debug, Clone)]
pub struct StoredMatch {
    /// The file.
    pub path: PathBuf,
    /// What the match is; nothing before it has begun.
    pub head: Option<MatchHead>,
    /// When it was begun, in seconds since 1970.
    pub created: u64,
    /// How long it has run, all runs of the program together.
    pub seconds: f64,
    /// What else is remembered.
    pub settings: BTreeMap<String, String>,
    /// Its games, by their numbers.
    pub games: Vec<JournalGame>,
}

impl StoredMatch {
    /// Reads the journal at a path.
    ///
    /// # Errors
    ///
    /// When it is no journal, or damaged.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        Self::of_store(path, &open(path)?)
    }

    pub(super) fn of_store(path: &Path, store: &Store) -> Result<Self, JournalError> {
        check(path, store.connection())?;
        Self::read_store(path, store).map_err(|source| error(path, source))
    }

    /// What a journal remembers beside its games, by name.
    ///
    /// # Errors
    ///
    /// When it is no journal, or damaged.
    pub fn settings(path: &Path) -> Result<BTreeMap<String, String>, JournalError> {
        let store = open(path)?;
        check(path, store.connection())?;
        let (settings, _) = matches::settings(store.connection()).map_err(|source| error(path, source))?;
        Ok(settings)
    }

    fn read_store(path: &Path, store: &Store) -> rusqlite::Result<Self> {
        // The match may be playing: all is read as it was at one moment.
        let transaction = store.connection().unchecked_transaction()?;
        let row = matches::match_row(&transaction)?;
        let (settings, total) = matches::settings(&transaction)?;
        let mut games = Vec::new();
        let run = matches::match_run(&transaction)?;
        matches::read_games(&transaction, run, total, |game| games.push(game))?;
        transaction.commit()?;
        let head = MatchHead { configuration: row.file, identity: row.signature, seed: row.seed };
        Ok(Self {
            path: path.to_owned(),
            head: Some(head).filter(|head| !head.configuration.is_empty()),
            created: row.created,
            seconds: row.seconds,
            settings,
            games,
        })
    }
}

fn open(path: &Path) -> Result<Store, JournalError> {
    let name = || path.display().to_string();
    // Opening would make a new one where there is nothing.
    let file = std::fs::metadata(path)
        .map_err(|source| JournalError::Store { path: name(), source: source.into() })?;
    if !file.is_file() || file.len() == 0 {
        return Err(JournalError::NoJournal { path: name() });
    }
    Store::open_file(path).map_err(|failure| match failure {
        StoreError::NotOurs { path } => JournalError::NoJournal { path },
        StoreError::Newer { path, .. } => JournalError::Newer { path },
        StoreError::Locked { path } => JournalError::Busy { path },
        StoreError::Sqlite { source, .. } => error(path, source),
        StoreError::Unreadable { path, source } => JournalError::Store { path, source: source.into() },
        other => JournalError::Store { path: name(), source: other.into() },
    })
}
