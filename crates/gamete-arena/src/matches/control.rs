use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How a match is told to end, from any thread: after the games in hand, or at once.
#[derive(Debug, Default)]
pub struct MatchControl {
    finish: AtomicBool,
    stop: Arc<AtomicBool>,
    /// Held while a game is announced, so that nobody reads of a new game after having read that none begins.
    gate: Mutex<()>,
}

impl MatchControl {
    /// Begins no more games. Says whether that was so before.
    pub fn finish(&self) -> bool {
        self.finish.swap(true, Ordering::SeqCst)
    }

    /// Breaks off the games in hand.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Whether no more games are begun because somebody asked for it.
    pub fn is_finishing(&self) -> bool {
        self.finish.load(Ordering::SeqCst)
    }

    /// Whether no more games are begun, for whatever reason.
    pub fn is_ending(&self) -> bool {
        self.is_finishing() || self.stop.load(Ordering::SeqCst)
    }

    /// What breaks games off, for those who play them.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// What ends the start of a program that is tried before the first game.
    pub fn finish_flag(&self) -> &AtomicBool {
        &self.finish
    }

    /// Announces a game, unless no more are begun; says which.
    ///
    /// # Errors
    ///
    /// When the announcement fails.
    pub fn begin_game<E>(&self, announce: impl FnOnce() -> Result<(), E>) -> Result<bool, E> {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let begins = !self.is_ending();
        if begins {
            announce()?;
        }
        Ok(begins)
    }

    /// Does something while no game is being announced.
    pub fn between_announcements(&self, act: impl FnOnce()) {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        act();
    }
}
