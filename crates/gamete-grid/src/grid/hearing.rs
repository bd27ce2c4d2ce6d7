//! Hearing what came of tasks, and telling who waits for them.

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
use crate::message::{Answers, unpack};
use crate::table::{Receipt, Telling};

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

    pub async fn hear(&self, message: Message) {
        let answers: Answers = match unpack(&message.payload) {
            Ok(answers) => answers,
            Err(error) => {
                self.options.notices.say(&format!("a message among the outcomes is left out: {error}"));
                let _ = message.ack_with(AckKind::Term).await;
                return;
            }
        };
        *lock(&self.heard) = Instant::now();
        let left = AtomicUsize::new(answers.answers.len());
        let delivery = Arc::new(Delivery { message, left });
        for answer in answers.answers {
            let micros = answer.micros;
            let heard = self.shared.table().hear(answer, Part(Arc::clone(&delivery)));
            if let Some(telling) = heard {
                self.shared.busy.fetch_add(micros, Ordering::Relaxed);
                self.tell(telling);
            }
        }
        self.shared.wake.notify_one();
    }

    pub fn tell(&self, telling: Telling<Part>) {
        self.shared.told.fetch_add(1, Ordering::Relaxed);
        // A listener that panics would leave others waiting.
        if catch_unwind(AssertUnwindSafe(|| telling.tell())).is_err() {
            let all = self.shared.table().stop();
            drop(all);
        }
    }
}
