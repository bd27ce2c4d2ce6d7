use std::time::Duration;

use async_nats::jetstream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use tokio::time::{Instant, timeout_at};

use crate::access::{causes, until_forbidden};
use crate::broker::Broker;
use crate::kept_parts::Keeper;
use crate::message::{Offer, read};
use crate::names::{HELLO, Names, OFFERS, OUTCOME_STREAMS, TASK_STREAMS};
use crate::{Access, GridError, Lease, Notices};

/// How long a coordinator is waited for, which says every second that it is there.
const PATIENCE: Duration = Duration::from_secs(3);

/// Removes all that a broker has of an experiment that nobody comes back to: its tasks, outcomes and what its tasks have in common. `slug` is
/// what `grid status` calls it.
///
/// # Errors
///
/// When there is no broker, it does not let us in, there is no such experiment, or its coordinator answers.
pub fn remove(access: &Access, slug: &str) -> Result<(), GridError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let connected = access.connect_to_coordinate("remove", &Notices::default()).await;
        let (client, mut is_forbidden) = connected?;
        let url = access.shown();
        let failed = |error: &dyn std::error::Error| GridError::broker("be asked", causes(error));
        let mut offers = client.subscribe(OFFERS).await.map_err(|error| failed(&error))?;
        // Workers need not answer.
        client.publish(HELLO, "remove".into()).await.map_err(|error| failed(&error))?;
        let context = jetstream::new(client.clone());
        let names = async { context.stream_names().try_collect::<Vec<String>>().await };
        let names = tokio::select! {
            names = names => names,
            () = until_forbidden(&mut is_forbidden) => return Err(GridError::NoCoordinator { url }),
        };
        let names = names.map_err(|error| GridError::NoJetStream { url, reason: causes(&error) })?;
        let slug_of = |name: &String| {
            let slug = name.strip_prefix(TASK_STREAMS).or_else(|| name.strip_prefix(OUTCOME_STREAMS));
            slug.map(str::to_owned)
        };
        let mut known: Vec<String> = names.iter().filter_map(slug_of).collect();
        known.sort_unstable();
        known.dedup();
        let slug = slug.to_owned();
        if !known.contains(&slug) {
            return Err(GridError::NoExperiment { slug, known });
        }
        let until = Instant::now() + PATIENCE;
        while let Ok(Some(message)) = timeout_at(until, offers.next()).await {
            if read::<Offer>(&message.payload).is_ok_and(|offer| offer.slug == slug) {
                return Err(GridError::Running { slug });
            }
        }
        let keeper = Keeper::new(context.clone(), &slug, 1);
        let names = Names { slug, signature: String::new() };
        let (lease, notices) = (Lease::default(), Notices::default());
        let broker = Broker { context, names, lease, is_cluster: false, notices };
        broker.delete().await?;
        keeper.remove_all().await
    })
}
