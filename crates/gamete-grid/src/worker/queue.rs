//! Taking tasks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::BatchConfig;
use async_nats::jetstream::{AckKind, Message};
use async_nats::{StatusCode, Subscriber};
use futures_util::StreamExt as _;
use tokio::time::{sleep, timeout};

use super::batch::acknowledge;
use super::lender::{Lender, WITHDRAWING};
use super::offers::Queue;
use crate::build_signature;
use crate::grid::GONE_AFTER;
use crate::message::{Batch, short_id, unpack};
use crate::names::{Names, OUTCOMES};

/// How long it waits for tasks in one request.
const PULL: Duration = Duration::from_secs(3);

/// How long it may take until a request is on its way.
const REQUESTING: Duration = Duration::from_secs(10);

/// The same where it takes tasks of several experiments.
const PULL_OF_MANY: Duration = Duration::from_secs(1);

/// How long after its end the broker may take to say that there was nothing.
const LATE: Duration = Duration::from_secs(5);

impl Lender {
    /// Takes tasks from a queue until it is no longer offered.
    pub async fn take_from(self: Arc<Self>, queue: Queue) {
        let names = Names { slug: queue.slug.clone(), signature: build_signature().to_owned() };
        let found = self.context.get_consumer_from_stream(names.consumer(&queue.token), names.tasks());
        let consumer: Result<Result<PullConsumer, _>, _> = timeout(REQUESTING, found).await;
        if let Ok(Ok(consumer)) = consumer {
            while !self.shared.is_leaving() {
                if let Some(rest) = self.rest.left(Instant::now()) {
                    let _ = timeout(rest, self.shared.wake.notified()).await;
                    continue;
                }
                let free = self.hand.reserve().await;
                if self.shared.is_leaving() {
                    self.hand.release(free);
                    break;
                }
                let taken = self.pull(&consumer, &names, &queue, free).await;
                self.hand.release(free - taken.unwrap_or(0));
                let offered = self.queues().get(&queue).copied();
                let is_offered = offered.is_some_and(|last| last.elapsed() < GONE_AFTER);
                // What is left of a coordinator that is gone is done all the same.
                if taken.is_none() || offered.is_none() || (taken == Some(0) && !is_offered) {
                    break;
                }
            }
        }
        // An offer that comes again begins anew.
        self.queues().remove(&queue);
        self.count_experiments();
        self.hand.freed.notify_waiters();
    }

    /// Asks for so many batches.
    async fn request(&self, consumer: &PullConsumer, free: usize, expires: Duration) -> Option<Subscriber> {
        let inbox = self.client.new_inbox();
        let messages = self.client.subscribe(inbox.clone()).await.ok()?;
        let request = BatchConfig { batch: free, expires: Some(expires), ..BatchConfig::default() };
        consumer.request_batch(request, inbox.into()).await.ok()?;
        Some(messages)
    }

    /// Waits for tasks; gives how many batches came, or nothing where the queue is gone. Where the worker leaves, rests or is
    /// refused meanwhile, what still comes is given back.
    async fn pull(
        self: &Arc<Self>,
        consumer: &PullConsumer,
        names: &Names,
        queue: &Queue,
        free: usize,
    ) -> Option<usize> {
        let expires = if self.queues().len() > 1 { PULL_OF_MANY } else { PULL };
        let request = self.request(consumer, free, expires);
        let mut messages = timeout(REQUESTING, request).await.ok()??;
        let end = sleep(expires + LATE);
        tokio::pin!(end);
        let (mut taken, mut given_back, mut is_withdrawn) = (0, Vec::new(), false);
        let mut is_there = true;
        let is_over = || {
            let is_resting = self.rest.left(Instant::now()).is_some();
            is_resting || self.shared.is_leaving() || !self.queues().contains_key(queue)
        };
        while taken + given_back.len() < free {
            let woken = self.shared.wake.notified();
            if !is_withdrawn && is_over() {
                is_withdrawn = true;
                end.as_mut().reset(tokio::time::Instant::now() + WITHDRAWING);
                // All that the broker has sent before it knows of that comes first.
                let _ = timeout(WITHDRAWING, messages.drain()).await;
            }
            let next = tokio::select! {
                next = messages.next() => next,
                () = &mut end => None,
                () = woken, if !is_withdrawn => continue,
            };
            let Some(message) = next else { break };
            match message.status {
                None | Some(StatusCode::OK) => {}
                Some(StatusCode::TIMEOUT | StatusCode::NOT_FOUND) => break,
                Some(_) => {
                    is_there = taken > 0;
                    break;
                }
            }
            let message = Message { message, context: self.context.clone() };
            if is_withdrawn || is_over() {
                given_back.push(message);
                continue;
            }
            taken += 1;
            let (this, subject, lease) = (Arc::clone(self), names.outcome_subject(), queue.lease);
            tokio::spawn(async move {
                let begun = Instant::now();
                this.do_batch(message, subject, lease).await;
                this.hand.learn(begun.elapsed());
                this.hand.release(1);
            });
        }
        // While the request waits, it would be given these again.
        drop(messages);
        for message in given_back {
            acknowledge(&message, AckKind::Nak(None)).await;
        }
        is_there.then_some(taken)
    }

    /// Does tasks that others have done, and sends what came of them to where it is asked for. Nothing of this is at the broker:
    /// what is not answered is asked of somebody else.
    pub async fn check(self: Arc<Self>, message: async_nats::Message) {
        let subject = message.reply.filter(|subject| subject.starts_with(OUTCOMES));
        let (Some(subject), Ok(batch)) = (subject, unpack(&message.payload)) else {
            self.options
                .notices
                .say("a message among the tasks to check is left out: it is not of this program");
            return;
        };
        let batch: Batch = batch;
        let ids: Vec<String> = batch.orders.iter().map(|order| short_id(&order.id).to_owned()).collect();
        self.checks().extend(ids.iter().cloned());
        self.work(batch, subject.to_string()).await;
        let mut checks = self.checks();
        for id in &ids {
            if let Some(place) = checks.iter().position(|check| check == id) {
                checks.swap_remove(place);
            }
        }
    }
}
