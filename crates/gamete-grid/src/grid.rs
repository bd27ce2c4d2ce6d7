use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use async_nats::{Client, jetstream};
use futures_util::StreamExt as _;
use gamete_arena::{Executor, Listener, NamedEngine, Task, TaskKey};
use serde::Deserialize;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{interval, sleep};

use crate::access::{causes, random_delay};
use crate::broker::{Broker, by_token, ids};
use crate::message::{Answers, Batch, Heartbeat, Offer, Order, PROTOCOL, QueueOffer, pack, read, unpack};
use crate::names::{HELLO, Names, OFFERS, WORKERS, engines_of, engines_token};
use crate::table::{Admitted, Receipt, Submission, Table, Telling};
use crate::{Access, GridError, Notices, build_signature};

/// Has tasks done by workers, wherever they are, as the coordinator of an experiment.
///
/// What it has given out is at the broker: when it dies and comes back under the same name, outcomes wait for it there, and
/// what is still in the queue is not sent again. A result is told once, however often it is delivered.
pub struct Grid {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What a coordinator is started with.
#[derive(Clone)]
pub struct GridOptions {
    /// Where the broker is.
    pub access: Access,
    /// What the experiment is called.
    pub experiment: String,
    /// What tells experiments of one name apart, as the folder of their lab does. Without it, nobody comes back to the
    /// experiment, and nothing is left of it at the broker.
    pub home: Option<String>,
    /// When it is set, nobody waits for tasks any more. Workers finish those that they have.
    pub stop: Arc<AtomicBool>,
    /// How long tasks are waited for.
    pub lease: Lease,
    /// Where lines for people go.
    pub notices: Notices,
}

/// How long workers may take, and how the broker keeps what they have.
#[derive(Debug, Clone, Copy)]
pub struct Lease {
    /// How long a worker may be silent about a task until it is given to another.
    pub wait: Duration,
    /// How often a task is given out at most.
    pub deliveries: i64,
    /// How long nothing is heard until it is looked whether something was lost.
    pub patience: Duration,
    /// On how many brokers of a cluster all is kept.
    pub replicas: usize,
}

impl Default for Lease {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(300),
            deliveries: 10,
            patience: Duration::from_secs(20),
            replicas: 1,
        }
    }
}

/// What the thread of a coordinator shares with those who submit.
struct Shared {
    table: Mutex<Table<Part>>,
    /// There is something to give out.
    wake: Notify,
    ending: AtomicU8,
    stop: Arc<AtomicBool>,
    /// Tasks that all workers do at a time.
    slots: AtomicUsize,
    /// Microseconds that went into tasks.
    busy: AtomicU64,
    told: AtomicU64,
    /// The experiment as it is called at the broker.
    slug: String,
    /// Whether what there is at the broker goes with the coordinator.
    passes: bool,
    /// What tells this life of the coordinator from others.
    life: String,
    submitted: AtomicU64,
}

/// The coordinator goes on.
const RUNNING: u8 = 0;
/// It leaves, and may come back.
const LEAVING: u8 = 1;
/// The experiment is over.
const OVER: u8 = 2;

/// How often it is looked whether to stop.
const TICK: Duration = Duration::from_millis(20);

/// How often it is said what there is to do.
const OFFER_EVERY: Duration = Duration::from_secs(1);

/// A worker that was silent for so long is gone.
pub(crate) const GONE_AFTER: Duration = Duration::from_secs(15);

/// Batches that may be on their way to the broker.
const SENDING: usize = 64;

/// What is left free of the largest message, for its headers.
const HEADERS: usize = 4096;

