//! Hearing what came of tasks, and telling who waits for them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use tokio::time::sleep;

use super::coordinator::Coordinator;
use super::lock;
use crate::access::random_delay;
use crate::message::{Answers, Order, unpack};
use crate::names::engines_of;
use crate::table::{Consequence, Receipt, Telling};
use crate::trust::{Author, Heard};

/// One outcome of a message, which is acknowledged when all of them were told.
pub(super) struct Part(Arc<Delivery>);

struct Delivery {
    message: Message,
    left: AtomicUsize,
}

impl Receipt for Part {
    fn told(&self) {
        if self.0.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            let delivery = Arc::clone(&self.0);
            // What is not acknowledged comes again, and is known then.
            tokio::spawn(async move {
                let _ = delivery.message.ack().await;
            });
        }
    }
}

impl Coordinator {
    /// Hears what came of tasks.
    pub async fn listen(self: Arc<Self>, mut outcomes: PullConsumer) {
        let mut attempt = 0;
        loop {
            let stream = outcomes
                .stream()
                .max_messages_per_batch(200)
                .expires(Duration::from_secs(30))
                .heartbeat(Duration::from_secs(5))
                .messages()
                .await;
            if let Ok(mut messages) = stream {
                while let Some(Ok(message)) = messages.next().await {
                    attempt = 0;
                    self.hear(message).await;
                }
            }
            sleep(random_delay(attempt, Duration::from_secs(2))).await;
            attempt += 1;
            let _ = self.broker.make_streams().await;
            if let Ok(again) = self.broker.outcomes(false).await {
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
        let answers: Answers = match unpack(&message.payload) {
            Ok(answers) => answers,
            Err(error) => {
                self.options.notices.say(&format!("a message among the outcomes is left out: {error}"));
                let _ = message.ack_with(AckKind::Term).await;
                return Vec::new();
            }
        };
        *lock(&self.heard) = Instant::now();
        let sequence = message.info().map_or(0, |info| info.stream_sequence);
        let left = AtomicUsize::new(answers.answers.len());
        let delivery = Arc::new(Delivery { message, left });
        let author = Author { id: answers.id, name: answers.worker };
        let mut table = self.shared.table();
        let parts = answers.answers.into_iter().enumerate().map(|(number, answer)| Heard {
            answer,
            author: author.clone(),
            place: (sequence, number),
            receipt: Part(Arc::clone(&delivery)),
        });
        parts.flat_map(|heard| table.hear(heard)).collect()
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
            let size = self.shared.table().pace.batch(&token);
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
            let all = self.shared.table().stop();
            drop(all);
        }
    }
}
