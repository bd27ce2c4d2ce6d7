//! What happens, told to everybody who has an event stream about it: written once and sent at once, however many listen.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, broadcast};
use tokio::time::timeout;

use crate::app::App;
use crate::error::ApiError;

/// How often something may be told before a slow listener has heard of it. Who is further behind is told the whole state again.
const BACKLOG: usize = 64;

/// After how long without news a stream says that it is still there.
const SILENCE: Duration = Duration::from_secs(10);

/// What a stream says then.
const STILL_THERE: Bytes = Bytes::from_static(b":\n\n");

/// How many milliseconds after the end of a stream a browser asks for another.
const RETRY: &str = "retry: 1000\n";

/// Tells event streams what happens, by what they are about.
#[derive(Default)]
pub struct Events {
    channels: Mutex<HashMap<Topic, broadcast::Sender<Bytes>>>,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub struct News {
    topic: Topic,
    /// As it stands in a stream.
    text: String,
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

impl Topic {
    /// The pipeline of a stage, which changes with it.
    fn owner(&self) -> Option<Self> {
        match self {
            Self::Experiment(id) => {
                id.split_once('/').map(|(pipeline, _)| Self::Experiment(pipeline.to_owned()))
            }
            _ => None,
        }
    }

    /// What is told, beside what is so now, to whoever has missed something.
    fn missed(&self) -> Option<News> {
        match self {
            Self::Experiment(id) => Some(News::new(self.clone(), "changed", &json!({ "id": id }))),
            _ => None,
        }
    }
}

impl News {
    /// Something with its data.
    pub fn new(topic: Topic, name: &'static str, data: &impl Serialize) -> Self {
        let data = serde_json::to_string(data).expect("plain data");
        Self { topic, text: format!("event: {name}\ndata: {data}\n\n") }
    }
}

impl Events {
    fn channels(&self) -> MutexGuard<'_, HashMap<Topic, broadcast::Sender<Bytes>>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells everybody who listens. All that is about one thing is sent at once.
    pub fn tell(&self, news: impl IntoIterator<Item = News>) {
        let mut texts: HashMap<Topic, String> = HashMap::new();
        for News { topic, text } in news {
            for topic in topic.owner().into_iter().chain([topic]) {
                *texts.entry(topic).or_default() += &text;
            }
        }
        let mut channels = self.channels();
        for (topic, text) in texts {
            if let Some(channel) = channels.get(&topic)
                && channel.send(text.into()).is_err()
            {
                channels.remove(&topic);
            }
        }
    }

    /// Ends all streams: whoever asks for another is told what is wrong.
    pub fn end_all(&self) {
        self.channels().clear();
    }

    /// Whether anybody listens to news about this.
    pub fn is_heard(&self, topic: &Topic) -> bool {
        let channels = self.channels();
        let is_heard = |topic: &Topic| channels.get(topic).is_some_and(|one| one.receiver_count() > 0);
        is_heard(topic) || topic.owner().is_some_and(|owner| is_heard(&owner))
    }

    /// The matches that anybody listens to.
    pub fn heard_matches(&self) -> Vec<String> {
        let channels = self.channels();
        let heard = channels.iter().filter(|(_, channel)| channel.receiver_count() > 0);
        heard
            .filter_map(|(topic, _)| if let Topic::Match(name) = topic { Some(name.clone()) } else { None })
            .collect()
    }

    fn listen(&self, topic: &Topic) -> broadcast::Receiver<Bytes> {
        let mut channels = self.channels();
        // Names that are asked for once and are none do not stay.
        channels.retain(|_, channel| channel.receiver_count() > 0);
        channels.entry(topic.clone()).or_insert_with(|| broadcast::channel(BACKLOG).0).subscribe()
    }
}

/// Where a stream stands.
struct Listening<Now> {
    news: broadcast::Receiver<Bytes>,
    /// What is sent before anything else.
    waiting: VecDeque<Bytes>,
    topic: Topic,
    now: Now,
    _permit: OwnedSemaphorePermit,
}

/// An event stream: first what `now` says, and then all news about the topic. Who is too slow for them is told what is so now.
///
/// # Errors
///
/// When there are too many streams, or `now` fails.
pub async fn stream<Now, Future>(app: &App, topic: &Topic, now: Now) -> Result<Response, ApiError>
where
    Now: Fn() -> Future + Send + 'static,
    Future: std::future::Future<Output = Result<Vec<News>, ApiError>> + Send,
{
    let permit = Arc::clone(&app.streams).try_acquire_owned();
    let permit = permit.map_err(|_| ApiError::limit("there are too many viewers; try again later"))?;
    // Listening begins before the state is read, so that nothing is missed in between.
    let news = app.events.listen(topic);
    let first = now().await?;
    let waiting = VecDeque::from([(RETRY.to_owned() + &text(first)).into()]);
    let listening = Listening { news, waiting, topic: topic.clone(), now, _permit: permit };
    let frames = stream::unfold(listening, |mut listening| async move {
        loop {
            if let Some(bytes) = listening.waiting.pop_front() {
                return Some((Ok::<_, Infallible>(bytes), listening));
            }
            match timeout(SILENCE, listening.news.recv()).await {
                Ok(Ok(bytes)) => listening.waiting.push_back(bytes),
                Ok(Err(RecvError::Lagged(_))) => {
                    listening.news = listening.news.resubscribe();
                    let mut now = (listening.now)().await.ok()?;
                    now.extend(listening.topic.missed());
                    listening.waiting.push_back(text(now).into());
                }
                Ok(Err(RecvError::Closed)) => return None,
                Err(_) => listening.waiting.push_back(STILL_THERE),
            }
        }
    });
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, Body::from_stream(frames)).into_response())
}

