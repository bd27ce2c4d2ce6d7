use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::{Client, jetstream};
use futures_util::StreamExt as _;
use gamete_arena::NamedEngine;
use tokio::sync::Semaphore;
use tokio::time::interval;

use super::GridOptions;
use super::dispatch::SENDING;
use super::jetstream::check_jetstream;
use super::shared::{OVER, RUNNING, Shared};
use crate::GridError;
use crate::access::causes;
use crate::broker::{Broker, by_token, ids};
use crate::kept_parts::Keeper;
use crate::message::Heartbeat;
use crate::names::{Names, engines_of, engines_token};
use crate::table::{Consequence, Table};

/// How often it is looked whether to stop.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// What runs on the thread of a [`Grid`](super::Grid).
pub(super) struct Coordinator {
    pub client: Client,
    pub broker: Broker,
    pub keeper: Keeper,
    pub shared: Arc<Shared>,
    pub options: GridOptions,
    /// The queues that there are, and the engines that their tasks need.
    pub queues: Mutex<HashMap<String, Vec<NamedEngine>>>,
    pub workers: Mutex<HashMap<String, (Heartbeat, Instant)>>,
    pub batches: AtomicU64,
    /// What makes the names of batches known only to whoever is given them.
    pub secret: RandomState,
    pub sending: Semaphore,
    /// When something was heard last.
    pub heard: Mutex<Instant>,
    /// Outcomes that were heard.
    pub outcomes: AtomicU64,
    /// Whether it was said that nothing can be checked.
    pub is_uncheckable_told: AtomicBool,
}

impl Coordinator {
    pub async fn begin(
        options: GridOptions,
        names: Names,
        shared: Arc<Shared>,
    ) -> Result<(Self, PullConsumer), GridError> {
        let connected = options.access.connect_to_coordinate("coordinator", &options.notices).await;
        let (client, is_forbidden) = connected?;
        let context = jetstream::new(client.clone());
        check_jetstream(&client, is_forbidden, options.access.shown()).await?;
        let is_cluster = client.server_info().cluster.is_some();
        let notices = options.notices.clone();
        let broker = Broker { context, names, lease: options.lease, is_cluster, notices };
        if options.fresh {
            broker.delete().await?;
        }
        broker.make_streams().await?;
        let keeper = Keeper::new(broker.context.clone(), &broker.names.slug, broker.replicas());
        let coordinator = Self {
            client,
            broker,
            keeper,
            shared,
            options,
            queues: Mutex::default(),
            workers: Mutex::default(),
            batches: AtomicU64::new(0),
            secret: RandomState::new(),
            sending: Semaphore::new(SENDING),
            heard: Mutex::new(Instant::now()),
            outcomes: AtomicU64::new(0),
            is_uncheckable_told: AtomicBool::new(false),
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
        let outcomes = self.broker.outcomes().await?;
        loop {
            let fetched = outcomes.fetch().max_messages(500).messages().await;
            let mut fetched =
                fetched.map_err(|error| GridError::broker("hand out outcomes", causes(&error)))?;
            let mut any = false;
            while let Some(message) = fetched.next().await {
                any = true;
                if let Ok(message) = message {
                    // Nobody waits for anything yet.
                    for consequence in self.take_in(message).await {
                        if let Consequence::Say(line) = consequence {
                            self.options.notices.say(&line);
                        }
                    }
                }
            }
            if !any {
                self.shared.table().complete();
                return Ok(outcomes);
            }
        }
    }

    pub async fn run(self: Arc<Self>, outcomes: PullConsumer) {
        let tasks = [
            tokio::spawn(Arc::clone(&self).give_out()),
            tokio::spawn(Arc::clone(&self).listen(outcomes)),
            tokio::spawn(Arc::clone(&self).meet_workers()),
            tokio::spawn(Arc::clone(&self).compare()),
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
        self.tell_of_uncheckable();
        self.offer(true).await;
        // Acknowledgements that were just made.
        let _ = tokio::time::timeout(Duration::from_secs(2), self.client.flush()).await;
        let is_over = self.shared.ending.load(Ordering::Relaxed) == OVER;
        if is_over || self.broker.is_empty().await {
            let delete = async {
                for deleted in [self.broker.delete().await, self.keeper.remove_all().await] {
                    if let Err(error) = deleted {
                        let left = "what is left of the experiment there is not needed";
                        self.options.notices.say(&format!("{error}; {left}"));
                    }
                }
            };
            let _ = tokio::time::timeout(Duration::from_secs(5), delete).await;
        }
    }
}
