//! A NATS broker for tests: the program of Debian's, on a port of its own, with what it keeps in a folder of its own.
#![allow(dead_code)]

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A port that nobody listens on, and that no other test gets while this process lives: a broker that was killed needs its port again.
/// The system gives none of these to anybody who asks for any port.
pub fn free_port() -> u16 {
    let locks = std::env::temp_dir().join("gamete-test-ports");
    std::fs::create_dir_all(&locks).expect("a folder");
    for port in 20_000..30_000 {
        let lock = File::create(locks.join(port.to_string())).expect("a file");
        if lock.try_lock().is_ok() && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            std::mem::forget(lock);
            return port;
        }
    }
    panic!("no port is free");
}

/// A broker, which ends with the test.
pub struct Broker {
    program: PathBuf,
    options: Vec<String>,
    environment: Vec<(String, String)>,
    port: u16,
    child: Option<Child>,
    folder: tempfile::TempDir,
}

impl Broker {
    /// Starts one with JetStream.
    pub fn start(program: PathBuf) -> Self {
        Self::with_options(program, &["-js"])
    }

    /// Starts one with these options.
    pub fn with_options(program: PathBuf, options: &[&str]) -> Self {
        Self::in_environment(program, options, &[])
    }

    fn in_environment(program: PathBuf, options: &[&str], environment: &[(&str, &str)]) -> Self {
        let port = free_port();
        let folder = tempfile::tempdir().expect("a folder");
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let environment = environment.iter().map(owned).collect();
        let mut broker = Self { program, options, environment, port, child: None, folder };
        broker.restart();
        broker
    }

    /// Starts one with JetStream and this configuration.
    pub fn configured(program: PathBuf, text: &str) -> Self {
        Self::configured_in(program, text, &[])
    }

    /// The same with these variables of the environment.
    pub fn configured_in(program: PathBuf, text: &str, environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("store");
        Self::with_all(program, text, &store, folder, environment)
    }

    /// Starts it again with other options.
    pub fn restart_with(&mut self, options: &[&str]) {
        self.options = options.iter().map(|&option| option.to_owned()).collect();
        self.restart();
    }

    /// The same with what it keeps elsewhere; `folder` is for its configuration.
    pub fn with_store(program: PathBuf, text: &str, store: &Path, folder: tempfile::TempDir) -> Self {
        Self::with_all(program, text, store, folder, &[])
    }

    fn with_all(
        program: PathBuf,
        text: &str,
        store: &Path,
        folder: tempfile::TempDir,
        environment: &[(&str, &str)],
    ) -> Self {
        let path = folder.path().join("broker.conf");
        let store = store.display().to_string();
        let text = text.replace("jetstream {", &format!("jetstream {{ store_dir: {store:?}\n"));
        std::fs::write(&path, text).expect("a file");
        let mut broker = Self::in_environment(program, &["-c", &path.display().to_string()], environment);
        broker.folder = folder;
        broker
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Ends it at once, as by `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it again with what it has kept.
    pub fn restart(&mut self) {
        self.kill();
        let mut command = Command::new(&self.program);
        command.args(["-a", "127.0.0.1", "-p", &self.port.to_string()]).args(&self.options);
        // A configuration file says itself where things are kept.
        if !self.options.iter().any(|option| option == "-c") {
            command.arg("-sd").arg(self.folder.path());
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.child = Some(child.expect("a broker"));
        let begun = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the broker does not answer");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Brokers each of which has a copy of everything.
pub struct Cluster(pub Vec<Broker>);

impl Cluster {
    /// Starts so many with JetStream, and waits until each has a copy of what is kept on all.
    pub fn start(program: &Path, size: usize) -> Self {
        let ports: Vec<u16> = (0..size).map(|_| free_port()).collect();
        let address = |port: &u16| format!("nats://127.0.0.1:{port}");
        let routes = ports.iter().map(address).collect::<Vec<_>>().join(",");
        let start = |(number, port): (usize, &u16)| {
            let (name, own) = (format!("broker-{number}"), address(port));
            let options =
                ["-js", "--name", &name, "--cluster_name", "test", "--cluster", &own, "--routes", &routes];
            Broker::with_options(program.to_owned(), &options)
        };
        let cluster = Self(ports.iter().enumerate().map(start).collect());
        let probe = format!(r#"{{"name":"probe","subjects":["probe"],"num_replicas":{size}}}"#);
        let begun = Instant::now();
        while !cluster.does("$JS.API.STREAM.CREATE.probe", &probe) {
            assert!(begun.elapsed() < Duration::from_secs(60), "the brokers do not find each other");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(cluster.does("$JS.API.STREAM.DELETE.probe", ""));
        cluster
    }

    /// Asks the first for something; says whether that is done.
    fn does(&self, subject: &str, payload: &str) -> bool {
        let ask = || -> std::io::Result<String> {
            let mut broker = TcpStream::connect((Ipv4Addr::LOCALHOST, self.0[0].port))?;
            broker.set_read_timeout(Some(Duration::from_secs(5)))?;
            let length = payload.len();
            write!(broker, "CONNECT {{}}\r\nSUB answer 1\r\nPUB {subject} answer {length}\r\n{payload}\r\n")?;
            let mut lines = BufReader::new(broker).lines();
            while !lines.next().ok_or(ErrorKind::UnexpectedEof)??.starts_with("MSG ") {}
            lines.next().ok_or(ErrorKind::UnexpectedEof)?
        };
        ask().is_ok_and(|answer| !answer.contains("\"error\""))
    }

    /// The addresses of all.
    pub fn url(&self) -> String {
        self.0.iter().map(Broker::url).collect::<Vec<_>>().join(",")
    }
}
