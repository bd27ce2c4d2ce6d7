use std::fs::File;

use super::experiments::pipeline_of;
use super::{Store, StoreError};

/// What is held while an experiment runs, so that nobody else runs it.
pub struct Claim {
    _file: File,
}

impl Store {
    /// Keeps others from running an experiment, until the claim is dropped or the process is gone. A stage is claimed with its
    /// pipeline.
    ///
    /// # Errors
    ///
    /// When somebody else runs it.
    pub fn claim(&self, id: &str) -> Result<Claim, StoreError> {
        let owner = pipeline_of(id).unwrap_or(id);
        let path = self.directory().join(format!("{owner}.lock"));
        let file = gamete_arena::files::open_lock_file(&path)
            .map_err(|source| StoreError::Directory { path: path.display().to_string(), source })?;
        match file.try_lock() {
            Ok(()) => Ok(Claim { _file: file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::Busy { id: owner.to_owned() }),
            Err(std::fs::TryLockError::Error(source)) => {
                Err(StoreError::Directory { path: path.display().to_string(), source })
            }
        }
    }
}
