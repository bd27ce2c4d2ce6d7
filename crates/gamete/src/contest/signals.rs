use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

/// Ctrl-C once finishes the encounters in hand, twice breaks them off.
#[derive(Default)]
pub struct Signals {
    /// No more encounters are begun.
    pub finish: AtomicBool,
    /// Those in hand are broken off.
    pub stop: AtomicBool,
}

impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    ///
    /// When the system does not let us.
    pub fn listen() -> Result<Arc<Self>> {
        let signals = Arc::new(Self::default());
        let handler = Arc::clone(&signals);
        ctrlc::set_handler(move || {
            if handler.finish.swap(true, Ordering::Relaxed) {
                handler.stop.store(true, Ordering::Relaxed);
            } else {
                anstream::eprintln!("finishing the games in hand; once more to stop now");
            }
        })
        .context("cannot listen for Ctrl-C")?;
        Ok(signals)
    }
}
