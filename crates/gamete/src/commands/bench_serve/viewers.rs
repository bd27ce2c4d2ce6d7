//! Viewers: connections that read event streams as a page does, and do nothing else.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::http::connect;

/// How long all viewers rest after they have read. Elsewhere each would be a browser on a machine of its own; here they share the
/// processor with what is measured, and one look for many takes less of it.
const REST: Duration = Duration::from_millis(20);

/// How long the first events are waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Pages that show one experiment.
pub struct Viewers {
    /// For each page the stream of the lab and then that of the experiment.
    streams: Vec<Stream>,
}

struct Stream {
    socket: TcpStream,
    is_accepted: bool,
    events: u64,
}

impl Viewers {
    /// So many pages, each of which has heard how things are.
    ///
    /// # Errors
    ///
    /// When the server refuses one.
    pub fn connect(address: SocketAddr, pages: u64, experiment: &str, stop: &AtomicBool) -> Result<Self> {
        let mut streams = Vec::new();
        for _ in 0..pages {
            for path in ["/api/events", &format!("/api/experiments/{experiment}/events")] {
                let mut socket = connect(address).context("a viewer cannot connect")?;
                write!(socket, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
                socket.set_nonblocking(true)?;
                streams.push(Stream { socket, is_accepted: false, events: 0 });
            }
        }
        let mut viewers = Self { streams };
        let begun = Instant::now();
        while viewers.streams.iter().any(|stream| stream.events == 0) {
            if begun.elapsed() > PATIENCE || stop.load(Ordering::Relaxed) {
                bail!("not all viewers were told how things are");
            }
            viewers.read(REST)?;
        }
        Ok(viewers)
    }

    /// Reads what comes for a while.
    ///
    /// # Errors
    ///
    /// When a stream ends.
    pub fn watch(&mut self, time: Duration, stop: &AtomicBool) -> Result<()> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            if stop.load(Ordering::Relaxed) {
                bail!("broken off");
            }
            self.read(left)?;
            std::thread::sleep(REST.min(until.saturating_duration_since(Instant::now())));
        }
    }

    /// How many events the streams of the experiment had, the fewest and the most.
    pub fn events(&self) -> [u64; 2] {
        let events = self.streams.iter().skip(1).step_by(2).map(|stream| stream.events);
        [events.clone().min().unwrap_or(0), events.max().unwrap_or(0)]
    }

    /// Waits until something comes, for so long at most, and reads all there is.
    fn read(&mut self, longest: Duration) -> Result<()> {
        let timeout =
            Timespec::try_from(longest.min(Duration::from_millis(200))).expect("less than a second");
        let mut fds: Vec<_> =
            self.streams.iter().map(|stream| PollFd::new(&stream.socket, PollFlags::IN)).collect();
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let has_something: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        for (stream, _) in self.streams.iter_mut().zip(has_something).filter(|(_, is_there)| *is_there) {
            stream.read()?;
        }
        Ok(())
    }
}

impl Stream {
    fn read(&mut self) -> Result<()> {
        let mut buffer = [0; 64 << 10];
        match self.socket.read(&mut buffer) {
            Ok(0) => bail!("the server ended the stream of a viewer"),
            Ok(count) => {
                let text = &buffer[..count];
                if !std::mem::replace(&mut self.is_accepted, true) && !text.starts_with(b"HTTP/1.1 200 ") {
                    let line = String::from_utf8_lossy(text).lines().next().unwrap_or_default().to_owned();
                    bail!("the server refuses a viewer: {line}");
                }
                self.events += text.windows(6).filter(|window| window == b"\ndata:").count() as u64;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
