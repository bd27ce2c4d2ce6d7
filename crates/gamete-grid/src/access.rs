use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_nats::{Client, ClientError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use percent_encoding::percent_decode_str;
use tokio::sync::watch;

use crate::{GridError, Notices};

/// Where the broker is, and what it lets us in for. Nothing secret of it is ever printed.
#[derive(Clone, Default)]
pub struct Access {
    /// Its address, or several of a cluster, set apart by commas; a user and password may be part of it, with letters that mean
    /// something else there as `%` and their number.
    pub url: String,
    /// The name of a user.
    pub user: Option<String>,
    /// The password of the user.
    pub password: Option<String>,
    /// A token.
    pub token: Option<String>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// A credentials file.
    pub credentials: Option<PathBuf>,
    /// A file with the certificate of the authority that the broker's is signed by. The connection is encrypted then.
    pub authority: Option<PathBuf>,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Access({})", self.shown())
    }
}

impl Access {
    /// A broker that lets everybody in.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// The address without users and passwords.
    pub fn shown(&self) -> String {
        let mut addresses: Vec<String> = Vec::new();
        for part in self.url.split(',') {
            // A comma in a password is no end of an address.
            if part.contains('@') && !part.contains("://") {
                let begun = addresses.iter().rposition(|address| address.contains("://")).unwrap_or(0);
                let begun = addresses.drain(begun..).collect::<Vec<_>>().join(",");
                addresses.push(format!("{begun},{part}"));
            } else {
                addresses.push(part.to_owned());
            }
        }
        addresses.iter().map(|address| shown(address.trim())).collect::<Vec<_>>().join(",")
    }

    /// Connects, and stays connected: a connection that is lost is made again, after a while that is random and grows.
    pub(crate) async fn connect(&self, role: &str, notices: &Notices) -> Result<Client, GridError> {
        Ok(self.connect_to_coordinate(role, notices).await?.0)
    }

    /// The same, and whether the broker has forbidden what a coordinator asks it first.
    pub(crate) async fn connect_to_coordinate(
        &self,
        role: &str,
        notices: &Notices,
    ) -> Result<(Client, watch::Receiver<bool>), GridError> {
        let (forbidden, is_forbidden) = watch::channel(false);
        let forbidden = Arc::new(forbidden);
        let addresses = self.addresses()?;
        let url = self.shown();
        let told = (notices.clone(), url.clone());
        let options = self
            .authorized(&addresses)?
            .name(format!("gamete {role}"))
            .connection_timeout(Duration::from_secs(5))
            .ping_interval(Duration::from_secs(10))
            .max_reconnects(None)
            .reconnect_delay_callback(reconnect_delay)
            .event_callback(move |event| {
                let (notices, url) = told.clone();
                let forbidden = Arc::clone(&forbidden);
                async move {
                    match &event {
                        Event::ServerError(error) if forbids_to_coordinate(&error.to_string()) => {
                            forbidden.send_replace(true);
                        }
                        event => tell(event, &notices, &url),
                    }
                }
            });
        let connected = options.connect(addresses).await.map_err(|error| {
            let reason = causes(&error);
            match error.kind() {
                ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                    GridError::Denied { url, reason }
                }
                ConnectErrorKind::ServerParse => GridError::Address { url, reason },
                ConnectErrorKind::Tls => GridError::Certificate { url, reason },
                _ if is_invalid_data(&error) => GridError::Certificate { url, reason },
                _ if reason.to_lowercase().contains("authorization") => GridError::Denied { url, reason },
                _ => GridError::NoBroker { url, reason },
            }
        })?;
        Ok((connected, is_forbidden))
    }

    /// Who we are: what was given, or else what the first address says.
    fn login(&self, addresses: &[ServerAddr]) -> Result<Login, GridError> {
        let decoded = |text: &str| match percent_decode_str(text).decode_utf8() {
            Ok(text) => Ok(text.into_owned()),
            Err(_) => Err(self.wrong("what is before the @ is not text".to_owned())),
        };
        let first = addresses.first();
        let name = first.and_then(ServerAddr::username).map(decoded).transpose()?;
        let password = first.and_then(ServerAddr::password).map(decoded).transpose()?;
        // A word alone before the host is a token.
        let in_address = match (name, password) {
            (token, None) => Login { token, ..Login::default() },
            (user, password) => Login { user, password, token: None },
        };
        let token = self.token.clone().or(in_address.token);
        Ok(match &self.user {
            Some(user) => Login { user: Some(user.clone()), password: self.password.clone(), token },
            None => Login { password: self.password.clone().or(in_address.password), token, ..in_address },
        })
    }

    fn wrong(&self, reason: String) -> GridError {
        // Nobody knows where one address ends and the next begins.
        GridError::Address { url: shown(&self.url), reason }
    }

    fn addresses(&self) -> Result<Vec<ServerAddr>, GridError> {
        let parse =
            |url: &str| url.trim().parse::<ServerAddr>().map_err(|error| self.wrong(error.to_string()));
        let addresses: Vec<ServerAddr> = self.url.split(',').map(parse).collect::<Result<_, _>>()?;
        match addresses.iter().find(|address| address.host().is_empty()) {
            Some(_) => Err(self.wrong("there is no host in it".to_owned())),
            None => Ok(addresses),
        }
    }

    fn authorized(&self, addresses: &[ServerAddr]) -> Result<ConnectOptions, GridError> {
        let login = self.login(addresses)?;
        let mut options = ConnectOptions::new().custom_inbox_prefix(login.inbox());
        let read =
            |path: &Path| std::fs::read_to_string(path).map_err(|error| file_error(path, error.to_string()));
        let Login { user, password, token } = login;
        // Beside a key, a name is that of an inbox alone.
        let has_key = self.nkey.is_some() || self.credentials.is_some();
        if let Some(user) = user.filter(|_| !has_key) {
            options = options.user_and_password(user, password.unwrap_or_default());
        }
        if let Some(token) = token {
            options = options.token(token);
        }
        if let Some(path) = &self.nkey {
            let seed = read(path)?.trim().to_owned();
            if !seed.starts_with("SU") {
                return Err(file_error(
                    path,
                    "it is not the seed of a user's nkey, which begins with SU".to_owned(),
                ));
            }
            options = options.nkey(seed);
        }
        if let Some(path) = &self.credentials {
            let text = read(path)?;
            options = options.credentials(&text).map_err(|error| file_error(path, error.to_string()))?;
        }
        if let Some(path) = &self.authority {
            if !read(path)?.contains("-----BEGIN CERTIFICATE-----") {
                return Err(file_error(path, "there is no certificate in it".to_owned()));
            }
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        Ok(options)
    }
}

