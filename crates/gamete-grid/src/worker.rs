use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, AckKind, Context, Message};
use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use gamete_arena::uci::EngineCatalog;
use gamete_arena::{Executor, Listener, Local, LocalOptions, Task, TaskError, TaskOutcome, WorkspaceOptions};
use tokio::sync::{Notify, OnceCell, mpsc as channel};
use tokio::time::{interval, sleep};

use crate::access::random_delay;
use crate::broker::publish;
use crate::clock::ClockScale;
use crate::grid::GONE_AFTER;
use crate::kept_parts::Cache;
use crate::message::{
    Answer, Answers, Batch, Heartbeat, Offer, Order, PROTOCOL, Refusal, pack, read, unpack,
};
use crate::names::{HELLO, Names, OFFERS, OUTCOMES, WORKERS};
use crate::{Access, GridError, Notices, build_signature};

/// Takes tasks of any experiment at a broker, does them on threads of this machine, and sends back what came of them.
///
/// It runs nothing but players of ours and the programs of its own catalogue, whatever a task says.
pub struct Worker {
    id: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What a worker is started with.
#[derive(Clone)]
pub struct WorkerOptions {
    /// Where the broker is.
    pub access: Access,
    /// What it is called.
    pub name: String,
    /// How many tasks it does at a time.
    pub concurrency: usize,
    /// The programs that tasks may name.
    pub engines: Arc<EngineCatalog>,
    /// Its speed in nodes a second, by which clocks are scaled where that is asked for; measured then if it is not known.
    pub speed: Option<u64>,
    /// Where lines for people go.
    pub notices: Notices,
    /// The experiment that it helps alone, as it is [called](crate::Grid::slug) at the broker.
    pub only: Option<String>,
    /// Whether to go on trying where there is no broker at first.
    pub patient: bool,
    /// The folder where it keeps what many tasks have in common; in memory alone where there is none.
    pub cache: Option<PathBuf>,
}

/// What a worker has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WorkerCounts {
    /// Tasks that it did.
    pub done: u64,
    /// Those of them that it had no outcome of, and games in which a player failed.
    pub failed: u64,
    /// Tasks that it has in hand.
    pub in_hand: u64,
    /// Experiments that it takes tasks of.
    pub experiments: usize,
    /// Tasks a second, of late.
    pub rate: f64,
}

/// What the thread of a worker shares with who started it.
#[derive(Default)]
struct Shared {
    /// No more tasks are taken.
    leaving: AtomicBool,
    /// Those in hand are given back.
    returning: AtomicBool,
    wake: Notify,
    done: AtomicU64,
    failed: AtomicU64,
    in_hand: AtomicU64,
    experiments: AtomicU64,
    /// Thousandths of a task a second.
    rate: AtomicU64,
}

/// How often a worker says that it is there.
const BEAT_EVERY: Duration = Duration::from_secs(4);

/// How often it is looked whether to leave.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long it waits for tasks in one request.
const PULL: Duration = Duration::from_secs(3);

/// The same where it takes tasks of several experiments.
const PULL_OF_MANY: Duration = Duration::from_secs(1);

/// Batches that take less than this are fetched ahead.
const SHORT: Duration = Duration::from_secs(1);

impl Worker {
    /// Connects, and takes tasks from then on.
    ///
    /// # Errors
    ///
    /// When there is no broker, it does not let us in, or there are no threads.
    pub fn start(options: WorkerOptions) -> Result<Self, GridError> {
        let workspace =
            WorkspaceOptions { engines: Arc::clone(&options.engines), ..WorkspaceOptions::default() };
        let threads = LocalOptions { threads: options.concurrency, workspace, ..LocalOptions::default() };
        let local = Local::with_options(threads)?;
        Self::with_executor(options, Box::new(local))
    }

    /// The same where tasks are done by somebody else than threads of this machine.
    ///
    /// # Errors
    ///
    /// When there is no broker, or it does not let us in.
    pub fn with_executor(options: WorkerOptions, executor: Box<dyn Executor>) -> Result<Self, GridError> {
        let shared = Arc::<Shared>::default();
        let id = format!("{:016x}", RandomState::new().hash_one(0));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (begun, is_begun) = mpsc::channel();
        let (of_thread, id_of_thread) = (Arc::clone(&shared), id.clone());
        let run = move || {
            runtime.block_on(async move {
                match Lender::begin(options, id_of_thread, of_thread, executor).await {
                    Ok((lender, subscriptions)) => {
                        let _ = begun.send(Ok(()));
                        Arc::new(lender).run(subscriptions).await;
                    }
                    Err(error) => {
                        let _ = begun.send(Err(error));
                    }
                }
            });
        };
        let thread = std::thread::Builder::new().name("worker".to_owned()).spawn(run)?;
        let worker = Self { id, shared, thread: Some(thread) };
        match is_begun.recv() {
            Ok(Ok(())) => Ok(worker),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(GridError::broker("be used", "the thread of the worker has ended")),
        }
    }

