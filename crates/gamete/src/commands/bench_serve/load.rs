//! Many clients that ask for everything there is, as fast as they are answered.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use super::http::Client;
use super::served::Served;
use crate::process::megabytes;
use crate::terminal::{counted, grouped};

/// What clients were answered, and what the server took for it.
#[derive(Serialize)]
pub struct Load {
    clients: u64,
    seconds: f64,
    requests: usize,
    per_second: f64,
    /// Answers that were none, or no good ones.
    errors: usize,
    /// The first of them.
    error: Option<String>,
    /// Milliseconds to the answer.
    median: f64,
    p99: f64,
    longest: f64,
    /// Megabytes of the server at ten moments.
    memory: Vec<f64>,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clients, seconds, requests, per_second, errors, error, median, p99, longest, memory } =
            self;
        write!(
            f,
            "{} for {seconds:.0} s: {} requests, {} a second, {}; answers after {median:.1} ms, 99 % within {p99:.1} ms, all \
             within {longest:.1} ms",
            counted(*clients, "client"),
            grouped(*requests as u64),
            grouped(per_second.round() as u64),
            counted(*errors as u64, "error"),
        )?;
        if let Some(error) = error {
            write!(f, "\nthe first error: {error}")?;
        }
        let memory: Vec<_> = memory.iter().map(|megabytes| format!("{megabytes:.1}")).collect();
        if memory.is_empty() { Ok(()) } else { write!(f, "\nmemory of the server, MB: {}", memory.join(" ")) }
    }
}

/// What a client was answered.
#[derive(Default)]
struct Answers {
    /// Milliseconds that each took.
    times: Vec<f64>,
    errors: Vec<String>,
}

/// All that can be read without changing anything.
fn addresses(experiment: &str) -> Vec<String> {
    let of_all = [
        "/",
        "/api/server",
        "/api/openapi.json",
        "/api/experiments",
        "/api/presets",
        "/api/presets/kendall-whitwell",
    ];
    let others = ["/api/players?game=chess", "/api/play", "/api/matches", "/api/ratings", "/api/grid"];
    let own = [
        "",
        "/generations",
        "/population",
        "/family",
        "/file",
        "/report",
        "/player",
        "/games",
        "/games/1",
        "/games/1/text",
    ];
    let own = own.into_iter().map(|rest| match rest {
        "/player" => format!("/api/experiments/{experiment}/player?of={experiment}%401"),
        rest => format!("/api/experiments/{experiment}{rest}"),
    });
    of_all.into_iter().chain(others).map(str::to_owned).chain(own).collect()
}

impl Load {
    /// Has so many clients ask for so many seconds.
    ///
    /// # Errors
    ///
    /// When a thread panics, which would be a mistake of ours.
    pub fn measure(
        served: &Served,
        experiment: &str,
        clients: u64,
        seconds: u64,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let addresses = addresses(experiment);
        let is_over = AtomicBool::new(false);
        let begun = Instant::now();
        let mut memory = Vec::new();
        let answers = std::thread::scope(|scope| {
            let ask = |number: u64| {
                let (addresses, is_over) = (&addresses, &is_over);
                scope.spawn(move || ask(served, &addresses[..], number as usize, is_over))
            };
            let threads: Vec<_> = (0..clients).map(ask).collect();
            for moment in 1..=10 {
                let until = begun + Duration::from_secs(seconds).mul_f64(f64::from(moment) / 10.0);
                while Instant::now() < until && !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(
                        Duration::from_millis(50).min(until.saturating_duration_since(Instant::now())),
                    );
                }
                memory.extend(megabytes(served.id()));
            }
            is_over.store(true, Ordering::Relaxed);
            let all = threads.into_iter().map(|thread| thread.join().expect("a thread that does not panic"));
            all.fold(Answers::default(), |mut all, one| {
                all.times.extend(one.times);
                all.errors.extend(one.errors);
                all
            })
        });
        let seconds = begun.elapsed().as_secs_f64();
        let Answers { mut times, errors } = answers;
        times.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| times.get((share * times.len() as f64) as usize).or(times.last()).copied();
        let at = |share: f64| at(share).unwrap_or(0.0);
        Ok(Self {
            clients,
            seconds,
            requests: times.len(),
            per_second: times.len() as f64 / seconds,
            median: at(0.5),
            p99: at(0.99),
            longest: at(1.0),
            error: errors.first().cloned(),
            errors: errors.len(),
            memory,
        })
    }
}

/// Asks for one address after another until it is over. Clients begin at different ones.
fn ask(served: &Served, addresses: &[String], first: usize, is_over: &AtomicBool) -> Answers {
    let mut client = Client::new(served.address);
    let mut answers = Answers::default();
    for path in addresses.iter().cycle().skip(first % addresses.len()) {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let asked = Instant::now();
        match client.get(path) {
            Ok(reply) if reply.status == 200 => {}
            Ok(reply) => {
                let text: String = String::from_utf8_lossy(&reply.body).chars().take(200).collect();
                answers.errors.push(format!("{path}: {}: {text}", reply.status));
            }
            Err(error) => answers.errors.push(format!("{path}: {error}")),
        }
        answers.times.push(1e3 * asked.elapsed().as_secs_f64());
    }
    answers
}