/// Who we are.
#[derive(Debug, Default, PartialEq, Eq)]
struct Login {
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
}

impl Login {
    /// Where the broker sends what is for us. Users have inboxes of their own, so that they can be kept from reading those of others.
    fn inbox(&self) -> String {
        let is_word = |user: &&str| {
            !user.is_empty()
                && user.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
        };
        let user = self.user.as_deref().filter(is_word);
        user.map_or_else(|| "_INBOX".to_owned(), |user| format!("_INBOX.{user}"))
    }
}

/// What is before the first and behind the last of what may be a user and password.
fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
}

fn file_error(path: &Path, reason: String) -> GridError {
    GridError::File { path: path.to_owned(), reason }
}

/// Whether a connection that was lost is not made again for want of a right to it.
fn is_denial(error: &str) -> bool {
    ["authorization", "authentication"].iter().any(|word| error.contains(word))
}

/// What a coordinator asks first, and who wants to know the streams.
pub(crate) const JETSTREAM_INFO: &str = "$JS.API.INFO";
const STREAM_NAMES: &str = "$JS.API.STREAM.NAMES";

/// Whether the broker says that this user has not the rights of a coordinator.
fn forbids_to_coordinate(error: &str) -> bool {
    error.to_lowercase().contains("permissions violation for publish")
        && [JETSTREAM_INFO, STREAM_NAMES].iter().any(|subject| error.contains(&format!("\"{subject}\"")))
}

/// Waits until the broker has forbidden what a coordinator asks it first.
pub(crate) async fn until_forbidden(is_forbidden: &mut watch::Receiver<bool>) {
    if is_forbidden.wait_for(|&is_forbidden| is_forbidden).await.is_err() {
        // The connection has ended, which is no answer.
        std::future::pending::<()>().await;
    }
}

fn tell(event: &Event, notices: &Notices, url: &str) {
    match event {
        Event::Disconnected => notices.say(&format!("the broker at {url} is away; trying to reach it again")),
        Event::ClientError(ClientError::Other(error)) if is_denial(error) => {
            notices.say(&format!("the broker at {url} does not let us in any more: {error}; trying again"));
        }
        Event::ServerError(error) => notices.say(&format!("the broker at {url} says: {error}")),
        _ => {}
    }
}

