use std::time::{Duration, Instant};

use async_nats::Client;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::GridError;
use crate::access::{JETSTREAM_INFO, causes, until_forbidden};

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

/// Brokers of a cluster have to find each other, and to agree on who leads.
const ELECTING: Duration = Duration::from_secs(30);

/// Checks that there is JetStream at the broker, whose address is `url`, and that this user may coordinate there.
pub(super) async fn check_jetstream(
    client: &Client,
    mut is_forbidden: watch::Receiver<bool>,
    url: String,
) -> Result<(), GridError> {
    let begun = Instant::now();
    let patience = if client.server_info().cluster.is_some() { ELECTING } else { STARTING };
    loop {
        let answer = tokio::select! {
            answer = client.request(JETSTREAM_INFO, Vec::new().into()) => answer,
            () = until_forbidden(&mut is_forbidden) => return Err(GridError::NoCoordinator { url }),
        };
        let reason = match answer {
            Ok(answer) => match serde_json::from_slice::<JetStreamInfo>(&answer.payload) {
                Ok(JetStreamInfo { error: None }) => return Ok(()),
                Ok(JetStreamInfo { error: Some(error) }) => error.description,
                Err(error) => error.to_string(),
            },
            Err(error) => causes(&error),
        };
        if begun.elapsed() > patience {
            return Err(GridError::NoJetStream { url, reason });
        }
        sleep(Duration::from_millis(100)).await;
    }
}
