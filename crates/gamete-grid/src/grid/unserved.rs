//! Tasks that no worker takes.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use gamete_arena::NamedEngine;

/// How long tasks wait for a worker until it is said that there is none.
const PATIENCE: Duration = Duration::from_secs(10);

/// Queues that no worker serves.
#[derive(Default)]
pub(super) struct Unserved(HashMap<String, Wait>);

struct Wait {
    since: Instant,
    is_told: bool,
}

impl Unserved {
    /// Notes which queues workers serve, and which have open tasks; gives those of which it is to be said that nobody serves them. Each
    /// is given once until it was served.
    pub fn note(&mut self, served: &HashSet<String>, open: &HashSet<String>, now: Instant) -> Vec<String> {
        self.0.retain(|token, wait| !served.contains(token) && (wait.is_told || open.contains(token)));
        let mut told = Vec::new();
        for token in open.difference(served) {
            let wait = self.0.entry(token.clone()).or_insert(Wait { since: now, is_told: false });
            if !wait.is_told && now.duration_since(wait.since) >= PATIENCE {
                wait.is_told = true;
                told.push(token.clone());
            }
        }
        told.sort_unstable();
        told
    }

    /// Waits as long as at first for queues of which nothing was said yet.
    pub fn wait_anew(&mut self) {
        self.0.retain(|_, wait| wait.is_told);
    }
}

/// What is said where no worker takes the tasks of these engines.
pub(super) fn unserved_line(url: &str, engines: &[NamedEngine]) -> String {
    let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
    match names.as_slice() {
        [] => format!("no worker takes these games; start `gamete worker {url}`"),
        [name] => format!(
            "no worker takes the games of {name}; start one that has the same program under this name in its file: \
             `gamete worker {url} --engines FILE`"
        ),
        [names @ .., last] => format!(
            "no worker takes the games of {} and {last}; start one that has the same programs under these names in its file: \
             `gamete worker {url} --engines FILE`",
            names.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_told_of_once_until_it_is_served() {
        let set = |tokens: &[&str]| tokens.iter().map(|&token| token.to_owned()).collect::<HashSet<_>>();
        let (begun, mut unserved) = (Instant::now(), Unserved::default());
        let mut note = |served: &[&str], open: &[&str], seconds| {
            unserved.note(&set(served), &set(open), begun + Duration::from_secs(seconds))
        };
        assert_eq!(note(&[], &["a", "b"], 0), [""; 0]);
        assert_eq!(note(&["b"], &["a", "b"], 9), [""; 0]);
        assert_eq!(note(&["b"], &["a", "b"], 10), ["a"]);
        assert_eq!(note(&[], &["a", "b"], 15), [""; 0], "b was served until now");
        assert_eq!(note(&[], &["b"], 20), [""; 0]);
        assert_eq!(note(&[], &["a", "b"], 25), ["b"]);
        assert_eq!(note(&["a"], &["a"], 30), [""; 0]);
        assert_eq!(note(&[], &["a"], 31), [""; 0]);
        assert_eq!(note(&[], &[], 36), [""; 0], "there is nothing to do for a while");
        assert_eq!(note(&[], &["a"], 41), [""; 0]);
        assert_eq!(note(&[], &["a"], 51), ["a"]);
    }

    #[test]
    fn engines_are_named() {
        let line = |names: &[&str]| {
            let engine =
                |name: &&str| NamedEngine { name: (*name).to_owned(), content: None, options: Vec::new() };
            unserved_line("nats://a", &names.iter().map(engine).collect::<Vec<_>>())
        };
        assert_eq!(line(&[]), "no worker takes these games; start `gamete worker nats://a`");
        assert!(
            line(&["x"]).starts_with("no worker takes the games of x; start one that has the same program ")
        );
        assert!(line(&["x", "y", "z"]).starts_with("no worker takes the games of x, y and z; "));
    }
}
