//! The thread that writes the journal.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::{LabError, Runtime};
use crate::store::{Entry, Store, StoreError};

/// Something to be written, and what is to be said when it is.
struct Message {
    entry: Entry,
    done: Box<dyn FnOnce(Result<(), Arc<StoreError>>) + Send>,
}

/// Has entries written.
#[derive(Clone)]
pub(crate) struct Writer(Sender<Message>);

/// What the writing thread listens to. It comes to its end when all writers are gone.
pub(crate) struct Inbox(Receiver<Message>);

/// How often the running time is stored where nothing else is: what a killed process loses of it at most.
const CLOCK_TICK: Duration = Duration::from_millis(200);

impl Writer {
    pub fn new() -> (Self, Inbox) {
        let (sender, receiver) = mpsc::channel();
        (Self(sender), Inbox(receiver))
    }

    /// Has something written, and says when it is.
    pub fn write(&self, entry: Entry, done: impl FnOnce(Result<(), Arc<StoreError>>) + Send + 'static) {
        // Nobody listens where the writing thread has panicked.
        let _ = self.0.send(Message { entry, done: Box::new(done) });
    }

    /// Has something written, and waits until it is.
    pub fn write_now(&self, entry: Entry) -> Result<(), LabError> {
        let (sender, receiver) = mpsc::channel();
        self.write(entry, move |written| {
            let _ = sender.send(written);
        });
        receiver.recv().map_err(|_| LabError::Stopped)?.map_err(LabError::from)
    }
}

impl Inbox {
    /// Writes what comes in, as much as there is at a time in one transaction. How long the experiment has run is part of
    /// every transaction, so that nothing that is stored is later than the stored time.
    pub fn serve(self, store: &Store, runtime: &Runtime<'_>) -> Result<(), LabError> {
        let time =
            || Entry::Seconds { experiment: runtime.experiment.to_owned(), seconds: runtime.seconds() };
        loop {
            let first = match self.0.recv_timeout(CLOCK_TICK) {
                Ok(message) => message,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    // Whatever keeps this from being written keeps outcomes from it too, and is reported then.
                    let _ = store.write(&[time()]);
                    continue;
                }
            };
            runtime.test_panic_point("the-writer");
            let start = Instant::now();
            let (mut entries, done): (Vec<_>, Vec<_>) = std::iter::once(first)
                .chain(self.0.try_iter())
                .map(|message| (message.entry, message.done))
                .unzip();
            entries.push(time());
            let written = store.write(&entries).map_err(Arc::new);
            for done in done {
                done(written.clone());
            }
            let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            runtime.meter().writing.fetch_add(time, Ordering::Relaxed);
        }
    }
}
