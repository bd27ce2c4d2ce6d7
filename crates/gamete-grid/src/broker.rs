//! What a coordinator has at the broker: a queue of tasks and a stream of outcomes.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use async_nats::Client;
use async_nats::connection::State;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind, GetStreamErrorKind};
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::stream::{
    Config, RawMessageError, RawMessageErrorKind, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{Context, ErrorCode};
use tokio::time::{sleep, timeout};

use crate::access::causes;
use crate::message::{Batch, unpack};
use crate::names::Names;
use crate::{GridError, Lease, Notices};

/// The streams of an experiment.
#[derive(Clone)]
pub(crate) struct Broker {
    pub context: Context,
    pub names: Names,
    pub lease: Lease,
    /// Whether it is one of several brokers.
    pub is_cluster: bool,
    pub notices: Notices,
}

/// What is kept of an experiment that nobody comes back to.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// In what time a message that is sent again is known for the same.
const DUPLICATES: Duration = Duration::from_secs(120);

/// Copies of everything in a cluster: one of three brokers may be away.
const COPIES: usize = 3;

/// How often it is tried to place them: brokers that were just started do not know each other yet.
const ATTEMPTS: usize = 20;

/// Workers that may wait for tasks.
const MAX_WAITING: i64 = 20_000;

/// The consumer of outcomes.
const COORDINATOR: &str = "coordinator";

/// A message in the queue of tasks.
pub(crate) struct Queued {
    pub sequence: u64,
    pub subject: String,
    pub batch: Option<Batch>,
}

impl Broker {
    /// Makes the streams, unless they are there.
    pub async fn make_streams(&self) -> Result<(), GridError> {
        let names = &self.names;
        self.make_stream(names.tasks(), names.task_subjects()).await?;
        self.make_stream(names.outcomes(), names.outcome_subject()).await?;
        Ok(())
    }

    async fn make_stream(&self, name: String, subject: String) -> Result<Stream, GridError> {
        let config = Config {
            name: name.clone(),
            subjects: vec![subject],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            max_age: MAX_AGE,
            duplicate_window: DUPLICATES,
            num_replicas: self.replicas(),
            ..Config::default()
        };
        let failed = |error: &dyn std::error::Error| {
            GridError::broker(format!("make the stream {name}"), causes(error))
        };
        match self.context.get_stream(&name).await {
            Ok(stream) => {
                let found = &stream.cached_info().config;
                let mut what = differences(found, &config);
                // Where nobody asks for a number, what an earlier life could have is enough.
                if self.lease.replicas.is_some_and(|wanted| wanted != found.num_replicas) {
                    let (found, wanted) = (found.num_replicas, config.num_replicas);
                    what.push(format!("its num_replicas is {found} and not {wanted}"));
                }
                if !what.is_empty() {
                    return Err(GridError::OtherSettings { stream: name, what: what.join(", ") });
                }
                return Ok(stream);
            }
            Err(error) if is_not_found(&error.kind()) => {}
            Err(error) => return Err(failed(&error)),
        }
        let error = match self.create_stream(config.clone()).await {
            Ok(stream) => return Ok(stream),
            Err(error) => error,
        };
        match error.kind() {
            CreateStreamErrorKind::JetStream(js) if js.error_code() == ErrorCode::STREAM_SUBJECT_OVERLAP => {
                let subject = &config.subjects[0];
                Err(self.overlapping(subject).await.unwrap_or_else(|| failed(&error)))
            }
            _ => Err(failed(&error)),
        }
    }

    /// Names a stream of somebody else's that takes messages of this subject.
    async fn overlapping(&self, subject: &str) -> Option<GridError> {
        let stream = self.context.stream_by_subject(subject).await.ok()?;
        let found = self.context.get_stream(&stream).await.ok()?;
        let subjects = found.cached_info().config.subjects.join(" ");
        let what = format!("its subjects, {subjects}, are also those of ours, {subject}");
        Some(GridError::OtherSettings { stream, what })
    }

    /// Makes a stream with all its copies, or with one where the cluster has no place for more and nobody asked for them.
    async fn create_stream(&self, config: Config) -> Result<Stream, CreateStreamError> {
        for _ in 0..ATTEMPTS {
            match self.context.create_stream(config.clone()).await {
                Err(error) if is_without_place(&error) => sleep(Duration::from_millis(250)).await,
                created => return created,
            }
        }
        if self.lease.replicas.is_some() {
            return self.context.create_stream(config).await;
        }
        let wanted = config.num_replicas;
        let created = self.context.create_stream(Config { num_replicas: 1, ..config }).await;
        if created.is_ok() {
            self.notices.say(&format!(
                "the cluster has no place for {wanted} copies: everything is on one broker, and waits while that is down; \
                 with --grid-replicas {wanted}, a run does not start then"
            ));
        }
        created
    }

    /// On how many brokers all is kept.
    pub fn replicas(&self) -> usize {
        self.lease.replicas.unwrap_or(if self.is_cluster { COPIES } else { 1 })
    }

    /// Makes the consumer from which workers take tasks that need these engines, unless it is there.
    pub async fn make_queue(&self, token: &str) -> Result<(), GridError> {
        let name = self.names.consumer(token);
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: self.names.task_subject(token),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.lease.wait,
            max_deliver: self.lease.deliveries,
            max_ack_pending: -1,
            max_waiting: MAX_WAITING,
            ..pull::Config::default()
        };
        let made = self.context.create_consumer_on_stream(config, self.names.tasks()).await;
        made.map(|_: PullConsumer| ())
            .map_err(|error| GridError::broker(format!("make the queue {name}"), causes(&error)))
    }

    /// Makes the consumer of outcomes anew: what was handed out and not acknowledged before is handed out again at once.
    pub async fn outcomes(&self) -> Result<PullConsumer, GridError> {
        let stream = self.names.outcomes();
        let _ = self.context.delete_consumer_from_stream(COORDINATOR, &stream).await;
        let config = pull::Config {
            durable_name: Some(COORDINATOR.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: Duration::from_secs(300),
            max_ack_pending: -1,
            ..pull::Config::default()
        };
        let made = self.context.create_consumer_on_stream(config, &stream).await;
        made.map_err(|error| GridError::broker("hand out outcomes", causes(&error)))
    }

    /// Whether this queue has tasks, none of which is given out, though somebody asks for them.
    pub async fn hands_out_nothing(&self, token: &str) -> bool {
        let found: Result<PullConsumer, _> =
            self.context.get_consumer_from_stream(self.names.consumer(token), self.names.tasks()).await;
        found.is_ok_and(|consumer| {
            let info = consumer.cached_info();
            info.num_pending > 0 && info.num_ack_pending == 0 && info.num_waiting > 0
        })
    }

    /// Whether there are outcomes that are not handed out, though they are asked for.
    pub async fn withholds_outcomes(&self) -> bool {
        let found: Result<PullConsumer, _> =
            self.context.get_consumer_from_stream(COORDINATOR, self.names.outcomes()).await;
        found.is_ok_and(|consumer| {
            let info = consumer.cached_info();
            info.num_pending > 0 && info.num_waiting > 0
        })
    }

    /// Sends a batch, and waits until the broker has it. The same `id` sent again is the same batch.
    pub async fn send(&self, token: &str, id: &str, payload: Vec<u8>) -> Result<(), GridError> {
        let subject = self.names.task_subject(token);
        let message = PublishMessage::build().message_id(id).payload(payload.into());
        publish(&self.context, subject, message).await
    }

    /// What is in the queue of tasks, given out or not.
    pub async fn queued(&self) -> Result<Vec<Queued>, GridError> {
        let failed = |error: &dyn std::error::Error| GridError::broker("read the queue", causes(error));
        let stream = self.context.get_stream(self.names.tasks()).await.map_err(|error| failed(&error))?;
        let (mut sequence, mut queued) = (1, Vec::new());
        // What was answered is not there: the next that is may be far.
        loop {
            let message = match self.next_message(&stream, sequence).await {
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => return Ok(queued),
                message => message.map_err(|error| failed(&error))?,
            };
            sequence = message.sequence + 1;
            let (subject, batch) = (message.subject.to_string(), unpack(&message.payload).ok());
            queued.push(Queued { sequence: message.sequence, subject, batch });
        }
    }

    async fn next_message(&self, stream: &Stream, from: u64) -> Result<StreamMessage, RawMessageError> {
        stream.raw_message_builder().sequence(from).next_by_subject(self.names.task_subjects()).send().await
    }

    /// A message of the queue.
    pub async fn message(&self, sequence: u64) -> Option<Batch> {
        let stream = self.context.get_stream_no_info(self.names.tasks()).await.ok()?;
        let message = stream.get_raw_message(sequence).await.ok()?;
        unpack(&message.payload).ok()
    }

    /// Removes a message from the queue.
    pub async fn remove(&self, sequence: u64) {
        if let Ok(stream) = self.context.get_stream_no_info(self.names.tasks()).await {
            let _ = stream.delete_message(sequence).await;
        }
    }

    /// Whether nobody is given, or will be given, tasks of this queue.
    pub async fn is_idle(&self, token: &str) -> bool {
        let found: Result<PullConsumer, _> =
            self.context.get_consumer_from_stream(self.names.consumer(token), self.names.tasks()).await;
        found.is_ok_and(|consumer| {
            let info = consumer.cached_info();
            info.num_pending == 0 && info.num_ack_pending == 0
        })
    }

    /// Whether there is nothing to come back to, neither tasks nor outcomes.
    pub async fn is_empty(&self) -> bool {
        for stream in [self.names.tasks(), self.names.outcomes()] {
            let found = timeout(Duration::from_secs(2), self.context.get_stream(stream)).await;
            if !found.is_ok_and(|found| found.is_ok_and(|stream| stream.cached_info().state.messages == 0)) {
                return false;
            }
        }
        true
    }

    /// Removes all that there is of the experiment, as far as that is possible.
    pub async fn delete(&self) -> Result<(), GridError> {
        let (mut left, mut reasons) = (Vec::new(), Vec::new());
        for stream in [self.names.tasks(), self.names.outcomes()] {
            match self.context.delete_stream(&stream).await {
                Err(error) if !is_not_found(&error.kind()) => {
                    left.push(stream);
                    reasons.push(causes(&error));
                }
                _ => {}
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        reasons.dedup();
        Err(GridError::broker(format!("remove {}", left.join(" and ")), reasons.join("; ")))
    }
}

/// How long a message may take to a stream.
const PUBLISHING: Duration = Duration::from_secs(30);

/// Publishes to a stream, and waits until the broker has it.
pub(crate) async fn publish(
    context: &Context,
    subject: String,
    message: PublishMessage,
) -> Result<(), GridError> {
    let failed = |error: &dyn std::error::Error| GridError::broker("take a message", causes(error));
    let published = async {
        let sent = context.send_publish(subject, message).await.map_err(|error| failed(&error))?;
        sent.await.map(|_| ()).map_err(|error| failed(&error))
    };
    timeout(PUBLISHING, published)
        .await
        .unwrap_or_else(|_| Err(GridError::broker("take a message", "it does not answer")))
}

/// How long a message may wait for room on its way.
const SAYING: Duration = Duration::from_secs(1);

/// Sends what is of use only now; says whether it is on its way. While the broker is away it is not: it would wait with others like it
/// until there is no room for anything.
pub(crate) async fn say(client: &Client, subject: String, reply: Option<String>, payload: Vec<u8>) -> bool {
    if client.connection_state() != State::Connected {
        return false;
    }
    let sent = async {
        match reply {
            Some(reply) => client.publish_with_reply(subject, reply, payload.into()).await,
            None => client.publish(subject, payload.into()).await,
        }
    };
    matches!(timeout(SAYING, sent).await, Ok(Ok(())))
}

/// The identities of all tasks in the queue that are for this program.
pub(crate) fn ids<'a>(queued: impl IntoIterator<Item = &'a Queued>) -> HashSet<String> {
    let batches = queued.into_iter().filter_map(|message| message.batch.as_ref());
    batches.flat_map(|batch| batch.orders.iter().map(|order| order.id.clone())).collect()
}

/// Messages of the queue by what stands for their engines.
pub(crate) fn by_token(queued: &[Queued]) -> HashMap<&str, Vec<&Queued>> {
    let mut tokens: HashMap<&str, Vec<&Queued>> = HashMap::new();
    for message in queued {
        let token = message.subject.rsplit('.').next().unwrap_or_default();
        tokens.entry(token).or_default().push(message);
    }
    tokens
}

/// Whether there is no such stream.
fn is_not_found(error: &GetStreamErrorKind) -> bool {
    matches!(error, GetStreamErrorKind::JetStream(js) if js.error_code() == ErrorCode::STREAM_NOT_FOUND)
}

/// Whether a cluster has fewer brokers than copies were asked for.
fn is_without_place(error: &CreateStreamError) -> bool {
    let codes = [ErrorCode::CLUSTER_NO_PEERS, ErrorCode::INSUFFICIENT_RESOURCES];
    matches!(error.kind(), CreateStreamErrorKind::JetStream(js) if codes.contains(&js.error_code()))
}

fn differences(found: &Config, wanted: &Config) -> Vec<String> {
    let mut what = Vec::new();
    if found.subjects != wanted.subjects {
        what.push(format!("its subjects are {}", found.subjects.join(" ")));
    }
    if found.retention != wanted.retention {
        what.push(format!("its retention is {:?}", found.retention));
    }
    if found.storage != wanted.storage {
        what.push(format!("its storage is {:?}", found.storage));
    }
    // The broker says -1 where there is no limit, and we say nothing.
    for (name, found, wanted) in [
        ("max_msgs", found.max_messages, wanted.max_messages),
        ("max_msgs_per_subject", found.max_messages_per_subject, wanted.max_messages_per_subject),
        ("max_bytes", found.max_bytes, wanted.max_bytes),
        ("max_msg_size", found.max_message_size.into(), wanted.max_message_size.into()),
        ("max_consumers", found.max_consumers.into(), wanted.max_consumers.into()),
    ] {
        if found.max(0) != wanted.max(0) {
            what.push(format!("its {name} is {found}"));
        }
    }
    if found.discard != wanted.discard {
        what.push(format!("it discards {:?} messages", found.discard));
    }
    for (name, found, wanted) in [
        ("max_age", found.max_age, wanted.max_age),
        ("duplicate window", found.duplicate_window, wanted.duplicate_window),
    ] {
        if found != wanted {
            what.push(format!("its {name} is {} s", found.as_secs_f64()));
        }
    }
    for (name, found) in
        [("no_ack", found.no_ack), ("sealed", found.sealed), ("deny_delete", found.deny_delete)]
    {
        if found {
            what.push(format!("it is {name}"));
        }
    }
    what
}
