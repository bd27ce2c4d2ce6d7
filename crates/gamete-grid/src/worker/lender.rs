use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, Context};
use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use gamete_arena::Executor;
use tokio::sync::OnceCell;
use tokio::time::{interval, sleep};

use super::WorkerOptions;
use super::hand::Hand;
use super::offers::Queue;
use super::rest::Rest;
use super::shared::Shared;
use crate::access::{LONGEST_DELAY, random_delay};
use crate::broker::say;
use crate::kept_parts::Cache;
use crate::message::{Heartbeat, MAX_CHECKS, PROTOCOL};
use crate::names::{HELLO, OFFERS, WORKERS};
use crate::seal::Seal;
use crate::{GridError, build_signature};

/// How often a worker says that it is there.
const BEAT_EVERY: Duration = Duration::from_secs(4);

/// How often it is looked whether to leave.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long it may take to withdraw requests for tasks, and to give back what came, where that is to be done at once.
pub(super) const WITHDRAWING: Duration = Duration::from_secs(2);

/// What runs on the thread of a [`Worker`](super::Worker).
pub(super) struct Lender {
    pub client: Client,
    pub context: Context,
    pub executor: Box<dyn Executor>,
    pub shared: Arc<Shared>,
    pub options: WorkerOptions,
    pub id: String,
    pub seal: Seal,
    /// Where it is asked to do tasks that others have done.
    pub inbox: String,
    pub hand: Hand,
    pub rest: Rest,
    pub cache: Cache,
    pub speed: OnceCell<u64>,
    /// When each queue that tasks are taken from was offered last.
    pub queues: Mutex<HashMap<Queue, Instant>>,
    /// Batches that it has begun.
    pub begun: AtomicU64,
    /// The tasks that it does as others have done them, by what they begin with.
    pub checks: Mutex<Vec<String>>,
}

/// What a worker listens to.
pub(super) struct Subscriptions {
    offers: Subscriber,
    hello: Subscriber,
    /// Tasks that others have done.
    inbox: Subscriber,
}

impl Lender {
    pub async fn begin(
        options: WorkerOptions,
        (id, seal): (String, Seal),
        shared: Arc<Shared>,
        executor: Box<dyn Executor>,
    ) -> Result<(Self, Subscriptions), GridError> {
        let mut attempt = 0;
        let client = loop {
            match options.access.connect("worker", &options.notices).await {
                Err(error @ GridError::NoBroker { .. }) if options.patient && !shared.is_leaving() => {
                    options.notices.say(&format!("{error}; trying again"));
                    sleep(random_delay(attempt, LONGEST_DELAY)).await;
                    attempt += 1;
                }
                connected => break connected?,
            }
        };
        let subscribed = |error: async_nats::SubscribeError| GridError::broker("be listened to", error);
        let offers = client.subscribe(OFFERS).await.map_err(subscribed)?;
        let hello = client.subscribe(HELLO).await.map_err(subscribed)?;
        let context = jetstream::new(client.clone());
        let address = client.new_inbox();
        let inbox = client.subscribe(address.clone()).await.map_err(subscribed)?;
        let lender = Self {
            cache: Cache::new(context.clone(), options.cache.clone(), options.notices.clone()),
            context,
            client,
            executor,
            shared,
            id,
            seal,
            inbox: address,
            hand: Hand::new(options.concurrency),
            rest: Rest::default(),
            speed: OnceCell::new_with(options.speed),
            options,
            queues: Mutex::default(),
            begun: AtomicU64::new(0),
            checks: Mutex::default(),
        };
        Ok((lender, Subscriptions { offers, hello, inbox }))
    }

    pub async fn run(self: Arc<Self>, subscriptions: Subscriptions) {
        let Subscriptions { mut offers, mut hello, mut inbox } = subscriptions;
        // For coordinators: other workers need not answer.
        say(&self.client, HELLO.to_owned(), None, b"worker".to_vec()).await;
        let mut tick = interval(BEAT_EVERY);
        let mut look = interval(LOOK_EVERY);
        let mut before = (Instant::now(), 0);
        let mut returning_since = None;
        while !(self.shared.is_leaving() && self.hand.is_empty() && self.queues().is_empty()) {
            if self.shared.is_returning() {
                let since: &mut Instant = returning_since.get_or_insert_with(Instant::now);
                if since.elapsed() > WITHDRAWING && self.shared.in_hand.load(Ordering::Relaxed) == 0 {
                    break;
                }
            }
            tokio::select! {
                Some(message) = offers.next() => {
                    if !self.shared.is_leaving() && self.consider(&message.payload) {
                        self.beat().await;
                    }
                }
                Some(message) = hello.next() => {
                    if message.payload.is_empty() {
                        self.beat().await;
                    }
                }
                Some(message) = inbox.next() => {
                    if !self.shared.is_leaving() {
                        tokio::spawn(Arc::clone(&self).check(message));
                    }
                }
                _ = tick.tick() => {
                    let done = self.shared.done.load(Ordering::Relaxed);
                    let seconds = before.0.elapsed().as_secs_f64().max(1e-3);
                    let rate = (done - before.1) as f64 / seconds;
                    self.shared.rate.store((1000.0 * rate) as u64, Ordering::Relaxed);
                    before = (Instant::now(), done);
                    self.beat().await;
                }
                _ = look.tick() => {
                    if self.shared.is_leaving() {
                        self.shared.wake.notify_waiters();
                    }
                }
            }
        }
        self.beat().await;
        let _ = tokio::time::timeout(Duration::from_secs(2), self.client.flush()).await;
        self.executor.stop();
    }

    pub fn queues(&self) -> MutexGuard<'_, HashMap<Queue, Instant>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn checks(&self) -> MutexGuard<'_, Vec<String>> {
        self.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that it is there.
    async fn beat(&self) {
        let counts = self.shared.counts();
        let heartbeat = Heartbeat {
            version: PROTOCOL,
            id: self.id.clone(),
            name: self.options.name.clone(),
            inbox: self.inbox.clone(),
            signature: build_signature().to_owned(),
            concurrency: self.options.concurrency,
            serves: self.count_experiments(),
            queues: self.queues().keys().map(|queue| format!("{}.{}", queue.slug, queue.token)).collect(),
            done: counts.done,
            failed: counts.failed,
            rate: counts.rate,
            speed: self.speed.get().copied(),
            leaving: self.shared.is_leaving(),
            checks: self.checks().iter().take(MAX_CHECKS).cloned().collect(),
        };
        let payload = serde_json::to_vec(&heartbeat).expect("plain data");
        say(&self.client, format!("{WORKERS}.{}", self.id), None, payload).await;
    }
}
