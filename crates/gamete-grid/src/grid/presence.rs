//! Saying what there is to do, and hearing who is there to do it.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::connection::State;
use futures_util::StreamExt as _;
use gamete_arena::NamedEngine;
use tokio::time::{interval, sleep};

use super::coordinator::Coordinator;
use super::lock;
use super::unserved::{Unserved, unserved_line};
use crate::broker::say;
use crate::message::{CoordinatorReport, Heartbeat, Offer, PROTOCOL, QueueOffer, pack};
use crate::names::{HELLO, OFFERS, STATUS, WORKERS};

/// How often it is said what there is to do.
const OFFER_EVERY: Duration = Duration::from_secs(1);

/// How soon it is said to those who ask, however many do.
const ANSWER_EVERY: Duration = Duration::from_millis(100);

/// A worker that was silent for so long is gone.
pub(crate) const GONE_AFTER: Duration = Duration::from_secs(15);

/// The most workers that a coordinator knows of: as many as may wait for tasks.
const MAX_WORKERS: usize = 20_000;

/// The most workers that an offer names as wrong.
const MAX_REFUSED: usize = 500;

/// Tasks that workers are believed to do at a time who have answered none yet: anybody may say so.
const CLAIMED: usize = 4096;

/// How many tasks workers are believed to do at a time: as many as those who have answered any say, and some of what the others say,
/// more where there are many.
fn believed(proven: usize, claimed: usize) -> usize {
    proven + claimed.min(CLAIMED.max(4 * proven))
}

impl Coordinator {
    /// Says what there is to do.
    pub async fn offer(&self, over: bool) {
        let queue = |(token, engines): (&String, &Vec<NamedEngine>)| QueueOffer {
            token: token.clone(),
            engines: engines.clone(),
        };
        let queues = if over { Vec::new() } else { lock(&self.queues).iter().map(queue).collect() };
        let (open, refused) = {
            let workers = lock(&self.workers);
            let table = self.shared.table();
            // Those that take tasks first; who is not there need not be told.
            let mut here: Vec<_> = workers
                .values()
                .filter(|(heartbeat, _)| table.trust.is_refused(&heartbeat.id))
                .map(|(heartbeat, _)| (heartbeat.serves.is_empty(), heartbeat.id.clone()))
                .collect();
            here.sort_unstable();
            here.truncate(MAX_REFUSED);
            (table.open(), here.into_iter().map(|(_, id)| id).collect())
        };
        let offer = Offer {
            version: PROTOCOL,
            experiment: self.options.experiment.clone(),
            slug: self.broker.names.slug.clone(),
            signature: self.broker.names.signature.clone(),
            lease_ms: self.options.lease.wait.as_millis() as u64,
            queues,
            open,
            told: self.shared.told.load(Ordering::Relaxed),
            refused,
        };
        let payload = serde_json::to_vec(&offer).expect("plain data");
        say(&self.client, OFFERS.to_owned(), None, payload).await;
    }

    /// Says what there is to do, and hears who is there to do it.
    pub async fn meet_workers(self: Arc<Self>) {
        let (mut workers, mut hello, mut questions) = loop {
            let workers = self.client.subscribe(format!("{WORKERS}.>")).await;
            let hello = self.client.subscribe(HELLO).await;
            let questions = self.client.subscribe(STATUS).await;
            if let (Ok(workers), Ok(hello), Ok(questions)) = (workers, hello, questions) {
                break (workers, hello, questions);
            }
            sleep(OFFER_EVERY).await;
        };
        let (mut tick, mut answer) = (interval(OFFER_EVERY), interval(ANSWER_EVERY));
        let mut is_asked = false;
        let mut unserved = Unserved::default();
        loop {
            tokio::select! {
                Some(message) = workers.next() => {
                    if let Some(heartbeat) = Heartbeat::read(&message.payload) && self.note(heartbeat) {
                        self.count_slots();
                    }
                }
                Some(message) = questions.next() => {
                    if let Some(reply) = message.reply {
                        say(&self.client, reply.to_string(), None, pack(&self.report())).await;
                    }
                }
                Some(_) = hello.next() => is_asked = true,
                _ = answer.tick() => {
                    if std::mem::take(&mut is_asked) {
                        self.offer(false).await;
                    }
                }
                _ = tick.tick() => {
                    self.count_slots();
                    self.tell_of_unserved(&mut unserved);
                    self.offer(false).await;
                }
            }
        }
    }

