use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};

/// Ctrl-C once finishes the games in hand, twice breaks them off.
#[derive(Default)]
pub struct Signals {
    /// No more games are begun.
    pub finish: AtomicBool,
    /// Those in hand are broken off.
    pub stop: AtomicBool,
    /// Held while a game is announced, so that nobody reads of a new game after having read that none begins.
    gate: Mutex<()>,
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
            if handler.finish.swap(true, Ordering::SeqCst) {
                handler.stop.store(true, Ordering::Relaxed);
            } else {
                let _gate = handler.gate.lock().unwrap_or_else(PoisonError::into_inner);
                anstream::eprintln!("finishing the games in hand; once more to stop now");
            }
        })
        .context("cannot listen for Ctrl-C")?;
        Ok(signals)
    }

    /// Announces a game, unless no more are begun; says which.
    ///
    /// # Errors
    ///
    /// When the announcement fails.
    pub fn begin_game(&self, announce: impl FnOnce() -> Result<()>) -> Result<bool> {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let begins = !self.finish.load(Ordering::SeqCst) && !self.stop.load(Ordering::SeqCst);
        if begins {
            announce()?;
        }
        Ok(begins)
    }
}
