//! Who is connected. Where there are too many, whoever has waited longest without asking for anything has to go.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// All connections; a handle.
#[derive(Clone)]
pub struct Connections {
    places: Arc<Semaphore>,
    waiting: Arc<Mutex<Waiting>>,
}

/// Connections that have asked for nothing, or have their answer.
#[derive(Default)]
struct Waiting {
    /// Grows with each that begins to wait.
    count: u64,
    /// By that number, and how to end them.
    ends: BTreeMap<u64, Arc<Notify>>,
}

/// A place among them.
pub struct Connection {
    all: Connections,
    end: Arc<Notify>,
    /// Its number among those that wait, if it does.
    waits: Mutex<Option<u64>>,
    _place: OwnedSemaphorePermit,
}

impl Connections {
    /// So many at a time.
    pub fn new(most: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(most)), waiting: Arc::default() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more, which waits for its first request; another one goes for it if need be. Nothing if all are busy.
    pub async fn enter(&self) -> Option<Connection> {
        let place = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                let (_, end) = self.waiting().ends.pop_first()?;
                end.notify_one();
                Arc::clone(&self.places).acquire_owned().await.ok()?
            }
        };
        let connection =
            Connection { all: self.clone(), end: Arc::default(), waits: Mutex::new(None), _place: place };
        connection.waits();
        Some(connection)
    }
}

impl Connection {
    /// It has asked for nothing that it is not answered.
    pub fn waits(&self) {
        let mut waiting = self.all.waiting();
        waiting.count += 1;
        let number = waiting.count;
        waiting.ends.insert(number, Arc::clone(&self.end));
        self.leave(&mut waiting, Some(number));
    }

    /// It is to be answered, and may stay.
    pub fn works(&self) {
        self.leave(&mut self.all.waiting(), None);
    }

    fn leave(&self, waiting: &mut Waiting, next: Option<u64>) {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = std::mem::replace(&mut *waits, next) {
            waiting.ends.remove(&number);
        }
    }

    /// Returns when it has to go.
    pub async fn ended(&self) {
        self.end.notified().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.works();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn enter(connections: &Connections) -> Option<Connection> {
        connections.enter().now_or_never().expect("no need to wait")
    }

    #[test]
    fn whoever_waits_longest_makes_room_and_whoever_works_stays() {
        let connections = Connections::new(3);
        let mut all: Vec<Connection> = (0..3).map(|_| enter(&connections).expect("a place")).collect();
        all[0].works();
        all[1].works();
        all[1].waits();
        // The third has waited longer than the second now.
        let mut fourth = Box::pin(connections.enter());
        assert!(fourth.as_mut().now_or_never().is_none(), "the place is not free yet");
        assert!(all[2].ended().now_or_never().is_some(), "it has to go");
        assert!(all[0].ended().now_or_never().is_none() && all[1].ended().now_or_never().is_none());
        all.pop();
        let fourth = fourth.now_or_never().expect("no need to wait").expect("a place");
        fourth.works();
        all[1].works();
        assert!(enter(&connections).is_none(), "all are busy");
        drop(all);
        assert!(enter(&connections).is_some() && connections.waiting().ends.is_empty());
    }
}
