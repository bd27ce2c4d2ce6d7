use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::{self, Context};
use futures_util::stream::select;
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde::Serialize;
use tokio::time::{Instant, timeout_at};

use crate::access::{causes, until_forbidden};
use crate::message::{CoordinatorReport, Heartbeat, Offer, read, unpack};
use crate::names::{HELLO, OFFERS, OUTCOME_STREAMS, STATUS, TASK_STREAMS, WORKERS};
use crate::{Access, GridError, Notices};

/// What there is at a broker: who works, and what there is to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct GridStatus {
    /// The workers that answer, by name.
    pub workers: Vec<Heartbeat>,
    /// The experiments, by name.
    pub experiments: Vec<ExperimentStatus>,
}

/// What there is to do of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExperimentStatus {
    /// What it is called at the broker.
    pub slug: String,
    /// What its coordinator says, if there is one.
    pub offer: Option<Offer>,
    /// Batches of tasks that nobody has taken yet.
    pub queued: u64,
    /// Batches that workers have.
    pub in_flight: u64,
    /// Those of them that were given out before.
    pub redelivered: u64,
    /// Messages with outcomes that the coordinator has not acknowledged.
    pub outcomes: u64,
    /// What its coordinator knows of workers, if there is one.
    pub report: Option<CoordinatorReport>,
}

impl GridStatus {
    /// Asks everybody, and waits so long for answers.
    ///
    /// # Errors
    ///
    /// When there is no broker, or it does not say.
    pub fn ask(access: &Access, patience: Duration) -> Result<Self, GridError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let connected = access.connect_to_coordinate("status", &Notices::default()).await;
            let (client, mut is_forbidden) = connected?;
            let failed = |error: &dyn std::error::Error| GridError::broker("be asked", causes(error));
            let workers = client.subscribe(format!("{WORKERS}.>")).await.map_err(|error| failed(&error))?;
            let offers = client.subscribe(OFFERS).await.map_err(|error| failed(&error))?;
            let inbox = client.new_inbox();
            let reports = client.subscribe(inbox.clone()).await.map_err(|error| failed(&error))?;
            client.publish(HELLO, Vec::new().into()).await.map_err(|error| failed(&error))?;
            let asked = client.publish_with_reply(STATUS, inbox, Vec::new().into()).await;
            asked.map_err(|error| failed(&error))?;
            let mut heard = select(select(workers, offers), reports);
            let until = Instant::now() + patience;
            let (mut beats, mut offered) = (BTreeMap::new(), BTreeMap::new());
            let mut reported = BTreeMap::new();
            while let Ok(Some(message)) = timeout_at(until, heard.next()).await {
                if let Ok(report) = unpack::<CoordinatorReport>(&message.payload) {
                    reported.insert(report.slug.clone(), report);
                } else if let Some(beat) = Heartbeat::read(&message.payload) {
                    beats.insert((beat.name.clone(), beat.id.clone()), beat);
                } else if let Ok(offer) = read::<Offer>(&message.payload) {
                    offered.insert(offer.slug.clone(), offer);
                }
            }
            let context = jetstream::new(client);
            let url = access.shown();
            let experiments = tokio::select! {
                experiments = queues(&context) => experiments,
                () = until_forbidden(&mut is_forbidden) => return Err(GridError::NoCoordinator { url }),
            };
            let mut experiments = experiments.map_err(|reason| GridError::NoJetStream { url, reason })?;
            for experiment in &mut experiments {
                experiment.offer = offered.remove(&experiment.slug);
                experiment.report = reported.remove(&experiment.slug);
            }
            let workers = beats.into_values().filter(|beat| !beat.leaving).collect();
            Ok(Self { workers, experiments })
        })
    }
}

/// What the broker has of each experiment.
async fn queues(context: &Context) -> Result<Vec<ExperimentStatus>, String> {
    let names: Vec<String> = context.stream_names().try_collect().await.map_err(|error| causes(&error))?;
    let mut found = Vec::new();
    for name in names {
        let Some(slug) = name.strip_prefix(TASK_STREAMS) else { continue };
        let mut status = ExperimentStatus {
            slug: slug.to_owned(),
            offer: None,
            queued: 0,
            in_flight: 0,
            redelivered: 0,
            outcomes: 0,
            report: None,
        };
        let Ok(stream) = context.get_stream(&name).await else { continue };
        let mut consumers = stream.consumers();
        while let Some(Ok(consumer)) = consumers.next().await {
            status.queued += consumer.num_pending;
            status.in_flight += consumer.num_ack_pending as u64;
            status.redelivered += consumer.num_redelivered as u64;
        }
        if let Ok(outcomes) = context.get_stream(format!("{OUTCOME_STREAMS}{slug}")).await {
            status.outcomes = outcomes.cached_info().state.messages;
        }
        found.push(status);
    }
    found.sort_by(|a, b| a.slug.cmp(&b.slug));
    Ok(found)
}