    /// Notes that a worker is there; says whether that is news, which it rarely is where there are thousands.
    fn note(&self, mut heartbeat: Heartbeat) -> bool {
        heartbeat.serves.retain(|slug| *slug == self.broker.names.slug);
        heartbeat.serves.truncate(1);
        self.retain_own_queues(&mut heartbeat);
        let news =
            |beat: &Heartbeat| (beat.leaving, beat.concurrency, beat.serves.clone(), beat.queues.clone());
        let now = news(&heartbeat);
        let mut workers = lock(&self.workers);
        if workers.len() >= MAX_WORKERS && !workers.contains_key(&heartbeat.id) {
            return false;
        }
        if !heartbeat.serves.is_empty() {
            lock(&self.shared.ledger).see(&heartbeat);
        }
        let before = workers.insert(heartbeat.id.clone(), (heartbeat, Instant::now()));
        before.is_none_or(|(before, _)| news(&before) != now)
    }

    /// Leaves of the queues in a heartbeat those of this experiment, each once.
    fn retain_own_queues(&self, heartbeat: &mut Heartbeat) {
        let slug = &self.broker.names.slug;
        let queues = lock(&self.queues);
        let is_ours = |name: &String| token_of(name, slug).is_some_and(|token| queues.contains_key(token));
        heartbeat.queues.retain(is_ours);
        heartbeat.queues.sort_unstable();
        heartbeat.queues.dedup();
    }

    /// Says which open tasks no worker takes, if that has been so for a while.
    fn tell_of_unserved(&self, unserved: &mut Unserved) {
        // Without a broker, nobody is heard of.
        if self.client.connection_state() != State::Connected {
            unserved.wait_anew();
            return;
        }
        let served = self.served();
        let open = match lock(&self.queues).keys().all(|token| served.contains(token)) {
            true => HashSet::new(),
            false => self.shared.table().open_tokens(),
        };
        for token in unserved.note(&served, &open, Instant::now()) {
            let engines = lock(&self.queues).get(&token).cloned().unwrap_or_default();
            self.options.notices.say(&unserved_line(&self.options.access.shown(), &engines));
        }
    }

    /// The queues that workers take tasks of.
    fn served(&self) -> HashSet<String> {
        let slug = &self.broker.names.slug;
        let all: HashSet<String> = lock(&self.queues).keys().cloned().collect();
        let workers = lock(&self.workers);
        let table = self.shared.table();
        let mut served = HashSet::new();
        for (Heartbeat { id, serves, queues, .. }, _) in workers.values() {
            if serves.is_empty() || table.trust.is_refused(id) {
                continue;
            }
            if queues.is_empty() || served.len() == all.len() {
                return all;
            }
            served.extend(queues.iter().filter_map(|name| token_of(name, slug)).map(str::to_owned));
        }
        served
    }

    fn report(&self) -> CoordinatorReport {
        CoordinatorReport {
            version: PROTOCOL,
            slug: self.broker.names.slug.clone(),
            failed: self.shared.failed.load(Ordering::Relaxed),
            sent_again: self.shared.sent_again.load(Ordering::Relaxed),
            workers: self.shared.workers(),
        }
    }

    fn count_slots(&self) {
        let names = &self.broker.names;
        let mut workers = lock(&self.workers);
        workers.retain(|_, (heartbeat, seen)| !heartbeat.leaving && seen.elapsed() < GONE_AFTER);
        let ours = workers.values().filter(|(heartbeat, _)| heartbeat.serves.contains(&names.slug));
        let mut table = self.shared.table();
        let trusted = ours.filter(|(heartbeat, _)| !table.trust.is_refused(&heartbeat.id));
        let mut ledger = lock(&self.shared.ledger);
        let (mut present, mut proven, mut claimed) = (0, 0, 0);
        for (Heartbeat { id, concurrency, .. }, _) in trusted {
            let has_answered = ledger.has_told(id) || table.trust.knows(id);
            *(if has_answered { &mut proven } else { &mut claimed }) += concurrency;
            present += 1;
        }
        table.workers = present;
        let slots = believed(proven, claimed);
        ledger.forget_silent(GONE_AFTER, |worker| table.trust.knows(worker));
        drop(ledger);
        drop(table);
        drop(workers);
        if self.shared.slots.swap(slots, Ordering::Relaxed) < slots {
            self.shared.wake.notify_one();
        }
    }
}

/// What stands for the engines of a queue of this experiment.
fn token_of<'a>(queue: &'a str, slug: &str) -> Option<&'a str> {
    queue.strip_prefix(slug)?.strip_prefix('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_answered_nothing_is_believed_in_part() {
        let all = [(0, 0), (0, 200), (0, 20_000_000), (100, 20_000_000), (4_000, 36_000), (10_000, 30_000)];
        assert_eq!(
            all.map(|(proven, claimed)| believed(proven, claimed)),
            [0, 200, 4_096, 4_196, 20_000, 40_000]
        );
    }
}
