use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where lines for people go that are no errors: a broker that is away, a message that is not ours. A line that comes again
/// soon is left out.
#[derive(Clone)]
pub struct Notices {
    print: Arc<dyn Fn(&str) + Send + Sync>,
    printed: Arc<Mutex<Printed>>,
}

/// The lines of the last while.
#[derive(Default)]
struct Printed {
    lines: HashMap<String, Instant>,
    /// When the present while began, and how many lines there were since.
    since: Option<Instant>,
    count: usize,
}

/// How long a line is not said again.
const AGAIN: Duration = Duration::from_secs(60);

/// Lines that are said in that time: whoever sends nonsense under ever new names shall not fill a disk.
const MOST: usize = 200;

impl Notices {
    /// Lines are given to a function.
    pub fn new(print: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { print: Arc::new(print), printed: Arc::default() }
    }

    /// Says a line, unless it was said a moment ago, or many others were.
    pub fn say(&self, line: &str) {
        let count = self.printed.lock().unwrap_or_else(PoisonError::into_inner).note(line);
        match count {
            Some(..MOST) => (self.print)(line),
            Some(MOST) => (self.print)(
                "there is more to say than anybody reads; for a minute, other lines are left out",
            ),
            _ => {}
        }
    }
}

impl Printed {
    /// How many other lines there were in the present while before this one; nothing if this is one of them.
    fn note(&mut self, line: &str) -> Option<usize> {
        let now = Instant::now();
        let is_recent = |then: Instant| now.duration_since(then) < AGAIN;
        if !self.since.is_some_and(is_recent) {
            self.lines.retain(|_, &mut last| is_recent(last));
            (self.since, self.count) = (Some(now), 0);
        }
        if self.lines.get(line).is_some_and(|&last| is_recent(last)) {
            return None;
        }
        let count = self.count;
        self.count += 1;
        if count < MOST {
            self.lines.insert(line.to_owned(), now);
        }
        Some(count)
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

    #[test]
    fn nobody_has_to_read_thousands_of_lines() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&lines);
        let notices = Notices::new(move |line| heard.lock().unwrap().push(line.to_owned()));
        (0..10_000).for_each(|number| notices.say(&format!("line {number}")));
        let lines = lines.lock().unwrap();
        assert_eq!((lines.len(), lines[MOST - 1].as_str()), (MOST + 1, "line 199"));
        assert!(lines[MOST].starts_with("there is more to say"), "{}", lines[MOST]);
    }
}
