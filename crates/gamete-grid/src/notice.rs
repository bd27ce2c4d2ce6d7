use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where lines for people go that are no errors: a broker that is away, a message that is not ours. A line that comes again
/// soon is left out.
#[derive(Clone)]
pub struct Notices {
    print: Arc<dyn Fn(&str) + Send + Sync>,
    printed: Arc<Mutex<HashMap<String, Instant>>>,
}

/// How long a line is not said again.
const AGAIN: Duration = Duration::from_secs(60);

/// Lines that are remembered.
const MOST: usize = 1000;

impl Notices {
    /// Lines are given to a function.
    pub fn new(print: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { print: Arc::new(print), printed: Arc::default() }
    }

    /// Says a line, unless it was said a moment ago.
    pub fn say(&self, line: &str) {
        let now = Instant::now();
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if printed.get(line).is_some_and(|&last| now.duration_since(last) < AGAIN) {
            return;
        }
        if printed.len() >= MOST {
            printed.clear();
        }
        printed.insert(line.to_owned(), now);
        drop(printed);
        (self.print)(line);
    }
}

impl Default for Notices {
    fn default() -> Self {
        Self::new(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_said_once_in_a_while() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&lines);
        let notices = Notices::new(move |line| heard.lock().unwrap().push(line.to_owned()));
        ["a", "b", "a"].iter().for_each(|line| notices.say(line));
        assert_eq!(*lines.lock().unwrap(), ["a", "b"]);
    }
}
