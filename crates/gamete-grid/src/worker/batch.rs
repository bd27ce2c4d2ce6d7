//! Doing tasks.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message};
use gamete_arena::{TaskError, TaskOutcome};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::gathered::{Done, Gathered};
use super::lender::Lender;
use super::outcomes::{MessageNames, slug_of};
use super::rest::delay_after;
use crate::access::random_delay;
use crate::clock::ClockScale;
use crate::message::{Answer, Batch, Order, Refusal, unpack};

/// How long it is tried to fetch what tasks have in common. Others may have more success.
const FETCHING: Duration = Duration::from_secs(10);

impl Lender {
    /// Does the tasks of a message, sends what came of them, and only then acknowledges it.
    pub async fn do_batch(&self, message: Message, subject: String, lease: Duration) {
        let batch: Batch = match unpack(&message.payload) {
            Ok(batch) => batch,
            Err(error) => {
                self.options.notices.say(&format!("a message among the tasks is left out: {error}"));
                acknowledge(&message, AckKind::Term).await;
                return;
            }
        };
        let mut still_there = interval(lease / 3);
        still_there.set_missed_tick_behavior(MissedTickBehavior::Delay);
        still_there.tick().await;
        let count = batch.orders.len() as u64;
        self.shared.in_hand.fetch_add(count, Ordering::Relaxed);
        let work = self.work(batch, subject);
        tokio::pin!(work);
        let is_done = loop {
            tokio::select! {
                done = &mut work => break done,
                _ = still_there.tick() => acknowledge(&message, AckKind::Progress).await,
                () = self.shared.wake.notified() => {}
            }
            if self.shared.is_returning() {
                break false;
            }
        };
        self.shared.in_hand.fetch_sub(count, Ordering::Relaxed);
        let deliveries = || message.info().map_or(1, |info| info.delivered);
        let kind = if is_done {
            AckKind::Ack
        } else {
            AckKind::Nak((!self.shared.is_leaving()).then(|| delay_after(deliveries())))
        };
        acknowledge(&message, kind).await;
    }

    /// Does tasks and sends what came of them; says whether all were done and sent.
    pub async fn work(&self, batch: Batch, subject: String) -> bool {
        let Batch { batch, reference, mut orders, .. } = batch;
        let slug = slug_of(&subject);
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        if !self.complete(slug, &mut orders).await {
            self.fail();
            return false;
        }
        let scale = match reference {
            Some(reference) => Some(ClockScale::new(reference, self.speed().await)),
            None => None,
        };
        let gathered = Arc::<Gathered>::default();
        let mut unanswered = orders.len();
        let mut answers = Vec::new();
        for Order { id, mut task, .. } in orders {
            let key = task.key();
            if !id.starts_with(&key.to_string()) {
                let reason = self.signed("a task is not the one of its key");
                answers.push(Answer { id, micros: 0, result: Err(Refusal::Refused(reason)) });
                continue;
            }
            if let Some(scale) = scale {
                scale.apply(&mut task);
            }
            self.executor.submit(key, task, gathered.listener(id));
        }
        for part in 0.. {
            for done in gathered.next().await {
                let Some(answer) = self.answer(done, scale) else { return false };
                answers.push(answer);
            }
            if answers.is_empty() {
                break;
            }
            unanswered -= answers.len();
            if answers.iter().any(|answer| answer.result.is_ok()) {
                self.rest.succeed();
            } else {
                // Before it is known, so that others are asked.
                self.fail();
            }
            // Who does it again sends all of it by the same name. Parts need not be the same, even if one worker does it twice.
            let own_name = format!("{batch}.{}.{number}.{part}", self.id);
            let is_whole = part == 0 && unanswered == 0;
            let name = if is_whole { batch.clone() } else { own_name.clone() };
            let names = MessageNames { batch: &batch, name, own_name: &own_name };
            if !self.send(names, std::mem::take(&mut answers), &subject).await {
                return false;
            }
        }
        unanswered == 0
    }

    /// What came of a task, as it is sent; nothing if it was broken off.
    fn answer(&self, done: Done, scale: Option<ClockScale>) -> Option<Answer> {
        let Done { id, time, result } = done;
        let result = match result {
            Ok(mut outcome) => {
                if let Some(scale) = scale {
                    scale.record(&mut outcome);
                }
                Ok(outcome)
            }
            Err(TaskError::Interrupted) => return None,
            Err(TaskError::Panicked(text)) => Err(Refusal::Panicked(self.signed(&text))),
            Err(error) => Err(Refusal::Refused(self.signed(&error.to_string()))),
        };
        let is_fault = match &result {
            Ok(TaskOutcome::Game(game)) => game.termination.at_fault().is_some(),
            Ok(_) => false,
            Err(_) => true,
        };
        self.shared.done.fetch_add(1, Ordering::Relaxed);
        self.shared.failed.fetch_add(u64::from(is_fault), Ordering::Relaxed);
        Some(Answer { id, micros: time.as_micros() as u64, result })
    }

    /// Asks for no more tasks for a while.
    fn fail(&self) {
        self.rest.fail(Instant::now());
        self.shared.wake.notify_waiters();
    }

    /// Puts back into tasks what was taken out of them and is kept at the broker; says whether it is there.
    async fn complete(&self, slug: &str, orders: &mut [Order]) -> bool {
        let begun = Instant::now();
        for order in orders {
            let mut attempt = 0;
            while let Err(reason) = self.cache.complete(slug, order).await {
                self.options
                    .notices
                    .say(&format!("what tasks of {slug} have in common cannot be fetched: {reason}"));
                attempt += 1;
                if begun.elapsed() > FETCHING || self.shared.is_leaving() {
                    return false;
                }
                sleep(random_delay(attempt, Duration::from_secs(5))).await;
            }
        }
        true
    }

    /// Nodes a second of this machine, which are measured once, while all of its threads search.
    async fn speed(&self) -> u64 {
        let known = self.speed.get_or_init(|| async {
            let threads = self.options.concurrency;
            let measured = tokio::task::spawn_blocking(move || gamete_arena::speed(threads)).await;
            measured.unwrap_or(0)
        });
        *known.await
    }

    /// What goes wrong here, with the name of this worker.
    pub fn signed(&self, text: &str) -> String {
        format!("worker {}: {text}", self.options.name)
    }
}

/// How long it may take until an acknowledgement is on its way.
const ACKNOWLEDGING: Duration = Duration::from_secs(5);

/// Tells the broker of a message. Where it is away, the message is given out again.
pub(super) async fn acknowledge(message: &Message, kind: AckKind) {
    let _ = timeout(ACKNOWLEDGING, message.ack_with(kind)).await;
}
