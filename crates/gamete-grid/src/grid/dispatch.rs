//! Giving out tasks.

use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gamete_arena::NamedEngine;
use tokio::time::sleep;

use super::coordinator::Coordinator;
use super::lock;
use crate::GridError;
use crate::access::random_delay;
use crate::message::{Batch, Order, PROTOCOL, pack};
use crate::sent_batch::SentBatch;

/// Batches that may be on their way to the broker.
pub(super) const SENDING: usize = 64;

/// What is left free of the largest message, for its headers.
pub(super) const HEADERS: usize = 4096;

impl Coordinator {
    /// Gives out what is submitted, as much as there is room for.
    pub async fn give_out(self: Arc<Self>) {
        loop {
            let slots = self.shared.slots.load(Ordering::Relaxed);
            let taken = self.shared.table().take(slots);
            if taken.is_empty() {
                let _ = tokio::time::timeout(Duration::from_millis(200), self.shared.wake.notified()).await;
                continue;
            }
            let (token, engines) = (taken[0].token.clone(), taken[0].engines.clone());
            let mut begun = taken;
            begun.retain_mut(|submission| submission.listener.begin());
            let (orders, known) = self.shared.table().admit_all(begun);
            if let Some(consequences) = known {
                self.follow(consequences).await;
                // What an earlier life has left may have to be checked, by workers that serve this queue.
                let is_held = self.shared.table().trust.len() > 0;
                if is_held && let Err(error) = self.open_queue(&token, &engines).await {
                    self.options.notices.say(&error.to_string());
                }
            }
            if !orders.is_empty() {
                self.send(&token, &engines, orders).await;
            }
        }
    }

    /// The name of a batch. No worker can guess that of another's, so that it can answer only what it was given.
    pub fn new_batch(&self) -> String {
        let number = self.batches.fetch_add(1, Ordering::Relaxed);
        format!("{}-{number}-{:016x}", self.shared.life, self.secret.hash_one(number))
    }

    /// Sends tasks that need the same engines. What is too large for one message is sent in several.
    pub async fn send(self: &Arc<Self>, token: &str, engines: &[NamedEngine], mut orders: Vec<Order>) {
        if let Err(error) = self.keeper.keep(&mut orders, false).await {
            self.options.notices.say(&format!("{error}; it is sent with every task"));
        }
        let mut attempt = 0;
        while let Err(error) = self.open_queue(token, engines).await {
            self.options.notices.say(&format!("{error}; trying again"));
            sleep(random_delay(attempt, Duration::from_secs(5))).await;
            attempt += 1;
        }
        let most = self.client.max_payload().saturating_sub(HEADERS);
        let mut parts = vec![orders];
        while let Some(orders) = parts.pop() {
            let batch = self.new_batch();
            let reference = self.options.reference;
            let message =
                SentBatch::from(Batch { version: PROTOCOL, batch: batch.clone(), reference, orders });
            let payload = pack(&message);
            if payload.len() <= most {
                let ids = message.ids();
                self.shared.table().sent(ids, &batch);
                self.send_batch(token.to_owned(), batch, payload).await;
                continue;
            }
            let mut orders = message.into_orders();
            if let [order] = orders.as_slice() {
                let kept_before = order.kept.len();
                let kept = self.keeper.keep(&mut orders, true).await;
                if orders[0].kept.len() > kept_before {
                    parts.push(orders);
                    continue;
                }
                if let Err(error) = kept {
                    self.options.notices.say(&error.to_string());
                }
                let reason = format!(
                    "a task of {} bytes is more than the broker takes ({most}); raise its max_payload",
                    payload.len()
                );
                let failed = self.shared.table().fail(&orders[0].id, reason);
                failed.into_iter().for_each(|telling| self.tell(telling));
                continue;
            }
            let second = orders.split_off(orders.len() / 2);
            parts.extend([second, orders]);
        }
    }

    /// Sends a batch until the broker has it; others may be sent meanwhile.
    async fn send_batch(self: &Arc<Self>, token: String, batch: String, payload: Vec<u8>) {
        let this = Arc::clone(self);
        let Ok(permit) = self.sending.acquire().await else { return };
        permit.forget();
        tokio::spawn(async move {
            let mut attempt = 0;
            while let Err(error) = this.broker.send(&token, &batch, payload.clone()).await {
                this.options.notices.say(&format!("{error}; trying again"));
                sleep(random_delay(attempt, Duration::from_secs(5))).await;
                attempt += 1;
                // A broker that has lost its disk has neither stream nor queue.
                let _ = this.broker.make_streams().await;
                let _ = this.broker.make_queue(&token).await;
            }
            this.sending.add_permits(1);
        });
    }

    pub async fn open_queue(&self, token: &str, engines: &[NamedEngine]) -> Result<(), GridError> {
        if lock(&self.queues).contains_key(token) {
            return Ok(());
        }
        self.broker.make_queue(token).await?;
        lock(&self.queues).insert(token.to_owned(), engines.to_vec());
        self.offer(false).await;
        Ok(())
    }
}