impl Grid {
    /// Connects, and finds what an earlier life has left.
    ///
    /// # Errors
    ///
    /// When there is no broker, it does not let us in, or cannot keep what it is given.
    pub fn start(options: GridOptions) -> Result<Self, GridError> {
        let life = format!("{:016x}", RandomState::new().hash_one(0));
        let home = options.home.as_ref().unwrap_or(&life);
        let names = Names::new(&options.experiment, home, build_signature());
        let shared = Arc::new(Shared {
            table: Mutex::new(Table::new(HashSet::new())),
            wake: Notify::new(),
            ending: AtomicU8::new(RUNNING),
            stop: Arc::clone(&options.stop),
            slots: AtomicUsize::new(0),
            busy: AtomicU64::new(0),
            told: AtomicU64::new(0),
            slug: names.slug.clone(),
            passes: options.home.is_none(),
            life,
            submitted: AtomicU64::new(0),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (begun, is_begun) = mpsc::channel();
        let of_thread = Arc::clone(&shared);
        let run = move || {
            runtime.block_on(async move {
                match Coordinator::begin(options, names, of_thread).await {
                    Ok((coordinator, outcomes)) => {
                        let _ = begun.send(Ok(()));
                        Arc::new(coordinator).run(outcomes).await;
                    }
                    Err(error) => {
                        let _ = begun.send(Err(error));
                    }
                }
            });
        };
        let thread = std::thread::Builder::new().name("grid".to_owned()).spawn(run)?;
        let grid = Self { shared, thread: Some(thread) };
        match is_begun.recv() {
            Ok(Ok(())) => Ok(grid),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(GridError::broker("be used", "the thread of the grid has ended")),
        }
    }

    /// Ends the experiment: removes all that there is of it at the broker.
    pub fn finish(mut self) {
        self.end(OVER);
    }

    /// The experiment as it is called at the broker.
    pub fn slug(&self) -> &str {
        &self.shared.slug
    }

    /// Outcomes that are there and nobody has asked for.
    pub fn unclaimed(&self) -> usize {
        self.shared.table().unclaimed()
    }

    fn end(&mut self, how: u8) {
        self.shared.ending.store(how, Ordering::Relaxed);
        let all = self.shared.table().stop();
        drop(all);
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end(if self.shared.passes { OVER } else { LEAVING });
        }
    }
}

impl Executor for Grid {
    fn submit(&self, key: TaskKey, task: Task, listener: Box<dyn Listener>) {
        let shared = &self.shared;
        let number = shared.submitted.fetch_add(1, Ordering::Relaxed);
        // Two games under a clock are two games even if they have one key.
        let id = if task.contestants().all(gamete_arena::Contestant::is_repeatable) {
            key.to_string()
        } else {
            format!("{key}.{}.{number}", shared.life)
        };
        let engines = engines_of(&task);
        let token = engines_token(&engines);
        let refused = shared.table().submit(Submission { id, engines, token, task, listener });
        shared.wake.notify_one();
        // Listeners may want to submit or close while they are dropped.
        drop(refused);
    }

    fn close(&self) {
        let waiting = self.shared.table().close();
        drop(waiting);
    }

    fn stop(&self) {
        let all = self.shared.table().stop();
        drop(all);
    }

    fn capacity(&self) -> usize {
        self.shared.slots.load(Ordering::Relaxed).max(1)
    }

    fn room(&self) -> usize {
        self.shared.table().room(self.capacity())
    }