fn text(news: Vec<News>) -> String {
    news.into_iter().map(|news| news.text).collect()
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;
    use crate::app::AppOptions;
    use crate::limits::Limits;

    fn news(id: &str, number: u32) -> News {
        News::new(Topic::Experiment(id.to_owned()), "generation", &json!({ "number": number }))
    }

    #[test]
    fn all_news_about_one_thing_are_sent_at_once_and_are_the_same_bytes_for_all() {
        let events = Events::default();
        let topic = Topic::Experiment("a".to_owned());
        let (mut one, mut two) = (events.listen(&topic), events.listen(&topic));
        let mut other = events.listen(&Topic::Experiment("ab".to_owned()));
        events.tell([news("a", 1), news("b", 7), news("a", 2)]);
        let bytes = one.try_recv().expect("news");
        let text = "event: generation\ndata: {\"number\":1}\n\nevent: generation\ndata: {\"number\":2}\n\n";
        assert_eq!(&bytes[..], text.as_bytes());
        assert_eq!(two.try_recv().expect("news").as_ptr(), bytes.as_ptr(), "one copy for everybody");
        assert!(one.try_recv().is_err(), "all at once");
        assert!(other.try_recv().is_err(), "whoever listens to something else is left alone");
    }

    #[test]
    fn a_pipeline_hears_of_its_stages() {
        let events = Events::default();
        let stage = Topic::Experiment("p/weights".to_owned());
        assert!(!events.is_heard(&stage));
        let mut pipeline = events.listen(&Topic::Experiment("p".to_owned()));
        assert!(events.is_heard(&stage) && !events.is_heard(&Topic::Lists));
        events.tell([news("p/weights", 3)]);
        assert!(pipeline.try_recv().is_ok());
    }

    #[test]
    fn who_has_missed_something_is_told_that_more_has_changed() {
        let directory = tempfile::tempdir().expect("a directory");
        let app = App::new(AppOptions {
            lab: directory.path().to_owned(),
            journals: directory.path().to_owned(),
            token: None,
            names: Vec::new(),
            limits: Limits::of_cores(1),
            grid: None,
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let topic = Topic::Experiment("a".to_owned());
            let state = || async {
                let topic = Topic::Experiment("a".to_owned());
                Ok(vec![News::new(topic, "state", &json!({ "id": "a" }))])
            };
            let mut frames =
                stream(&app, &topic, state).await.expect("a stream").into_body().into_data_stream();
            let mut next = async || frames.next().await.expect("a frame").expect("bytes");
            let state = "event: state\ndata: {\"id\":\"a\"}\n\n";
            assert_eq!(next().await, format!("{RETRY}{state}"));
            for number in 0..=BACKLOG as u32 {
                app.events.tell([news("a", number)]);
            }
            assert_eq!(next().await, format!("{state}event: changed\ndata: {{\"id\":\"a\"}}\n\n"));
        });
    }

    #[test]
    fn streams_end_once_all_was_told() {
        let events = Events::default();
        let topic = Topic::Experiment("a".to_owned());
        let mut one = events.listen(&topic);
        events.tell([news("a", 1)]);
        events.end_all();
        assert!(one.try_recv().is_ok());
        assert_eq!(one.try_recv(), Err(broadcast::error::TryRecvError::Closed));
        assert!(events.listen(&topic).is_empty(), "others begin anew");
    }

    #[test]
    fn nothing_stays_of_names_that_nobody_listens_to_any_more() {
        let events = Events::default();
        for number in 0..1000 {
            drop(events.listen(&Topic::Match(number.to_string())));
        }
        assert!(events.heard_matches().is_empty() && events.channels().len() == 1);
    }
}
