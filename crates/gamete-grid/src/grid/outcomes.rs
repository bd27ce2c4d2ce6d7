//! Hearing what came of tasks, and telling who waits for them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use super::coordinator::Coordinator;
use super::lock;
use crate::access::random_delay;
use crate::message::{Answers, MessageError, Order, short_name};
use crate::names::engines_of;
use crate::table::Consequence;
use crate::telling::{Receipt, Telling};
use crate::trust::{Author, Heard};

/// How often it is looked whether the connection is another one.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// One outcome of a message, which is acknowledged when none of them is needed any more.
pub(super) struct Part(Arc<Delivery>);

struct Delivery {
    message: Message,
    left: AtomicUsize,
    /// The thread that talks to the broker, which need not be that of who has stored an outcome.
    runtime: Handle,
}

impl Receipt for Part {
    fn told(&self) {
        if self.0.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            let delivery = Arc::clone(&self.0);
            // What is not acknowledged comes again, and is known then.
            self.0.runtime.spawn(async move {
                let _ = delivery.message.ack().await;
            });
        }
    }
}

impl Coordinator {
    /// Hears what came of tasks.
    pub async fn listen(self: Arc<Self>, mut outcomes: PullConsumer) {
        let statistics = self.client.statistics();
        let mut attempt = 0;
        loop {
            let connects = statistics.connects.load(Ordering::Relaxed);
            let stream = outcomes
                .stream()
                .max_messages_per_batch(200)
                .expires(Duration::from_secs(30))
                .heartbeat(Duration::from_secs(5))
                .messages()
                .await;
            let mut last = Instant::now();
            if let Ok(mut messages) = stream {
                while statistics.connects.load(Ordering::Relaxed) == connects {
                    match timeout(LOOK_EVERY, messages.next()).await {
                        Ok(Some(Ok(message))) => {
                            (attempt, last) = (0, Instant::now());
                            self.hear(message).await;
                        }
                        Ok(_) => break,
                        Err(_) if last.elapsed() < self.options.lease.patience => {}
                        // One that was made while its stream was removed may hand out nothing (nats-server 2.9).
                        Err(_) if self.broker.withholds_outcomes().await => break,
                        Err(_) => last = Instant::now(),
                    }
                }
            }
            sleep(random_delay(attempt, Duration::from_secs(2))).await;
            attempt += 1;
            let _ = self.broker.make_streams().await;
            // What was on its way over a connection that is lost would be sent again only after minutes.
            if let Ok(again) = self.broker.outcomes().await {
                outcomes = again;
            }
        }
    }

    async fn hear(self: &Arc<Self>, message: Message) {
        let consequences = self.take_in(message).await;
        self.follow(consequences).await;
        self.shared.wake.notify_one();
    }

    /// Takes a message with outcomes, and gives what follows from it.
    pub async fn take_in(&self, message: Message) -> Vec<Consequence<Part>> {
        let answers = match self.read(&message) {
            Ok(answers) => answers,
            Err(error) => {
                self.options.notices.say(&format!("a message among the outcomes is left out: {error}"));
                let _ = message.ack_with(AckKind::Term).await;
                return Vec::new();
            }
        };
        let batch: Arc<str> = answers.batch.into();
        let count = answers.answers.len();
        let delivery =
            Arc::new(Delivery { message, left: AtomicUsize::new(count), runtime: Handle::current() });
        let author = Author { id: answers.id, name: short_name(&answers.worker) };
        let first = self.outcomes.fetch_add(count as u64, Ordering::Relaxed);
        let mut table = self.shared.table();
        let held = table.trust.len();
        let parts = (first..).zip(answers.answers).map(|(place, answer)| Heard {
            answer,
            author: author.clone(),
            place,
            batch: Arc::clone(&batch),
            receipt: Part(Arc::clone(&delivery)),
        });
        let consequences: Vec<_> = parts.flat_map(|heard| table.hear(heard)).collect();
        // What leads to nothing does not keep lost tasks from being looked for.
        let is_told = consequences.iter().any(|consequence| matches!(consequence, Consequence::Tell(_)));
        if is_told || table.trust.len() != held {
            *lock(&self.heard) = Instant::now();
        }
        consequences
    }

    /// Reads a message with outcomes. Nobody else can send them in the name of the worker that is believed.
    fn read(&self, message: &Message) -> Result<Answers, MessageError> {
        let answers = Answers::unpack(&message.payload)?;
        match self.shared.own.get() {
            Some((own, seal))
                if *own == answers.id && !seal.is_on(message.headers.as_ref(), &message.payload) =>
            {
                Err(MessageError::NotOurs("it is not sealed by the worker whose name it has".to_owned()))
            }
            _ => Ok(answers),
        }
    }

    /// Does what follows from outcomes.
    pub async fn follow(self: &Arc<Self>, consequences: Vec<Consequence<Part>>) {
        let mut again: BTreeMap<String, Vec<Order>> = BTreeMap::new();
        for consequence in consequences {
            match consequence {
                Consequence::Tell(telling) => self.tell(telling),
                Consequence::Send(token, order) => again.entry(token).or_default().push(order),
                Consequence::Say(line) => self.options.notices.say(&line),
            }
        }
        self.shared
            .sent_again
            .fetch_add(again.values().map(Vec::len).sum::<usize>() as u64, Ordering::Relaxed);
        for (token, orders) in again {
            let size = self.shared.table().pace.batch(&token, &orders[0].task);
            let engines = engines_of(&orders[0].task);
            for orders in orders.chunks(size) {
                self.send(&token, &engines, orders.to_vec()).await;
            }
        }
    }

    pub fn tell(&self, telling: Telling<Part>) {
        self.shared.told.fetch_add(1, Ordering::Relaxed);
        self.shared.busy.fetch_add(telling.micros, Ordering::Relaxed);
        if let Some(author) = &telling.author {
            let (task, result) = telling.outcome();
            lock(&self.shared.ledger).count(author, task, result);
        }
        // A listener that panics would leave others waiting.
        if catch_unwind(AssertUnwindSafe(|| telling.tell())).is_err() {
            self.options.notices.say("an outcome made the program panic; the run ends here");
            let all = self.shared.table().stop();
            drop(all);
        }
    }
}