    fn threads(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn busy(&self) -> Duration {
        Duration::from_micros(self.shared.busy.load(Ordering::Relaxed))
    }
}

impl Shared {
    fn table(&self) -> MutexGuard<'_, Table<Part>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One outcome of a message, which is acknowledged when all of them were told.
struct Part(Arc<Delivery>);

struct Delivery {
    message: Message,
    left: AtomicUsize,
}

impl Receipt for Part {
    fn told(&self) {
        if self.0.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            let delivery = Arc::clone(&self.0);
            // What is not acknowledged comes again, and is known then.
            tokio::spawn(async move {
                let _ = delivery.message.ack().await;
            });
        }
    }
}

/// What runs on the thread of a [`Grid`].
struct Coordinator {
    client: Client,
    broker: Broker,
    shared: Arc<Shared>,
    options: GridOptions,
    /// The queues that there are, and the engines that their tasks need.
    queues: Mutex<HashMap<String, Vec<NamedEngine>>>,
    workers: Mutex<HashMap<String, (Heartbeat, Instant)>>,
    batches: AtomicU64,
    sending: Semaphore,
    /// When something was heard last.
    heard: Mutex<Instant>,
}

/// What the broker says of a message that was given out too often.
#[derive(Deserialize)]
struct TooOften {
    stream_seq: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Coordinator {
    async fn begin(
        options: GridOptions,
        names: Names,
        shared: Arc<Shared>,
    ) -> Result<(Self, PullConsumer), GridError> {
        let client = options.access.connect("coordinator", &options.notices).await?;
        let context = jetstream::new(client.clone());
        check_jetstream(&client)
            .await
            .map_err(|reason| GridError::NoJetStream { url: options.access.shown(), reason })?;
        let broker = Broker { context, names, lease: options.lease };
        broker.make_streams().await?;
        let coordinator = Self {
            client,
            broker,
            shared,
            options,
            queues: Mutex::default(),
            workers: Mutex::default(),
            batches: AtomicU64::new(0),
            sending: Semaphore::new(SENDING),
            heard: Mutex::new(Instant::now()),
        };
        let outcomes = coordinator.find_what_was_left().await?;
        Ok((coordinator, outcomes))
    }

    /// Reads first what is in the queue and then what outcomes there are: what has left the queue has an outcome before.
    async fn find_what_was_left(&self) -> Result<PullConsumer, GridError> {
        let own = self.broker.names.task_subject("");
        let (ours, others): (Vec<_>, Vec<_>) = self
            .broker
            .queued()
            .await?
            .into_iter()
            .partition(|message| message.subject.starts_with(&own) && message.batch.is_some());
        for other in others {
            self.broker.remove(other.sequence).await;
        }
        *self.shared.table() = Table::new(ids(&ours));
        for token in by_token(&ours).keys() {
            let engines = ours.iter().filter_map(|message| message.batch.as_ref());
            let engines = engines.flat_map(|batch| &batch.orders).map(|order| engines_of(&order.task));
            let engines = engines.filter(|engines| engines_token(engines) == *token).take(1);
            self.open_queue(token, &engines.flatten().collect::<Vec<_>>()).await?;
        }
        let outcomes = self.broker.outcomes(true).await?;
        loop {
            let fetched = outcomes.fetch().max_messages(500).messages().await;
            let mut fetched =
                fetched.map_err(|error| GridError::broker("hand out outcomes", causes(&error)))?;
            let mut any = false;
            while let Some(message) = fetched.next().await {
                any = true;
                if let Ok(message) = message {
                    self.hear(message).await;
                }
            }
            if !any {
                return Ok(outcomes);
            }
        }
    }

    async fn run(self: Arc<Self>, outcomes: PullConsumer) {
        let tasks = [
            tokio::spawn(Arc::clone(&self).give_out()),
            tokio::spawn(Arc::clone(&self).listen(outcomes)),
            tokio::spawn(Arc::clone(&self).meet_workers()),
            tokio::spawn(Arc::clone(&self).hear_of_failures()),
            tokio::spawn(Arc::clone(&self).look_for_lost()),
        ];
        let mut tick = interval(TICK);
        loop {
            tick.tick().await;
            if self.shared.stop.load(Ordering::Relaxed) {
                let all = self.shared.table().stop();
                drop(all);
            }
            if self.shared.ending.load(Ordering::Relaxed) != RUNNING {
                break;
            }
        }
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
        let _ = self.offer(true).await;
        // Acknowledgements that were just made.
        let _ = tokio::time::timeout(Duration::from_secs(2), self.client.flush()).await;
        let is_over = self.shared.ending.load(Ordering::Relaxed) == OVER;
        if is_over || self.broker.is_empty().await {
            let deleted = tokio::time::timeout(Duration::from_secs(5), self.broker.delete()).await;
            if let Ok(Err(error)) = deleted {
                self.options
                    .notices
                    .say(&format!("{error}; what is left of the experiment there is not needed"));
            }
        }
    }

    /// Gives out what is submitted, as much as there is room for.
    async fn give_out(self: Arc<Self>) {
        loop {
            let slots = self.shared.slots.load(Ordering::Relaxed);
            let taken = self.shared.table().take(slots);
            if taken.is_empty() {
                let _ = tokio::time::timeout(Duration::from_millis(200), self.shared.wake.notified()).await;
                continue;
            }
            let (token, engines) = (taken[0].token.clone(), taken[0].engines.clone());
            let mut orders = Vec::new();
            for mut submission in taken {
                if !submission.listener.begin() {
                    continue;
                }
                let admitted = self.shared.table().admit(submission);
                match admitted {
                    Admitted::Send(order) => orders.push(order),
                    Admitted::Tell(telling) => self.tell(telling),
                    Admitted::UnderWay => {}
                }
            }
            if !orders.is_empty() {
                self.send(&token, &engines, orders).await;
            }
        }
    }

    /// Sends tasks that need the same engines. What is too large for one message is sent in several.
    async fn send(self: &Arc<Self>, token: &str, engines: &[NamedEngine], orders: Vec<Order>) {
        let mut attempt = 0;
        while let Err(error) = self.open_queue(token, engines).await {
            self.options.notices.say(&format!("{error}; trying again"));
            sleep(random_delay(attempt, Duration::from_secs(5))).await;
            attempt += 1;
        }
        let most = self.client.max_payload().saturating_sub(HEADERS);
        let mut parts = vec![orders];
        while let Some(orders) = parts.pop() {
            let number = self.batches.fetch_add(1, Ordering::Relaxed);
            let batch = format!("{}-{number}", self.shared.life);
            let message = Batch { version: PROTOCOL, batch: batch.clone(), orders };
            let payload = pack(&message);
            if payload.len() <= most {
                self.send_batch(token.to_owned(), batch, payload).await;
                continue;
            }
            let mut orders = message.orders;
            if let [order] = orders.as_slice() {
                let reason = format!(
                    "a task of {} bytes is more than the broker takes ({most}); raise its max_payload",
                    payload.len()
                );
                let failed = self.shared.table().fail(&order.id, reason);
                failed.into_iter().for_each(|telling| self.tell(telling));
                continue;
            }
            let second = orders.split_off(orders.len() / 2);
            parts.extend([second, orders]);
        }
    }

    /// Sends a batch until the broker has it; others may be sent meanwhile.
    async fn send_batch(self: &Arc<Self>, token: String, batch: String, payload: Vec<u8>) {
        let this = Arc::clone(self);
        let Ok(permit) = self.sending.acquire().await else { return };
        permit.forget();
        tokio::spawn(async move {
            let mut attempt = 0;
            while let Err(error) = this.broker.send(&token, &batch, payload.clone()).await {
                this.options.notices.say(&format!("{error}; trying again"));
                sleep(random_delay(attempt, Duration::from_secs(5))).await;
                attempt += 1;
                // A broker that has lost its disk has neither stream nor queue.
                let _ = this.broker.make_streams().await;
                let _ = this.broker.make_queue(&token).await;
            }
            this.sending.add_permits(1);
        });
    }

    async fn open_queue(&self, token: &str, engines: &[NamedEngine]) -> Result<(), GridError> {
        if lock(&self.queues).contains_key(token) {
            return Ok(());
        }
        self.broker.make_queue(token).await?;
        lock(&self.queues).insert(token.to_owned(), engines.to_vec());
        let _ = self.offer(false).await;
        Ok(())
    }

    /// Hears what came of tasks.
    async fn listen(self: Arc<Self>, mut outcomes: PullConsumer) {
        let mut attempt = 0;
        loop {
            let stream = outcomes
                .stream()
                .max_messages_per_batch(200)
                .expires(Duration::from_secs(30))
                .heartbeat(Duration::from_secs(5))
                .messages()
                .await;
            if let Ok(mut messages) = stream {
                while let Some(Ok(message)) = messages.next().await {
                    attempt = 0;
                    self.hear(message).await;
                }
            }
            sleep(random_delay(attempt, Duration::from_secs(2))).await;
            attempt += 1;
            let _ = self.broker.make_streams().await;
            if let Ok(again) = self.broker.outcomes(false).await {
                outcomes = again;
            }
        }
    }

    async fn hear(&self, message: Message) {
        let answers: Answers = match unpack(&message.payload) {
            Ok(answers) => answers,
            Err(error) => {
                self.options.notices.say(&format!("a message among the outcomes is left out: {error}"));
                let _ = message.ack_with(AckKind::Term).await;
                return;
            }
        };
        *lock(&self.heard) = Instant::now();
        let left = AtomicUsize::new(answers.answers.len());
        let delivery = Arc::new(Delivery { message, left });
        for answer in answers.answers {
            let micros = answer.micros;
            let heard = self.shared.table().hear(answer, Part(Arc::clone(&delivery)));
            if let Some(telling) = heard {
                self.shared.busy.fetch_add(micros, Ordering::Relaxed);
                self.tell(telling);
            }
        }
        self.shared.wake.notify_one();
    }

    fn tell(&self, telling: Telling<Part>) {
        self.shared.told.fetch_add(1, Ordering::Relaxed);
        // A listener that panics would leave others waiting.
        if catch_unwind(AssertUnwindSafe(|| telling.tell())).is_err() {
            let all = self.shared.table().stop();
            drop(all);
        }
    }

    /// Says what there is to do.
    async fn offer(&self, over: bool) -> Result<(), async_nats::Error> {
        let queue = |(token, engines): (&String, &Vec<NamedEngine>)| QueueOffer {
            token: token.clone(),
            engines: engines.clone(),
        };
        let queues = if over { Vec::new() } else { lock(&self.queues).iter().map(queue).collect() };
        let offer = Offer {
            version: PROTOCOL,
            experiment: self.options.experiment.clone(),
            slug: self.broker.names.slug.clone(),
            signature: self.broker.names.signature.clone(),
            lease_ms: self.options.lease.wait.as_millis() as u64,
            queues,
            open: self.shared.table().open(),
            told: self.shared.told.load(Ordering::Relaxed),
        };
        self.client.publish(OFFERS, serde_json::to_vec(&offer)?.into()).await?;
        Ok(())
    }

    /// Says what there is to do, and hears who is there to do it.
    async fn meet_workers(self: Arc<Self>) {
        let (workers, hello) = loop {
            let workers = self.client.subscribe(format!("{WORKERS}.>")).await;
            let hello = self.client.subscribe(HELLO).await;
            if let (Ok(workers), Ok(hello)) = (workers, hello) {
                break (workers, hello);
            }
            sleep(OFFER_EVERY).await;
        };
        let (mut workers, mut hello) = (workers, hello);
        let mut tick = interval(OFFER_EVERY);
        loop {
            tokio::select! {
                Some(message) = workers.next() => {
                    if let Ok(heartbeat) = read::<Heartbeat>(&message.payload) {
                        lock(&self.workers).insert(heartbeat.id.clone(), (heartbeat, Instant::now()));
                        self.count_slots();
                    }
                }
                Some(_) = hello.next() => {
                    let _ = self.offer(false).await;
                }
                _ = tick.tick() => {
                    self.count_slots();
                    let _ = self.offer(false).await;
                }
            }
        }
    }

    fn count_slots(&self) {
        let names = &self.broker.names;
        let mut workers = lock(&self.workers);
        workers.retain(|_, (heartbeat, seen)| !heartbeat.leaving && seen.elapsed() < GONE_AFTER);
        let ours = workers.values().filter(|(heartbeat, _)| heartbeat.serves.contains(&names.slug));
        let slots = ours.map(|(heartbeat, _)| heartbeat.concurrency).sum();
        drop(workers);
        if self.shared.slots.swap(slots, Ordering::Relaxed) < slots {
            self.shared.wake.notify_one();
        }
    }

    /// Hears from the broker of tasks that were given out too often.
    async fn hear_of_failures(self: Arc<Self>) {
        let stream = self.broker.names.tasks();
        let subject = format!("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{stream}.*");
        let Ok(mut failures) = self.client.subscribe(subject).await else { return };
        while let Some(message) = failures.next().await {
            if let Ok(TooOften { stream_seq }) = serde_json::from_slice(&message.payload) {
                self.give_up(stream_seq).await;
            }
        }
    }

    /// Takes a batch out of the queue that nobody has answered, however often it was given out. One of its tasks is at fault: each
    /// is sent by itself, and one that was by itself is given up.
    async fn give_up(self: &Arc<Self>, sequence: u64) {
        let Some(Batch { mut orders, .. }) = self.broker.message(sequence).await else { return };
        self.broker.remove(sequence).await;
        if let [order] = orders.as_slice() {
            let reason = format!(
                "{} was given to workers {} times, and none has answered",
                described(order),
                self.options.lease.deliveries
            );
            self.options.notices.say(&reason);
            let failed = self.shared.table().fail(&order.id, reason);
            failed.into_iter().for_each(|telling| self.tell(telling));
            return;
        }
        for order in orders.drain(..) {
            let engines = engines_of(&order.task);
            self.send(&engines_token(&engines), &engines, vec![order]).await;
        }
    }

    /// Looks whether tasks are neither in the queue nor answered, as after a broker has lost its disk, and sends them again.
    async fn look_for_lost(self: Arc<Self>) {
        let patience = self.options.lease.patience;
        loop {
            sleep(patience / 4).await;
            let quiet = lock(&self.heard).elapsed();
            if quiet < patience || self.shared.table().open() == 0 {
                continue;
            }
            let before = Instant::now();
            let _ = self.broker.make_streams().await;
            let tokens: Vec<String> = lock(&self.queues).keys().cloned().collect();
            for token in tokens {
                let _ = self.broker.make_queue(&token).await;
            }
            let Ok(queued) = self.broker.queued().await else { continue };
            for (token, messages) in by_token(&queued) {
                if self.broker.is_idle(token).await {
                    for message in messages {
                        self.give_up(message.sequence).await;
                    }
                }
            }
            // Outcomes of what has just left the queue may be on their way.
            sleep(patience / 4).await;
            if lock(&self.heard).elapsed() < patience {
                continue;
            }
            let lost =
                self.shared.table().lost(&ids(&queued), before.checked_sub(patience).unwrap_or(before));
            if !lost.is_empty() {
                let count = lost.len();
                self.options.notices.say(&format!("the broker has lost {count} tasks; sending them again"));
            }
            for (token, order) in lost {
                let engines = engines_of(&order.task);
                self.send(&token, &engines, vec![order]).await;
            }
            *lock(&self.heard) = Instant::now();
        }
    }
}

/// What the broker says of JetStream.
#[derive(Deserialize)]
struct JetStreamInfo {
    error: Option<JetStreamError>,
}

#[derive(Deserialize)]
struct JetStreamError {
    description: String,
}

/// A broker that was just started answers before its JetStream does.
const STARTING: Duration = Duration::from_secs(2);

/// Says why there is no JetStream, if there is none.
async fn check_jetstream(client: &Client) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        let reason = match client.request("$JS.API.INFO", Vec::new().into()).await {
            Ok(answer) => match serde_json::from_slice::<JetStreamInfo>(&answer.payload) {
                Ok(JetStreamInfo { error: None }) => return Ok(()),
                Ok(JetStreamInfo { error: Some(error) }) => error.description,
                Err(error) => error.to_string(),
            },
            Err(error) => causes(&error),
        };
        if begun.elapsed() > STARTING {
            return Err(reason);
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// A task for people.
fn described(order: &Order) -> String {
    let names: Vec<_> = order.task.contestants().map(|contestant| contestant.name.as_str()).collect();
    let key: String = order.id.chars().take(12).collect();
    format!("task {key} of {} ({})", names.join(" and "), order.task.game())
}
