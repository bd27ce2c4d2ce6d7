//! Sending what came of tasks.

use std::time::Duration;

use async_nats::jetstream::message::PublishMessage;
use tokio::time::sleep;

use super::lender::Lender;
use crate::access::random_delay;
use crate::broker::publish;
use crate::message::{Answer, Answers, MAX_OUTCOME_BYTES, PROTOCOL, Refusal, compress};
use crate::seal::Seal;

/// Attempts to send outcomes: some minutes. What is not sent is done again by others.
const MAX_ATTEMPTS: usize = 60;

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
            let mut attempt = 0;
            while let Err(error) = publish(&self.context, subject.to_owned(), message()).await {
                self.options.notices.say(&format!("{error}; trying again"));
                sleep(random_delay(attempt, Duration::from_secs(5))).await;
                attempt += 1;
                // An experiment that is over has no stream for it.
                if attempt > MAX_ATTEMPTS {
                    return false;
                }
            }
        }
        true
    }
}
