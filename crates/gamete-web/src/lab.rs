//! The lab that is served: stores that are opened once and read by one request at a time.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use gamete_lab::{Store, StoreError};

/// A lab, and connections to it that nobody uses at the moment.
pub struct Lab {
    directory: PathBuf,
    idle: Mutex<Vec<(Identity, Store)>>,
}

/// Which file a store was opened from, whatever its name is by now.
type Identity = (u64, u64);

impl Lab {
    /// The lab in a directory.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, idle: Mutex::default() }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether it is there, as it may be moved away while it is served.
    pub fn is_there(&self) -> bool {
        self.identity().is_some()
    }

    /// Refuses what would begin another lab where this one was.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn check(&self) -> Result<(), StoreError> {
        match self.is_there() {
            true => Ok(()),
            false => Err(StoreError::NoLab { path: self.directory.display().to_string() }),
        }
    }

    /// Calls `act` with a store. One that was deleted and made again is opened again.
    ///
    /// # Errors
    ///
    /// When the lab cannot be opened, or `act` fails.
    pub fn with<T, E: From<StoreError>>(&self, act: impl FnOnce(&Store) -> Result<T, E>) -> Result<T, E> {
        let identity = self.identity();
        let mut idle = self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        idle.retain(|(known, _)| Some(*known) == identity);
        let found = idle.pop();
        drop(idle);
        let store = match found {
            Some((_, store)) => store,
            None => Store::open(&self.directory)?,
        };
        let result = act(&store);
        if let Some(identity) = identity {
            self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((identity, store));
        }
        result
    }

    fn identity(&self) -> Option<Identity> {
        let found = std::fs::metadata(self.directory.join(Store::FILE_NAME)).ok()?;
        Some((found.dev(), found.ino()))
    }
}
