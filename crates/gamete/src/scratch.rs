//! A folder for the time of a measurement.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A folder that goes with its owner.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new one.
    ///
    /// # Errors
    ///
    /// When there cannot be one.
    pub fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("gamete-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