    /// What tells it from all others.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Takes no more tasks; those in hand are finished.
    pub fn leave(&self) {
        self.shared.leaving.store(true, Ordering::Relaxed);
        self.shared.wake.notify_waiters();
    }

    /// Gives those in hand back at once, for others to do.
    pub fn give_back(&self) {
        self.shared.returning.store(true, Ordering::Relaxed);
        self.leave();
    }

    /// Whether it has left.
    pub fn has_left(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// What it has done so far.
    pub fn counts(&self) -> WorkerCounts {
        self.shared.counts()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.give_back();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn counts(&self) -> WorkerCounts {
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
        WorkerCounts {
            done: get(&self.done),
            failed: get(&self.failed),
            in_hand: get(&self.in_hand),
            experiments: get(&self.experiments) as usize,
            rate: get(&self.rate) as f64 / 1000.0,
        }
    }

    fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    fn is_returning(&self) -> bool {
        self.returning.load(Ordering::Relaxed)
    }
}

/// What runs on the thread of a [`Worker`].
struct Lender {
    client: Client,
    context: Context,
    executor: Box<dyn Executor>,
    shared: Arc<Shared>,
    options: WorkerOptions,
    id: String,
    /// Where it is asked to do tasks that others have done.
    inbox: String,
    hand: Hand,
    cache: Cache,
    speed: OnceCell<u64>,
    /// When each queue that tasks are taken from was offered last.
    queues: Mutex<HashMap<Queue, Instant>>,
}

/// What a worker listens to.
struct Subscriptions {
    offers: Subscriber,
    hello: Subscriber,
    /// Tasks that others have done.
    inbox: Subscriber,
}

/// A queue that tasks are taken from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Queue {
    slug: String,
    token: String,
    lease: Duration,
}

impl Lender {
    async fn begin(
        options: WorkerOptions,
        id: String,
        shared: Arc<Shared>,
        executor: Box<dyn Executor>,
    ) -> Result<(Self, Subscriptions), GridError> {
        let mut attempt = 0;
        let client = loop {
            match options.access.connect("worker", &options.notices).await {
                Err(error @ GridError::NoBroker { .. }) if options.patient && !shared.is_leaving() => {
                    options.notices.say(&format!("{error}; trying again"));
                    sleep(random_delay(attempt, Duration::from_secs(10))).await;
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
            inbox: address,
            hand: Hand::new(options.concurrency),
            speed: OnceCell::new_with(options.speed),
            options,
            queues: Mutex::default(),
        };
        Ok((lender, Subscriptions { offers, hello, inbox }))
    }

    async fn run(self: Arc<Self>, subscriptions: Subscriptions) {
        let Subscriptions { mut offers, mut hello, mut inbox } = subscriptions;
        // For coordinators: other workers need not answer.
        let _ = self.client.publish(HELLO, self.id.clone().into()).await;
        let mut tick = interval(BEAT_EVERY);
        let mut look = interval(LOOK_EVERY);
        let mut before = (Instant::now(), 0);
        while !(self.shared.is_leaving() && self.hand.is_empty() && self.queues().is_empty()) {
            if self.shared.is_returning() && self.shared.in_hand.load(Ordering::Relaxed) == 0 {
                break;
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

    fn queues(&self) -> std::sync::MutexGuard<'_, HashMap<Queue, Instant>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes tasks of an offer from now on, if they are for this worker; says whether that is new.
    fn consider(self: &Arc<Self>, payload: &[u8]) -> bool {
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
            self.count_experiments();
            return false;
        }
        if offer.queues.is_empty() {
            let (this, slug) = (Arc::clone(self), offer.slug.clone());
            tokio::spawn(async move { this.cache.forget(&slug).await });
        }
        let lease = Duration::from_millis(offer.lease_ms.max(1));
        let now = Instant::now();
        let mut is_new = false;
        for queue in offer.queues {
            let missing = queue.engines.iter().find_map(|engine| self.options.engines.spec(engine).err());
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

    fn count_experiments(&self) -> Vec<String> {
        let mut slugs: Vec<String> = self.queues().keys().map(|queue| queue.slug.clone()).collect();
        slugs.sort_unstable();
        slugs.dedup();
        self.shared.experiments.store(slugs.len() as u64, Ordering::Relaxed);
        slugs
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
            done: counts.done,
            failed: counts.failed,
            rate: counts.rate,
            speed: self.speed.get().copied(),
            leaving: self.shared.is_leaving(),
        };
        let payload = serde_json::to_vec(&heartbeat).expect("plain data");
        let _ = self.client.publish(format!("{WORKERS}.{}", self.id), payload.into()).await;
    }

    /// Takes tasks from a queue until it is no longer offered.
    async fn take_from(self: Arc<Self>, queue: Queue) {
        let names = Names { slug: queue.slug.clone(), signature: build_signature().to_owned() };
        let consumer: Result<PullConsumer, _> =
            self.context.get_consumer_from_stream(names.consumer(&queue.token), names.tasks()).await;
        if let Ok(consumer) = consumer {
            while !self.shared.is_leaving() {
                let free = self.hand.reserve().await;
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

    /// Waits for tasks; gives how many batches came, or nothing where the queue is gone.
    async fn pull(
        self: &Arc<Self>,
        consumer: &PullConsumer,
        names: &Names,
        queue: &Queue,
        free: usize,
    ) -> Option<usize> {
        let expires = if self.queues().len() > 1 { PULL_OF_MANY } else { PULL };
        let mut messages = consumer.batch().max_messages(free).expires(expires).messages().await.ok()?;
        let mut taken = 0;
        while let Some(message) = messages.next().await {
            let Ok(message) = message else { return (taken > 0).then_some(taken) };
            let is_refused = !self.queues().contains_key(queue);
            if self.shared.is_leaving() || is_refused {
                // Not at once: this request still waits, and would be given it again.
                let _ = message.ack_with(AckKind::Nak(Some(LOOK_EVERY))).await;
                return Some(taken);
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
        Some(taken)
    }

    /// Does tasks that others have done, and sends what came of them to where it is asked for. Nothing of this is at the broker:
    /// what is not answered is asked of somebody else.
    async fn check(self: Arc<Self>, message: async_nats::Message) {
        let subject = message.reply.filter(|subject| subject.starts_with(OUTCOMES));
        let (Some(subject), Ok(batch)) = (subject, unpack(&message.payload)) else {
            self.options
                .notices
                .say("a message among the tasks to check is left out: it is not of this program");
            return;
        };
        self.work(batch, subject.to_string()).await;
    }

    /// Does the tasks of a message, sends what came of them, and only then acknowledges it.
    async fn do_batch(&self, message: Message, subject: String, lease: Duration) {
        let batch: Batch = match unpack(&message.payload) {
            Ok(batch) => batch,
            Err(error) => {
                self.options.notices.say(&format!("a message among the tasks is left out: {error}"));
                let _ = message.ack_with(AckKind::Term).await;
                return;
            }
        };
        let mut still_there = interval(lease / 3);
        still_there.tick().await;
        let count = batch.orders.len() as u64;
        self.shared.in_hand.fetch_add(count, Ordering::Relaxed);
        let work = self.work(batch, subject);
        tokio::pin!(work);
        let is_done = loop {
            tokio::select! {
                done = &mut work => break done,
                _ = still_there.tick() => {
                    let _ = message.ack_with(AckKind::Progress).await;
                }
                () = self.shared.wake.notified() => {
                    if self.shared.is_returning() {
                        break false;
                    }
                }
            }
        };
        self.shared.in_hand.fetch_sub(count, Ordering::Relaxed);
        let kind = if is_done { AckKind::Ack } else { AckKind::Nak(None) };
        let _ = message.ack_with(kind).await;
    }

    /// Does tasks and sends what came of them; says whether all were done.
    async fn work(&self, batch: Batch, subject: String) -> bool {
        let Batch { batch, reference, mut orders, .. } = batch;
        let slug = subject.rsplit('.').next().unwrap_or_default();
        if !self.complete(slug, &mut orders).await {
            return false;
        }
        let scale = match reference {
            Some(reference) => Some(ClockScale::new(reference, self.speed().await)),
            None => None,
        };
        let (sender, mut receiver) = channel::unbounded_channel();
        let mut answers = Vec::with_capacity(orders.len());
        for Order { id, mut task, .. } in orders {
            let key = task.key();
            if !id.starts_with(&key.to_string()) {
                let reason = format!("worker {}: a task is not the one of its key", self.options.name);
                answers.push(Answer { id, micros: 0, result: Err(Refusal::Refused(reason)) });
                continue;
            }
            if let Some(scale) = scale {
                scale.apply(&mut task);
            }
            let listener = Timed { id, begun: None, sender: sender.clone() };
            self.executor.submit(key, task, Box::new(listener));
        }
        drop(sender);
        while let Some(done) = receiver.recv().await {
            let Done { id, time, result } = done;
            let micros = time.as_micros() as u64;
            let result = match result {
                Ok(mut outcome) => {
                    if let Some(scale) = scale {
                        scale.record(&mut outcome);
                    }
                    Ok(outcome)
                }
                Err(TaskError::Interrupted) => return false,
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
            answers.push(Answer { id, micros, result });
        }
        self.send(batch, answers, &subject).await;
        true
    }

    /// Puts back into tasks what was taken out of them and is kept at the broker; says whether it is there.
    async fn complete(&self, slug: &str, orders: &mut [Order]) -> bool {
        for order in orders {
            let mut attempt = 0;
            while let Err(reason) = self.cache.complete(slug, order).await {
                self.options
                    .notices
                    .say(&format!("what tasks of {slug} have in common cannot be fetched: {reason}"));
                attempt += 1;
                if attempt > FETCH_ATTEMPTS || self.shared.is_leaving() {
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

    fn signed(&self, text: &str) -> String {
        format!("worker {}: {text}", self.options.name)
    }

    /// Sends outcomes until the broker has them, in several messages where one would be too large.
    async fn send(&self, batch: String, answers: Vec<Answer>, subject: &str) {
        let most = self.client.max_payload().saturating_sub(4096);
        let mut parts = vec![(batch, answers)];
        while let Some((batch, answers)) = parts.pop() {
            let worker = self.options.name.clone();
            let id = self.id.clone();
            let message = Answers { version: PROTOCOL, batch: batch.clone(), worker, id, answers };
            let payload = pack(&message);
            let mut answers = message.answers;
            if payload.len() > most && answers.len() > 1 {
                let second = answers.split_off(answers.len() / 2);
                parts.extend([(format!("{batch}.2"), second), (format!("{batch}.1"), answers)]);
                continue;
            }
            if payload.len() > most {
                let reason = self
                    .signed(&format!("an outcome of {} bytes is more than the broker takes", payload.len()));
                answers.iter_mut().for_each(|answer| answer.result = Err(Refusal::Refused(reason.clone())));
                parts.push((format!("{batch}.x"), answers));
                continue;
            }
            let mut attempt = 0;
            while let Err(error) = publish(&self.context, subject.to_owned(), &batch, payload.clone()).await {
                self.options.notices.say(&format!("{error}; trying again"));
                sleep(random_delay(attempt, Duration::from_secs(5))).await;
                attempt += 1;
                // An experiment that is over has no stream for it.
                if attempt > MAX_ATTEMPTS {
                    break;
                }
            }
        }
    }
}

/// Attempts to fetch what tasks have in common: some ten seconds. Others may have more success.
const FETCH_ATTEMPTS: usize = 8;

/// Attempts to send outcomes: some minutes. What is not sent is done again by others.
const MAX_ATTEMPTS: usize = 60;

/// Waits for a task of a batch.
struct Timed {
    id: String,
    begun: Option<Instant>,
    sender: channel::UnboundedSender<Done>,
}

/// What came of it.
struct Done {
    id: String,
    time: Duration,
    result: Result<TaskOutcome, TaskError>,
}

impl Listener for Timed {
    fn begin(&mut self) -> bool {
        self.begun = Some(Instant::now());
        true
    }

    fn done(self: Box<Self>, _task: Task, result: Result<TaskOutcome, TaskError>) {
        let time = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        // Nobody listens after a batch was given back.
        let _ = self.sender.send(Done { id: self.id, time, result });
    }
}

/// How many batches a worker has: one for each thread, and as many again where they are short.
struct Hand {
    threads: usize,
    state: Mutex<HandState>,
    freed: Notify,
}

#[derive(Default)]
struct HandState {
    held: usize,
    /// What the latest batches took.
    time: Option<Duration>,
}

impl Hand {
    fn new(threads: usize) -> Self {
        Self { threads, state: Mutex::default(), freed: Notify::new() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, HandState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room, and takes all of it.
    async fn reserve(&self) -> usize {
        loop {
            let freed = self.freed.notified();
            {
                let mut state = self.state();
                let is_short = state.time.is_none_or(|time| time < SHORT);
                let most = if is_short { 2 * self.threads } else { self.threads };
                let free = most.saturating_sub(state.held);
                if free > 0 {
                    state.held += free;
                    return free;
                }
            }
            freed.await;
        }
    }

    fn release(&self, count: usize) {
        self.state().held -= count;
        self.freed.notify_waiters();
    }

    fn learn(&self, time: Duration) {
        let mut state = self.state();
        state.time = Some(state.time.map_or(time, |known| (3 * known + time) / 4));
    }

    fn is_empty(&self) -> bool {
        self.state().held == 0
    }
}
