//! All games on the page: in memory, and as a file each in the lab.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gamete_arena::files::Output;

use super::record::Record;
use super::session::Session;
use crate::error::ApiError;

/// Files that are larger are no games.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// All games, by their names.
pub struct Sessions {
    directory: PathBuf,
    games: Mutex<HashMap<String, Arc<Session>>>,
}

impl Sessions {
    /// The games that a directory keeps, which are read by [`load`](Self::load).
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, games: Mutex::default() }
    }

    fn games(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads all games that are stored, and gives them. What is no game is left alone.
    pub fn load(&self) -> Vec<Arc<Session>> {
        let files = std::fs::read_dir(&self.directory).into_iter().flatten().flatten();
        for file in files {
            let Some(record) = read(&file.path()) else { continue };
            self.games().insert(record.id.clone(), Arc::new(Session::new(record)));
        }
        self.all()
    }

    /// All games.
    pub fn all(&self) -> Vec<Arc<Session>> {
        self.games().values().cloned().collect()
    }

    /// The game of this name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn find(&self, id: &str) -> Result<Arc<Session>, ApiError> {
        self.games().get(id).cloned().ok_or_else(|| {
            let id: String = id.chars().take(40).collect();
            ApiError::not_found(format!("there is no game {id:?}; it may have been deleted"))
        })
    }

    /// Takes a new game, stores it and gives it its name.
    ///
    /// # Errors
    ///
    /// When there are too many, or it cannot be stored.
    pub fn add(&self, mut record: Record, most: usize) -> Result<Arc<Session>, ApiError> {
        if self.games().len() >= most {
            return Err(ApiError::limit(format!("the lab keeps {most} games; delete some of them first")));
        }
        record.id = self.new_id();
        self.save(&record)?;
        let session = Arc::new(Session::new(record));
        self.games().insert(session.id().to_owned(), Arc::clone(&session));
        Ok(session)
    }

    /// A name that nobody has.
    fn new_id(&self) -> String {
        loop {
            let id =
                format!("{:016x}", std::collections::hash_map::RandomState::new().build_hasher().finish());
            if !self.games().contains_key(&id) {
                return id;
            }
        }
    }

    /// Forgets a game.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn remove(&self, id: &str) -> Result<(), ApiError> {
        let session = self.find(id)?;
        session.close();
        self.games().remove(id);
        // It is gone in any case.
        let _ = std::fs::remove_file(self.path(session.id()));
        Ok(())
    }

    /// Stores a game.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn save(&self, record: &Record) -> Result<(), ApiError> {
        let path = self.path(&record.id);
        let failed = |error: &dyn std::fmt::Display| {
            ApiError::unavailable(format!("the game cannot be stored: {error}"))
        };
        // A lab that was moved away is not begun anew.
        if let Err(error) = std::fs::create_dir(&self.directory)
            && error.kind() != ErrorKind::AlreadyExists
        {
            return Err(failed(&error));
        }
        let mut output = Output::create(&path).map_err(|error| failed(&error))?;
        let text = serde_json::to_string(record).expect("plain data");
        output.write_all(text.as_bytes()).and_then(|()| output.finish()).map_err(|error| failed(&error))
    }

    /// Ends all thinking, and stores the clocks that run.
    pub fn stop(&self) {
        for session in self.all() {
            // A game that cannot be stored keeps the clocks of its last change.
            let _ = session.stop(self);
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.directory.join(format!("{id}.json"))
    }
}

/// The game of a file, if it is one.
fn read(path: &Path) -> Option<Record> {
    let id = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let is_ours = id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let found = std::fs::symlink_metadata(path).ok()?;
    if !is_ours || !found.is_file() || found.len() > MAX_FILE_BYTES {
        return None;
    }
    let record: Record = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
    (record.id == id).then_some(record)
}
