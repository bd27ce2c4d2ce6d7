use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use super::{Executor, Listener, OutcomeReceipt, no_receipt};
use crate::task::{Task, TaskError, TaskOutcome};

/// How often it is looked whether to stop.
const TICK: Duration = Duration::from_millis(20);

/// Has tasks done and tells the caller, on the caller's thread, as they come. Each has a label, which comes back with its
/// outcome. Tasks are made as they are needed, so that any number takes no more memory than a few.
///
/// When `stop` is set or the caller breaks, no more are begun, but those in hand are waited for and told of.
pub fn submit_all<L: Send + 'static>(
    executor: &dyn Executor,
    tasks: impl Iterator<Item = (L, Task)>,
    stop: &AtomicBool,
    mut on_outcome: impl FnMut(L, Result<TaskOutcome, TaskError>) -> ControlFlow<()>,
) {
    submit_all_placed(
        executor,
        tasks,
        |_| None,
        stop,
        |label, outcome, receipt| {
            receipt();
            on_outcome(label, outcome)
        },
    );
}

/// The same with tasks whose outcomes are journalled: the [place](Listener::place) of each is made from its label, and the caller gives
/// the receipt when the outcome is in the journal.
pub fn submit_all_placed<L: Send + 'static>(
    executor: &dyn Executor,
    tasks: impl Iterator<Item = (L, Task)>,
    place: impl Fn(&L) -> Option<String>,
    stop: &AtomicBool,
    mut on_outcome: impl FnMut(L, Result<TaskOutcome, TaskError>, OutcomeReceipt) -> ControlFlow<()>,
) {
    let withdrawn = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let mut open = Some((sender, tasks));
    let mut submitted = 0;
    loop {
        while let Some((sender, tasks)) = &mut open
            && submitted < executor.room()
        {
            let next = if stop.load(Ordering::Relaxed) { None } else { tasks.next() };
            let Some((label, task)) = next else {
                open = None;
                break;
            };
            submitted += 1;
            let place = place(&label);
            let listener =
                Waiting { label, place, sender: sender.clone(), withdrawn: Arc::clone(&withdrawn) };
            executor.submit(task.key(), task, Box::new(listener));
        }
        match receiver.recv_timeout(TICK) {
            Ok((label, outcome, receipt)) => {
                submitted -= 1;
                if on_outcome(label, outcome, receipt).is_break() {
                    withdrawn.store(true, Ordering::Relaxed);
                    open = None;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stop.load(Ordering::Relaxed) {
            withdrawn.store(true, Ordering::Relaxed);
            open = None;
        }
    }
}

struct Waiting<L> {
    label: L,
    place: Option<String>,
    sender: Sender<(L, Result<TaskOutcome, TaskError>, OutcomeReceipt)>,
    withdrawn: Arc<AtomicBool>,
}

impl<L: Send> Listener for Waiting<L> {
    fn begin(&mut self) -> bool {
        !self.withdrawn.load(Ordering::Relaxed)
    }

    fn place(&self) -> Option<String> {
        self.place.clone()
    }

    fn done(self: Box<Self>, task: Task, outcome: Result<TaskOutcome, TaskError>) {
        self.done_with_receipt(task, outcome, no_receipt());
    }

    fn done_with_receipt(
        self: Box<Self>,
        _task: Task,
        outcome: Result<TaskOutcome, TaskError>,
        receipt: OutcomeReceipt,
    ) {
        // The receiver stays until all senders are gone.
        let _ = self.sender.send((self.label, outcome, receipt));
    }
}
