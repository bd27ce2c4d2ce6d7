//! Tasks that nobody answers: those that were given out too often, and those that the broker has lost.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use futures_util::StreamExt as _;
use serde::Deserialize;
use tokio::time::sleep;

use super::coordinator::Coordinator;
use super::lock;
use crate::broker::{Queued, by_token, ids};
use crate::message::Batch;
use crate::names::{engines_of, engines_token};
use crate::table::described;

/// What the broker says of a message that was given out too often.
#[derive(Deserialize)]
struct TooOften {
    stream_seq: u64,
}

/// Looks in a row that find the broker handing out nothing, after which its streams are made anew.
const LOOKS: u32 = 3;

impl Coordinator {
    /// Hears from the broker of tasks that were given out too often.
    pub async fn hear_of_failures(self: Arc<Self>) {
        let stream = self.broker.names.tasks();
        let subject = format!("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{stream}.*");
        let Ok(mut failures) = self.client.subscribe(subject).await else { return };
        while let Some(message) = failures.next().await {
            if let Ok(TooOften { stream_seq }) = serde_json::from_slice(&message.payload) {
                self.give_up(stream_seq).await;
            }
        }
    }

    /// Takes a batch out of the queue that nobody has answered, however often it was given out. One of its tasks is at fault: each
    /// is sent by itself, and one that was by itself is given up.
    async fn give_up(self: &Arc<Self>, sequence: u64) {
        let Some(Batch { mut orders, .. }) = self.broker.message(sequence).await else { return };
        self.broker.remove(sequence).await;
        if let [order] = orders.as_slice() {
            let reason = format!(
                "{} was given to workers {} times, and none has answered",
                described(&order.id, &order.task),
                self.options.lease.deliveries
            );
            self.options.notices.say(&reason);
            self.shared.failed.fetch_add(1, Ordering::Relaxed);
            let failed = self.shared.table().fail(&order.id, reason);
            failed.into_iter().for_each(|telling| self.tell(telling));
            return;
        }
        for order in orders.drain(..) {
            let engines = engines_of(&order.task);
            self.send(&engines_token(&engines), &engines, vec![order]).await;
        }
    }

    /// Messages of the queue that nobody has, or will be given: they were given out too often, and that was not heard.
    async fn stuck(&self, queued: &[Queued]) -> HashSet<u64> {
        let mut stuck = HashSet::new();
        for (token, messages) in by_token(queued) {
            if self.broker.is_idle(token).await {
                stuck.extend(messages.iter().map(|message| message.sequence));
            }
        }
        stuck
    }

    /// Whether the broker hands out no tasks or no outcomes, though it has some and is asked for them: nats-server 2.9 may do so with a stream that was
    /// made while another of its name was removed.
    async fn hands_out_nothing(&self) -> bool {
        if self.broker.withholds_outcomes().await {
            return true;
        }
        let tokens: Vec<String> = lock(&self.queues).keys().cloned().collect();
        for token in tokens {
            if self.broker.hands_out_nothing(&token).await {
                return true;
            }
        }
        false
    }

    /// Looks whether tasks are neither in the queue nor answered, as after a broker has lost its disk, and sends them again.
    pub async fn look_for_lost(self: Arc<Self>) {
        let patience = self.options.lease.patience;
        let mut looks = 0;
        loop {
            sleep(patience / 4).await;
            let quiet = lock(&self.heard).elapsed();
            if quiet < patience || self.shared.table().open() == 0 {
                continue;
            }
            looks = if self.hands_out_nothing().await { looks + 1 } else { 0 };
            if looks == LOOKS {
                self.options
                    .notices
                    .say("the broker does not hand out what it has; its streams are made anew");
                let _ = self.broker.delete().await;
                looks = 0;
            }
            let before = Instant::now();
            let _ = self.broker.make_streams().await;
            let tokens: Vec<String> = lock(&self.queues).keys().cloned().collect();
            for token in tokens {
                let _ = self.broker.make_queue(&token).await;
            }
            let Ok(queued) = self.broker.queued().await else { continue };
            let stuck = self.stuck(&queued).await;
            // Outcomes of what has just left the queue may be on their way.
            sleep(patience / 4).await;
            if lock(&self.heard).elapsed() < patience {
                continue;
            }
            // A queue that was just made may not have been filled when it was asked for.
            if !stuck.is_empty()
                && let Ok(queued) = self.broker.queued().await
            {
                for sequence in self.stuck(&queued).await.intersection(&stuck) {
                    self.give_up(*sequence).await;
                }
            }
            let lost =
                self.shared.table().lost(&ids(&queued), before.checked_sub(patience).unwrap_or(before));
            if !lost.is_empty() {
                let count = lost.len();
                self.shared.sent_again.fetch_add(count as u64, Ordering::Relaxed);
                self.options.notices.say(&format!("the broker has lost {count} tasks; sending them again"));
                self.keeper.forget();
            }
            for (token, order) in lost {
                let engines = engines_of(&order.task);
                self.send(&token, &engines, vec![order]).await;
            }
            *lock(&self.heard) = Instant::now();
        }
    }
}
