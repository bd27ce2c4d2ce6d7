//! Deciding whose tasks to take.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::lender::Lender;
use crate::build_signature;
use crate::message::{Offer, read};

/// A queue that tasks are taken from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Queue {
    pub slug: String,
    pub token: String,
    pub lease: Duration,
}

/// How often it is looked whether an experiment that ends is removed: for six seconds, ever more rarely.
const REMOVING: u32 = 5;

impl Lender {
    /// Takes tasks of an offer from now on, if they are for this worker; says whether that is new.
    pub fn consider(self: &Arc<Self>, payload: &[u8]) -> bool {
        let notices = &self.options.notices;
        let offer: Offer = match read(payload) {
            Ok(offer) => offer,
            Err(error) => {
                notices.say(&format!("an offer of tasks is left out: {error}"));
                return false;
            }
        };
        if self.options.only.as_ref().is_some_and(|only| *only != offer.slug) {
            return false;
        }
        let own = build_signature();
        if offer.signature != own {
            notices.say(&format!(
                "{} plays by another program (signature {}, and this one has {own}): it gets no help from here; run the \
                 same version",
                offer.experiment, offer.signature
            ));
            return false;
        }
        if offer.refused.contains(&self.id) {
            notices.say(&format!(
                "{} has found an outcome of this worker wrong, and gives it no more tasks; is its memory sound, and its processor not \
                 overclocked?",
                offer.experiment
            ));
            self.queues().retain(|queue, _| queue.slug != offer.slug);
            self.shared.wake.notify_waiters();
            self.count_experiments();
            return false;
        }
        if offer.queues.is_empty() {
            let (this, slug) = (Arc::clone(self), offer.slug.clone());
            tokio::spawn(async move {
                this.cache.forget(&slug).await;
                this.drop_if_over(&slug).await;
            });
        }
        let lease = Duration::from_millis(offer.lease_ms.max(1));
        let now = Instant::now();
        let mut is_new = false;
        for queue in offer.queues {
            let engines = &self.options.engines;
            // That of a coordinator has the engines of its own experiment.
            let is_own = self.options.only.is_some();
            let missing = queue.engines.iter().find_map(|engine| match is_own {
                true => engines.spec(engine).err(),
                false => engines.check(engine).err(),
            });
            if let Some(missing) = missing {
                notices.say(&format!("{} is not helped from here: {missing}", offer.experiment));
                continue;
            }
            let queue = Queue { slug: offer.slug.clone(), token: queue.token, lease };
            if self.queues().insert(queue.clone(), now).is_none() {
                is_new = true;
                tokio::spawn(Arc::clone(self).take_from(queue));
            }
        }
        self.count_experiments();
        is_new
    }

    /// Asks for no more tasks of an experiment when the broker has removed it, which it does not say to those who wait for some: they
    /// would have no room for those of others until it was silent for long.
    async fn drop_if_over(&self, slug: &str) {
        for attempt in 0..REMOVING {
            if !self.queues().keys().any(|queue| queue.slug == slug) {
                return;
            }
            if self.has_no_stream(slug).await {
                self.queues().retain(|queue, _| queue.slug != slug);
                self.shared.wake.notify_waiters();
                self.count_experiments();
                return;
            }
            sleep(Duration::from_millis(200) * 2_u32.pow(attempt)).await;
        }
    }

    /// The experiments that it takes tasks of.
    pub fn count_experiments(&self) -> Vec<String> {
        let mut slugs: Vec<String> = self.queues().keys().map(|queue| queue.slug.clone()).collect();
        slugs.sort_unstable();
        slugs.dedup();
        self.shared.experiments.store(slugs.len() as u64, Ordering::Relaxed);
        slugs
    }
}
