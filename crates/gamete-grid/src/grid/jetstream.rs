use std::time::{Duration, Instant};

use async_nats::Client;
use serde::Deserialize;
use tokio::time::sleep;

use crate::access::causes;

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

/// Says why there is no JetStream, if there is none.
pub(super) async fn check_jetstream(client: &Client) -> Result<(), String> {
    let begun = Instant::now();
    let patience = if client.server_info().cluster.is_some() { ELECTING } else { STARTING };
    loop {
        let reason = match client.request("$JS.API.INFO", Vec::new().into()).await {
            Ok(answer) => match serde_json::from_slice::<JetStreamInfo>(&answer.payload) {
                Ok(JetStreamInfo { error: None }) => return Ok(()),
                Ok(JetStreamInfo { error: Some(error) }) => error.description,
                Err(error) => error.to_string(),
            },
            Err(error) => causes(&error),
        };
        if begun.elapsed() > patience {
            return Err(reason);
        }
        sleep(Duration::from_millis(100)).await;
    }
}
