//! A crowd: very many connections that are opened at once and say nothing.

use std::fmt;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::Serialize;

use super::http::{Client, connect};
use super::served::Served;
use crate::process::open_files;
use crate::terminal::{counted, grouped};

/// Threads that open connections.
const OPENERS: u64 = 8;

/// Requests of others meanwhile.
const REQUESTS: usize = 50;

/// How long the server may take to forget them.
const PATIENCE: Duration = Duration::from_secs(30);

/// What becomes of others when there is a crowd.
#[derive(Serialize)]
pub struct Crowd {
    connections: u64,
    /// Those that could be opened.
    opened: usize,
    seconds: f64,
    /// Files and connections of the server before, while all were open, and afterwards.
    files: Vec<usize>,
    /// Requests of others meanwhile.
    requests: usize,
    answered: usize,
    /// Milliseconds to the last answer.
    longest: f64,
    /// Whether requests are answered afterwards.
    well_again: bool,
}

impl fmt::Display for Crowd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { connections, opened, seconds, files, requests, answered, longest, well_again } = self;
        write!(
            f,
            "{} at once: {} opened in {seconds:.1} s; {answered} of {requests} requests of others were answered meanwhile, the \
             slowest after {longest:.1} ms; afterwards {}",
            counted(*connections, "connection"),
            grouped(*opened as u64),
            if *well_again { "all is well" } else { "requests are not answered" }
        )?;
        let files: Vec<_> = files.iter().map(|&files| grouped(files as u64)).collect();
        if files.is_empty() {
            Ok(())
        } else {
            write!(
                f,
                "\nfiles and connections of the server before, then and afterwards: {}",
                files.join(", ")
            )
        }
    }
}

impl Crowd {
    /// Opens so many connections, as far as the system lets us, asks for something else beside them, and closes them again.
    pub fn measure(served: &Served, connections: u64) -> Self {
        allow_files();
        let files = || open_files(served.id());
        let before = files();
        let begun = Instant::now();
        let crowd = open(served.address, connections);
        let seconds = begun.elapsed().as_secs_f64();
        let (mut answered, mut longest) = (0, 0.0_f64);
        let then = files();
        for _ in 0..REQUESTS {
            let asked = Instant::now();
            // It takes files of the lab to answer this.
            let reply = Client::new(served.address).get("/api/experiments");
            answered += usize::from(reply.is_ok_and(|reply| reply.status == 200));
            longest = longest.max(1e3 * asked.elapsed().as_secs_f64());
        }
        let opened = crowd.len();
        drop(crowd);
        let closed = Instant::now();
        let are_gone = || files().zip(before).is_none_or(|(now, before)| now <= before + REQUESTS);
        while !are_gone() && closed.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(50));
        }
        let well_again =
            Client::new(served.address).get("/api/experiments").is_ok_and(|reply| reply.status == 200);
        Self {
            connections,
            opened,
            seconds,
            files: [before, then, files()].into_iter().flatten().collect(),
            requests: REQUESTS,
            answered,
            longest,
            well_again,
        }
    }
}

/// Has the system let us open as many files as it ever does.
fn allow_files() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

fn open(address: SocketAddr, connections: u64) -> Vec<TcpStream> {
    let some = |number: u64| {
        let count = connections / OPENERS + u64::from(number < connections % OPENERS);
        (0..count).filter_map(|_| connect(address).ok()).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let some = &some;
        let threads: Vec<_> = (0..OPENERS).map(|number| scope.spawn(move || some(number))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that does not panic")).collect()
    })
}
