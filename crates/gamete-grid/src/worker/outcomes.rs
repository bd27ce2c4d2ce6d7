//! Sending what came of tasks.

use std::time::{Duration, Instant};

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::ConsumerErrorKind;
use tokio::time::sleep;

use super::lender::Lender;
use super::offers::Queue;
use crate::access::random_delay;
use crate::broker::publish;
use crate::build_signature;
use crate::message::{Answer, Answers, MAX_OUTCOME_BYTES, PROTOCOL, Refusal, compress};
use crate::names::{Names, engines_token};
use crate::seal::Seal;

/// Attempts to send outcomes: some minutes. What is not sent is done again by others.
const MAX_ATTEMPTS: usize = 60;

/// How long the broker says that there is no stream for outcomes, and nobody offers tasks, until the experiment is over: a coordinator
/// makes the streams of one that goes on again.
const OVER_AFTER: Duration = Duration::from_secs(3);

/// What messages with outcomes of a batch are called.
pub(super) struct MessageNames<'a> {
    /// The batch, by which the coordinator knows what has left its queue.
    pub batch: &'a str,
    /// The message as the broker knows it, if it is sent again.
    pub name: String,
    /// What the names of several begin with, where one would be too large: nobody else uses it.
    pub own_name: &'a str,
}

impl Lender {
    /// Sends outcomes until the broker has them, in several messages where one would be too large; says whether it has.
    pub async fn send(&self, names: MessageNames<'_>, answers: Vec<Answer>, subject: &str) -> bool {
        let MessageNames { batch, name, own_name } = names;
        let slug = slug_of(subject);
        let most = self.client.max_payload().saturating_sub(4096);
        let mut parts = vec![(name, answers)];
        let mut names = (1..).map(|number| format!("{own_name}.{number}"));
        let mut next_name = || names.next().expect("numbers without end");
        while let Some((name, answers)) = parts.pop() {
            let worker = self.options.name.clone();
            let id = self.id.clone();
            let message = Answers { version: PROTOCOL, batch: batch.to_owned(), worker, id, answers };
            let json = serde_json::to_vec(&message).expect("plain data");
            let payload = compress(&json);
            let is_too_large = payload.len() > most || json.len() as u64 > MAX_OUTCOME_BYTES;
            let mut answers = message.answers;
            if is_too_large && answers.len() > 1 {
                let second = answers.split_off(answers.len() / 2);
                parts.extend([(next_name(), second), (next_name(), answers)]);
                continue;
            }
            if is_too_large {
                let reason = self
                    .signed(&format!("an outcome of {} bytes is more than the broker takes", payload.len()));
                answers.iter_mut().for_each(|answer| answer.result = Err(Refusal::Refused(reason.clone())));
                parts.push((next_name(), answers));
                continue;
            }
            let seal = self.seal.of(&payload).to_hex();
            let message = || {
                let message = PublishMessage::build().message_id(&name).payload(payload.clone().into());
                message.header(Seal::HEADER, seal.as_str())
            };
            let (mut attempt, mut gone_since) = (0, None);
            while let Err(error) = publish(&self.context, subject.to_owned(), message()).await {
                self.options.notices.say(&format!("{error}; trying again"));
                sleep(random_delay(attempt, Duration::from_secs(5))).await;
                attempt += 1;
                if !self.is_gone(slug).await {
                    gone_since = None;
                } else if gone_since.get_or_insert_with(Instant::now).elapsed() > OVER_AFTER {
                    return false;
                }
                if attempt > MAX_ATTEMPTS {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the broker says that there is no such experiment, and nobody has spoken of it for a while.
    async fn is_gone(&self, slug: &str) -> bool {
        let is_offered =
            |(queue, last): (&Queue, &Instant)| queue.slug == slug && last.elapsed() < OVER_AFTER;
        if self.queues().iter().any(is_offered) {
            return false;
        }
        self.has_no_stream(slug).await
    }

    /// Whether the broker says that there is no such experiment.
    pub async fn has_no_stream(&self, slug: &str) -> bool {
        let names = Names { slug: slug.to_owned(), signature: build_signature().to_owned() };
        // A worker may ask for consumers, and not for streams.
        let consumer = names.consumer(&engines_token(&[]));
        let found: Result<PullConsumer, _> =
            self.context.get_consumer_from_stream(consumer, names.tasks()).await;
        found.is_err_and(|error| match error.kind() {
            ConsumerErrorKind::JetStream(js) => js.error_code() == ErrorCode::STREAM_NOT_FOUND,
            _ => false,
        })
    }
}

/// The experiment that a subject of outcomes is for.
pub(super) fn slug_of(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}
