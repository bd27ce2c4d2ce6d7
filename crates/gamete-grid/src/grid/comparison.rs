//! Having some tasks done by a second worker.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::time::interval;

use super::coordinator::{Coordinator, TICK};
use super::dispatch::HEADERS;
use super::lock;
use super::presence::GONE_AFTER;
use crate::broker::say;
use crate::message::{Batch, Heartbeat, Order, PROTOCOL, pack};
use crate::sent_batch::SentBatch;
use crate::trust::Present;

/// How long after the first task it is looked whether any can be checked.
const SUBMITTING: Duration = Duration::from_secs(2);

impl Coordinator {
    /// Says once that no task can be checked, if a share of them was to be.
    pub fn tell_of_uncheckable(&self) {
        let shared = &self.shared;
        let any = shared.submitted.load(Ordering::Acquire) > 0;
        if shared.checked.is_none() || !any || shared.repeatable.load(Ordering::Acquire) > 0 {
            return;
        }
        if !self.is_uncheckable_told.swap(true, Ordering::Relaxed) {
            self.options.notices.say(
                "no game so far can be checked: games under a clock or with other programs are never the same twice, and \
                 --check-workers has no effect on them",
            );
        }
    }

    /// Asks workers for what is to be compared, as long as anything is.
    pub async fn compare(self: Arc<Self>) {
        let mut tick = interval(TICK);
        let mut first: Option<Instant> = None;
        loop {
            tick.tick().await;
            // Games that can be checked may follow those that cannot.
            if self.shared.submitted.load(Ordering::Relaxed) > 0
                && first.get_or_insert_with(Instant::now).elapsed() > SUBMITTING
            {
                self.tell_of_uncheckable();
            }
            if self.shared.table().trust.len() > 0 {
                self.ask().await;
            }
        }
    }

    /// Asks workers for what is to be compared, each by itself: what is in the queue might be taken by whoever has done it.
    async fn ask(&self) {
        let workers = self.present();
        let present: Vec<Present> = workers.values().map(|(present, _)| present.clone()).collect();
        let slots = self.shared.slots.load(Ordering::Relaxed);
        let (asked, is_alone) = self.shared.table().ask(&present, slots, self.options.lease.wait);
        if is_alone {
            self.options.notices.say(
                "outcomes wait for another worker to check them; start a second one, or lend a core of this machine with --local 1",
            );
        }
        for (worker, order) in asked {
            let id = order.id.clone();
            let is_asked = match workers.get(&worker) {
                Some((_, inbox)) => self.ask_for(order, inbox).await,
                None => false,
            };
            // Somebody else is asked at once; what gets lost later is missed when the worker does not speak of it.
            if !is_asked {
                self.shared.table().trust.was_not_asked(&id);
            }
        }
    }

    /// Asks for a task at the inbox of a worker; says whether the question is on its way.
    async fn ask_for(&self, order: Order, inbox: &str) -> bool {
        let most = self.client.max_payload().saturating_sub(HEADERS);
        let mut orders = vec![order];
        for attempt in 0..2 {
            let batch = self.new_batch();
            let batch = Batch { version: PROTOCOL, batch, reference: None, orders: orders.clone() };
            let payload = pack(&SentBatch::from(batch));
            if payload.len() <= most {
                let outcomes = self.broker.names.outcome_subject();
                return say(&self.client, inbox.to_owned(), Some(outcomes), payload).await;
            }
            if attempt == 0
                && let Err(error) = self.keeper.keep(&mut orders, true).await
            {
                self.options.notices.say(&error.to_string());
            }
        }
        false
    }

    /// The workers of this experiment that are there, and where they are asked, by their ids.
    fn present(&self) -> BTreeMap<String, (Present, String)> {
        let now = Instant::now();
        let workers = lock(&self.workers);
        let here = workers.values().filter(|(heartbeat, seen)| {
            !heartbeat.leaving
                && now.duration_since(*seen) < GONE_AFTER
                && heartbeat.serves.contains(&self.broker.names.slug)
        });
        let present = |(heartbeat, seen): &(Heartbeat, Instant)| {
            let Heartbeat { id, inbox, checks, .. } = heartbeat;
            let present = Present { id: id.clone(), seen: *seen, checks: checks.iter().cloned().collect() };
            (id.clone(), (present, inbox.clone()))
        };
        here.map(present).collect()
    }
}
