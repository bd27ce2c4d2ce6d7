use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::concern::{Concern, ConcernKind};
use crate::view::Event;

/// What is known of an experiment in progress.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub played: AtomicU64,
    pub replayed: AtomicU64,
    /// Nanoseconds spent on writing.
    pub writing: AtomicU64,
    /// What was told of the games, each kind of concern once.
    concerns: Mutex<Vec<ConcernKind>>,
    /// What nobody has heard of yet.
    events: Mutex<Vec<Event>>,
}

impl Meter {
    /// Games that were played, and those that were taken from the journal.
    pub fn games(&self) -> u64 {
        self.played.load(Ordering::Relaxed) + self.replayed.load(Ordering::Relaxed)
    }

    /// Tells of what is wrong with the games, each kind once.
    pub fn tell_concern(&self, concern: Concern) {
        let mut concerns = self.concerns.lock().unwrap_or_else(PoisonError::into_inner);
        if !concerns.contains(&concern.kind) {
            concerns.push(concern.kind);
            self.tell(Event::Concern(concern));
        }
    }

    /// Tells whoever watches the experiment.
    pub fn tell(&self, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// What has happened since this was asked for the last time.
    pub fn events(&self) -> Vec<Event> {
        std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