/// What an error says, with what is behind it.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// Whether what came is not what an encrypted connection with a certificate that is trusted begins with.
fn is_invalid_data(error: &(dyn std::error::Error + 'static)) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(std::io::ErrorKind::InvalidData) || error.source().is_some_and(is_invalid_data)
}

/// The longest time between two attempts to reach a broker.
pub(crate) const LONGEST_DELAY: Duration = Duration::from_secs(8);

fn reconnect_delay(attempt: usize) -> Duration {
    random_delay(attempt, LONGEST_DELAY)
}

/// What to wait before another attempt: up to 50 ms, twice as much each time, up to `most`, and a random part of it, so that
/// many do not come back at once.
pub(crate) fn random_delay(attempt: usize, most: Duration) -> Duration {
    let grown = Duration::from_millis(50).saturating_mul(1 << attempt.min(16)).min(most);
    let random = RandomState::new().hash_one(attempt) as f64 / u64::MAX as f64;
    grown.mul_f64(0.25 + 0.75 * random)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let access = Access::new("nats://me:secret@a:1, nats://b, tls://x:y@c");
        assert_eq!(access.shown(), "nats://a:1,nats://b,tls://c");
        assert_eq!(format!("{access:?}"), "Access(nats://a:1,nats://b,tls://c)");
        assert_eq!(Access::new("host:4222").shown(), "host:4222");
        for (url, shown) in [
            ("nats://a,nats://me:12,se,cret@b:1,nats://c", "nats://a,nats://b:1,nats://c"),
            ("me:12,secret@b:1, c", "b:1,c"),
        ] {
            assert_eq!(Access::new(url).shown(), shown);
        }
        let error = Access::new("nats://me:se,cr@et@host").addresses().expect_err("no address").to_string();
        assert!(error.starts_with("nats://host: ") && !error.contains("se,"), "{error}");
    }

    fn login(access: &Access) -> Result<Login, GridError> {
        access.login(&access.addresses().expect("addresses"))
    }

    #[test]
    fn what_an_address_says_is_decoded() {
        let logged_in = |url: &str| {
            let Login { user, password, token } = login(&Access::new(url)).expect("a login");
            [user, password, token].map(Option::unwrap_or_default)
        };
        assert_eq!(logged_in("nats://host"), ["", "", ""]);
        assert_eq!(logged_in("nats://us%40er:p%3Ass%2F%25@host"), ["us@er", "p:ss/%", ""]);
        assert_eq!(logged_in("nats://m%C3%BCller:p^ss@host"), ["müller", "p^ss", ""]);
        assert_eq!(logged_in("nats://to%2Fken@host"), ["", "", "to/ken"]);
        let mut access = Access { password: Some("%40".to_owned()), ..Access::new("nats://me:no@host") };
        let given = login(&access).expect("a login");
        assert_eq!(given.password.as_deref(), Some("%40"), "what is given elsewhere is as it is");
        access.user = Some("%41".to_owned());
        assert_eq!(login(&access).expect("a login").user.as_deref(), Some("%41"));
        let error = login(&Access::new("nats://me:s%FFcret@host")).expect_err("no text").to_string();
        assert!(error.contains("what is before the @ is not text") && !error.contains("cret"), "{error}");
    }

    #[test]
    fn users_have_inboxes_of_their_own() {
        let inbox = |access: Access| login(&access).expect("a login").inbox();
        assert_eq!(inbox(Access::new("nats://a:1")), "_INBOX");
        assert_eq!(inbox(Access::new("nats://me:secret@a:1,nats://b")), "_INBOX.me");
        assert_eq!(inbox(Access::new("nats://token@a:1")), "_INBOX", "a secret");
        let user = |name: &str| Access { user: Some(name.to_owned()), ..Access::new("nats://me:secret@a") };
        assert_eq!(inbox(user("worker-1")), "_INBOX.worker-1");
        assert_eq!(inbox(user("a.>")), "_INBOX", "no part of a subject");
    }

    #[test]
    fn delays_grow_and_end_growing() {
        let most = Duration::from_secs(8);
        assert!(random_delay(0, most) <= Duration::from_millis(50));
        assert!(random_delay(5, most) > Duration::from_millis(300));
        assert!(random_delay(1000, most) <= most);
    }
}
