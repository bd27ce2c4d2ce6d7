//! Having some tasks done by a second worker.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::coordinator::Coordinator;
use super::lock;
use super::presence::GONE_AFTER;
use crate::message::{Batch, PROTOCOL, pack};

impl Coordinator {
    /// Asks workers for what is to be compared, each by itself: what is in the queue might be taken by whoever has done it.
    pub async fn compare(&self) {
        if self.shared.table().trust.len() == 0 {
            return;
        }
        let inboxes = self.inboxes();
        let present: Vec<String> = inboxes.keys().cloned().collect();
        let slots = self.shared.slots.load(Ordering::Relaxed);
        let (asked, is_alone) = self.shared.table().ask(&present, slots, self.options.lease.wait);
        if is_alone {
            self.options.notices.say(
                "outcomes wait for another worker to check them; start a second one, or lend a core of this machine with --local 1",
            );
        }
        for (worker, order) in asked {
            let Some(inbox) = inboxes.get(&worker) else { continue };
            let number = self.batches.fetch_add(1, Ordering::Relaxed);
            let batch = format!("{}-{number}", self.shared.life);
            let payload = pack(&Batch { version: PROTOCOL, batch, reference: None, orders: vec![order] });
            let outcomes = self.broker.names.outcome_subject();
            // Where it does not arrive, somebody else is asked later.
            let _ = self.client.publish_with_reply(inbox.clone(), outcomes, payload.into()).await;
        }
    }

    /// Where workers of this experiment are asked, by their ids.
    fn inboxes(&self) -> BTreeMap<String, String> {
        let now = Instant::now();
        let workers = lock(&self.workers);
        let here = workers.values().filter(|(heartbeat, seen)| {
            !heartbeat.leaving
                && now.duration_since(*seen) < GONE_AFTER
                && heartbeat.serves.contains(&self.broker.names.slug)
        });
        here.map(|(heartbeat, _)| (heartbeat.id.clone(), heartbeat.inbox.clone())).collect()
    }
}
