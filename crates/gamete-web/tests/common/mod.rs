//! A server on a free port, and a client that does only what tests need.

#![allow(dead_code, reason = "not every test file uses everything")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use gamete_arena::Local;
use gamete_lab::{Experiment, Store};
use gamete_web::{Server, ServerOptions};
use serde_json::Value;

/// Nothing here takes so long unless it hangs.
const GUARD: Duration = Duration::from_secs(120);

/// A server that ends with the test.
pub struct Served {
    pub address: SocketAddr,
    pub lab: PathBuf,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    token: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The answer of something that went well.
    pub fn ok(&self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        self.json()
    }

    /// The message of something that did not.
    pub fn refused(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        self.json()["error"]["message"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }
}

impl Served {
    pub fn start(lab: &Path) -> Self {
        Self::with(lab, None)
    }

    pub fn with(lab: &Path, token: Option<&str>) -> Self {
        let server = Server::bind(ServerOptions {
            lab: lab.to_owned(),
            journals: None,
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: token.map(str::to_owned),
            names: Vec::new(),
            grid: None,
            threads: 2,
        });
        let server = server.expect("a server");
        let address = server.address();
        let stop = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&stop);
        let run = move || server.run(move || own.load(Ordering::Relaxed)).expect("a server that runs");
        let thread = Some(std::thread::spawn(run));
        Self { address, lab: lab.to_owned(), stop, thread, token: token.map(str::to_owned) }
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], None)
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        let mut headers = vec![("Content-Type", "application/json".to_owned())];
        headers.extend(self.token.as_ref().map(|token| ("Authorization", format!("Bearer {token}"))));
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.send("POST", path, &headers, Some(&body.to_string()))
    }

    /// A request with nothing but what is given, and a Host.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            text += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        if let Some(body) = body {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        self.raw(format!("{text}\r\n{}", body.unwrap_or_default()).as_bytes())
    }

    /// Bytes as they are, and whatever is answered.
    pub fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server that has heard enough may close before all is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect();
        Reply { status, headers, body: body.to_owned() }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(GUARD)).expect("a timeout");
        stream
    }

    /// An event stream.
    pub fn events(&self, path: &str) -> Events {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address)
            .expect("a request");
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).expect("an answer");
        assert!(line.contains(" 200 "), "{path}: {line}");
        Events { lines }
    }

    /// Asks again and again until an answer fits.
    pub fn await_get(&self, path: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let started = std::time::Instant::now();
        loop {
            let answer = self.get(path).ok();
            if fits(&answer) {
                return answer;
            }
            assert!(started.elapsed() < GUARD, "{path}: {answer}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
        }
    }
}

/// What an event stream says.
pub struct Events {
    lines: BufReader<TcpStream>,
}

impl Events {
    /// The next event: its name and its data.
    pub fn next(&mut self) -> (String, Value) {
        let (mut name, mut data) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("an event in time");
            assert!(read > 0, "the stream ended");
            let line = line.trim_end();
            if let Some(value) = line.strip_prefix("event:") {
                name = value.trim().to_owned();
            } else if let Some(value) = line.strip_prefix("data:") {
                data += value.trim();
            } else if line.is_empty() && !name.is_empty() && !data.is_empty() {
                let data = serde_json::from_str(&data).unwrap_or_else(|error| panic!("{error}: {data}"));
                return (name, data);
            }
        }
    }

    /// Reads until there are no more.
    pub fn end(mut self) {
        std::io::copy(&mut self.lines, &mut std::io::sink()).expect("an end in time");
    }

    /// The next event that fits.
    pub fn until(&mut self, fits: impl Fn(&str, &Value) -> bool) -> Value {
        let started = std::time::Instant::now();
        loop {
            let (name, data) = self.next();
            if fits(&name, &data) {
                return data;
            }
            assert!(started.elapsed() < GUARD, "{name}: {data}");
        }
    }
}

/// Experiments that are over in a moment.
pub const SMALL: &str = "population = 4\ngenerations = 3\nlimits = 'depth=1'\nmax_moves = 10\n";

/// Runs an experiment as another process would.
pub fn run(lab: &Path, id: &str, text: &str) {
    let experiment = Experiment::from_table(&text.parse().expect("TOML")).expect("an experiment");
    let store = Store::create(lab).expect("a lab");
    let executor = Local::new(2).expect("threads");
    gamete_lab::run(&store, id, &experiment, &executor, &AtomicBool::new(false), |_| {}).expect("a run");
}

/// A lab with an experiment and a study.
pub fn lab() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    run(directory.path(), "small-1", &format!("name = 'small'\n{SMALL}"));
    let arms = "[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\nset = { scale = 2 }\n";
    run(
        directory.path(),
        "study-1",
        &format!("name = 'study'\nabout = '<script>alert(1)</script>'\n{SMALL}{arms}"),
    );
    directory
}
