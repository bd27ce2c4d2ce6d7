//! What happens, told to everybody who has an event stream: serialised once, whoever listens.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, broadcast};

use crate::app::App;
use crate::error::ApiError;

/// How many events a slow listener may be behind before it is told the whole state again.
const BACKLOG: usize = 256;

/// Tells all event streams what happens.
pub struct Events {
    sender: broadcast::Sender<News>,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub struct News {
    /// What it is about.
    pub topic: Topic,
    /// What the event is called.
    pub name: &'static str,
    /// Its data, as JSON.
    pub data: Arc<str>,
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// Lists of experiments, games and matches.
    Lists,
    /// An experiment, or a stage of a pipeline.
    Experiment(String),
    /// A game on the page.
    Session(String),
    /// A match.
    Match(String),
}

impl Default for Events {
    fn default() -> Self {
        Self { sender: broadcast::channel(BACKLOG).0 }
    }
}

impl News {
    /// Something with its data.
    pub fn new(topic: Topic, name: &'static str, data: &impl Serialize) -> Self {
        Self { topic, name, data: serde_json::to_string(data).expect("plain data").into() }
    }
}

impl Events {
    /// Tells everybody.
    pub fn tell(&self, news: News) {
        // Nobody may be there.
        let _ = self.sender.send(news);
    }

    /// Whether anybody listens.
    pub fn has_listeners(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    fn listen(&self) -> broadcast::Receiver<News> {
        self.sender.subscribe()
    }
}

/// Where a stream stands.
struct Listening<Now, About> {
    news: broadcast::Receiver<News>,
    /// What is sent before anything else.
    waiting: std::collections::VecDeque<News>,
    now: Now,
    about: About,
    _permit: OwnedSemaphorePermit,
}

/// An event stream: first what `now` says, and then all news that `about` picks. Who is too slow for them is told what is so now.
///
/// # Errors
///
/// When there are too many streams, or `now` fails.
pub async fn stream<Now, Future, About>(app: &App, now: Now, about: About) -> Result<Response, ApiError>
where
    Now: Fn() -> Future + Send + 'static,
    Future: std::future::Future<Output = Result<Vec<News>, ApiError>> + Send,
    About: Fn(&Topic) -> bool + Send + 'static,
{
    let permit = Arc::clone(&app.streams).try_acquire_owned();
    let permit = permit.map_err(|_| ApiError::limit("there are too many viewers; try again later"))?;
    // Listening begins before the state is read, so that nothing is missed in between.
    let news = app.events.listen();
    let waiting = now().await?.into();
    let listening = Listening { news, waiting, now, about, _permit: permit };
    let events = stream::unfold(listening, |mut listening| async move {
        loop {
            if let Some(news) = listening.waiting.pop_front() {
                return Some((Ok::<_, Infallible>(event(&news)), listening));
            }
            match listening.news.recv().await {
                Ok(news) if (listening.about)(&news.topic) => listening.waiting.push_back(news),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => {
                    listening.news = listening.news.resubscribe();
                    listening.waiting = (listening.now)().await.ok()?.into();
                }
                Err(RecvError::Closed) => return None,
            }
        }
    });
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(10));
    Ok(Sse::new(events).keep_alive(keep_alive).into_response())
}

fn event(news: &News) -> Event {
    Event::default().event(news.name).retry(Duration::from_secs(1)).data(&*news.data)
}
