//! Listening, and answering within limits.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::header;
use axum::response::Response;

use gamete_arena::STACK_BYTES;
use gamete_grid::Access;
use gamete_lab::{Store, StoreError};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::app::{App, AppOptions};
use crate::connections::Connections;
use crate::error::ApiError;
use crate::impatient::Impatient;
use crate::limits::{CONNECTIONS, HEAD_TIME, Limits, UNREAD_TIME};
use crate::routes::router;

/// How long connections are waited for that are busy when the server ends.
const LEAVING: Duration = Duration::from_secs(3);

/// What is served, where, and to whom.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The directory of the lab, which is made where there is none.
    pub lab: PathBuf,
    /// Where journals of matches are, if not there.
    pub journals: Option<PathBuf>,
    /// The address to listen on; port 0 is any that is free.
    pub listen: SocketAddr,
    /// What whoever changes something has to have.
    pub token: Option<String>,
    /// Names of this machine by which the server may be asked, beside its addresses.
    pub names: Vec<String>,
    /// The broker of a grid to be shown.
    pub grid: Option<Access>,
    /// Games at a time of an experiment, and players that think at a time.
    pub threads: usize,
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Others could reach it, and change what they like.
    #[error(
        "{0} can be reached from other machines: give a --token that changes need, or listen on 127.0.0.1"
    )]
    NeedsToken(SocketAddr),
    /// A token that can be guessed.
    #[error("--token: it has {0} characters; give at least {min}, as of `openssl rand -hex 16`", min = Server::MIN_TOKEN)]
    ShortToken(usize),
    /// The address is taken, or not ours.
    #[error("{address}: {source}{}", way_out(source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// There is no lab, and none can be made.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system does not give us what we need.
    #[error(transparent)]
    System(#[from] io::Error),
}

fn way_out(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "; another server listens there: give another port with --listen",
        io::ErrorKind::PermissionDenied => "; give a port above 1023 with --listen",
        io::ErrorKind::AddrNotAvailable => "; this machine has no such address: give another with --listen",
        _ => "",
    }
}

/// A server that listens and answers nobody yet.
pub struct Server {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
    app: App,
}

impl Server {
    /// The shortest token.
    pub const MIN_TOKEN: usize = 16;

    /// Opens the lab and begins to listen.
    ///
    /// # Errors
    ///
    /// When the lab or the address cannot be used, or a token is missing.
    pub fn bind(options: ServerOptions) -> Result<Self, ServerError> {
        let ServerOptions { lab, journals, listen, token, names, grid, threads } = options;
        match &token {
            None if !listen.ip().is_loopback() => return Err(ServerError::NeedsToken(listen)),
            Some(token) if token.chars().count() < Self::MIN_TOKEN => {
                return Err(ServerError::ShortToken(token.chars().count()));
            }
            _ => {}
        }
        drop(Store::create(&lab)?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(64)
            // Searches run on these threads, too.
            .thread_stack_size(STACK_BYTES)
            .enable_all()
            .build()?;
        let failed = |source| ServerError::Listen { address: listen, source };
        let listener = runtime.block_on(TcpListener::bind(listen)).map_err(failed)?;
        let address = listener.local_addr()?;
        let limits = Limits::of_cores(threads.max(1));
        let journals = journals.unwrap_or_else(|| lab.clone());
        let app = App::new(AppOptions { lab, journals, token, names, limits, grid });
        Ok(Self { runtime, listener, address, app })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` says so. Experiments that are run here are stopped then, with the games in hand played to their end.
    ///
    /// # Errors
    ///
    /// When the system does not let us go on.
    pub fn run(self, stop: impl Fn() -> bool + Send + 'static) -> Result<(), ServerError> {
        let Self { runtime, listener, app, .. } = self;
        let (ending, ended) = watch::channel(false);
        crate::watch::start(&app)?;
        runtime.block_on(async {
            crate::play::start(&app);
            let accepting = tokio::spawn(accept(listener, app.clone(), ended));
            while !stop() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            let _ = ending.send(true);
            let _ = accepting.await;
        });
        app.sessions.stop();
        app.watch.stop();
        app.runs.stop_all();
        runtime.shutdown_timeout(LEAVING);
        Ok(())
    }
}

/// How many connections there may be: fewer than files may be open.
fn connections() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let files = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    (files / 2).clamp(64, CONNECTIONS)
}

async fn accept(listener: TcpListener, app: App, mut ended: watch::Receiver<bool>) {
    let service = TowerToHyperService::new(router(app));
    let connections = Connections::new(connections());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ended.changed() => return,
        };
        let Ok((stream, _)) = accepted else {
            // Too many files, or a connection that has gone away again.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let Some(connection) = connections.enter().await else {
            refuse(stream);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let stream = Impatient::new(stream, UNREAD_TIME);
        let connection = Arc::new(connection);
        let (own, service, mut ended) = (Arc::clone(&connection), service.clone(), ended.clone());
        let answer = service_fn(move |request: hyper::Request<Incoming>| {
            let (own, answer) = (Arc::clone(&own), service.clone());
            own.works();
            async move {
                let answer = answer.call(request).await;
                if answer.as_ref().is_ok_and(|answer| !is_stream(answer)) {
                    own.waits();
                }
                answer
            }
        });
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(64 << 10);
            let answers = builder.serve_connection(TokioIo::new(stream), answer);
            // What goes wrong with a connection is for its other end to notice.
            tokio::select! {
                _ = answers => {}
                () = connection.ended() => {}
                _ = ended.changed() => {}
            }
        });
    }
}

fn is_stream(answer: &Response) -> bool {
    answer.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream")
}

/// Answers that there are too many, and hangs up.
fn refuse(stream: TcpStream) {
    let body = ApiError::limit("there are too many connections; try again later").text();
    let answer = format!(
        "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let Ok(mut stream) = stream.into_std() else { return };
    let _ = stream.write_all(answer.as_bytes());
    let _ = stream.shutdown(Shutdown::Write);
    // What is left unread when a connection is closed takes back what was written.
    let _ = stream.read(&mut [0; 4096]);
}
