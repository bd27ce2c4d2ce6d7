//! Gathering what comes of the tasks of a batch.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gamete_arena::{Listener, Task, TaskError, TaskOutcome};
use tokio::sync::Notify;
use tokio::time::timeout;

/// What came of tasks of a batch. Quick tasks are gathered without waking whoever waits for each of them.
#[derive(Default)]
pub(super) struct Gathered {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    done: Vec<Done>,
    /// Tasks that nothing has come of yet.
    left: usize,
}

impl State {
    fn is_waited_for(&self) -> bool {
        self.done.is_empty() && self.left > 0
    }
}

/// What came of a task.
pub(super) struct Done {
    pub id: String,
    pub time: Duration,
    pub result: Result<TaskOutcome, TaskError>,
}

/// How long an outcome waits for others of its batch.
const HOLD: Duration = Duration::from_millis(20);

impl Gathered {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who waits for a task.
    pub fn listener(self: &Arc<Self>, id: String) -> Box<dyn Listener> {
        self.state().left += 1;
        Box::new(Timed { id, begun: None, is_done: false, gathered: Arc::clone(self) })
    }

    /// Waits for outcomes: for those of all tasks, or for as many as come soon after the first. There are none when no more will come.
    pub async fn next(&self) -> Vec<Done> {
        while self.state().is_waited_for() {
            self.changed.notified().await;
        }
        let all = async {
            while self.state().left > 0 {
                self.changed.notified().await;
            }
        };
        let _ = timeout(HOLD, all).await;
        std::mem::take(&mut self.state().done)
    }

    /// Notes that a task is over, with what came of it, if anything did.
    fn note(&self, done: Option<Done>) {
        let mut state = self.state();
        state.done.extend(done);
        state.left -= 1;
        let is_news = state.left == 0 || state.done.len() == 1;
        drop(state);
        if is_news {
            self.changed.notify_one();
        }
    }
}

/// Waits for a task.
struct Timed {
    id: String,
    begun: Option<Instant>,
    is_done: bool,
    gathered: Arc<Gathered>,
}

impl Listener for Timed {
    fn begin(&mut self) -> bool {
        self.begun = Some(Instant::now());
        true
    }

    fn done(mut self: Box<Self>, _task: Task, result: Result<TaskOutcome, TaskError>) {
        let time = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        self.is_done = true;
        let id = std::mem::take(&mut self.id);
        self.gathered.note(Some(Done { id, time, result }));
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        if !self.is_done {
            self.gathered.note(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use gamete_arena::{Contestant, ExpertTask, GameName, Limits, Player};

    use super::*;

    fn task() -> Task {
        let player = Contestant::new(Player::load("checkers/material").unwrap(), Limits::nodes(1));
        ExpertTask { game: GameName::Checkers, player, hash_mb: 1, positions: Vec::new() }.into()
    }

    #[tokio::test]
    async fn an_outcome_waits_for_others_of_its_batch_but_not_for_long() {
        let gathered = Arc::<Gathered>::default();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|id| gathered.listener(id.to_owned()));
        let ids = |done: Vec<Done>| done.into_iter().map(|done| done.id).collect::<Vec<_>>();
        a.done(task(), Err(TaskError::Interrupted));
        b.done(task(), Err(TaskError::Interrupted));
        // Somebody else is never done.
        assert_eq!(ids(gathered.next().await), ["a", "b"]);
        let last = async {
            c.done(task(), Err(TaskError::Interrupted));
            drop(d);
        };
        let (next, ()) = tokio::join!(gathered.next(), last);
        assert_eq!(ids(next), ["c"]);
        assert!(gathered.next().await.is_empty(), "none are left");
    }
}
