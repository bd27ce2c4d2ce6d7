use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::date::date;

/// A file with everything that is said to engines and by them, and when: lines like fastchess's,
/// `[Engine] [2026-11-15T19:55:02.123456Z] <4711> Stockfish <--- go nodes 100`. The number is the engine's process.
pub struct EngineLog {
    out: Mutex<Box<dyn Write + Send>>,
    traffic: bool,
    failure: OnceLock<String>,
}

/// Which way a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    ToEngine,
    FromEngine,
    /// By its standard error.
    Complaint,
}

impl EngineLog {
    /// Writes to `out`, each line at once. Without `traffic` there are only [notes](Self::note) in it.
    pub fn new(out: impl Write + Send + 'static, traffic: bool) -> Self {
        Self { out: Mutex::new(Box::new(out)), traffic, failure: OnceLock::new() }
    }

    /// Writes a line of something else than engines.
    pub fn note(&self, kind: &str, text: &str) {
        self.write(format_args!("[{kind:<6}] [{Now}] {text}\n"));
    }

    pub(crate) fn line(&self, way: Way, name: &str, process: u32, text: &str) {
        if self.traffic {
            let (mark, arrow) = match way {
                Way::ToEngine => ("", "<---"),
                Way::FromEngine => ("", "--->"),
                Way::Complaint => ("<stderr> ", "--->"),
            };
            self.write(format_args!("[Engine] [{Now}] <{process}> {mark}{name} {arrow} {text}\n"));
        }
    }

    fn write(&self, line: fmt::Arguments<'_>) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // In one piece, so that nobody else's line comes in between.
        if let Err(error) = out.write_all(line.to_string().as_bytes()).and_then(|()| out.flush()) {
            self.failure.get_or_init(|| error.to_string());
        }
    }

    /// Why something is missing from it.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}

impl fmt::Debug for EngineLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineLog").field("traffic", &self.traffic).finish_non_exhaustive()
    }
}

/// This moment in Greenwich, to the microsecond.
struct Now;

impl fmt::Display for Now {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (seconds, micros) = (now.as_secs(), now.subsec_micros());
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        write!(f, "{}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z", date(seconds).replace('.', "-"))
    }
}

/// The conversation with one engine, as it is logged.
#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    pub(crate) log: std::sync::Arc<EngineLog>,
    pub(crate) name: String,
    pub(crate) process: u32,
}

impl Conversation {
    pub(crate) fn lines(&self, way: Way, text: &[u8]) {
        for line in String::from_utf8_lossy(text).lines().filter(|line| !line.is_empty()) {
            self.log.line(way, &self.name, self.process, line);
        }
    }
}

/// Writes to two places.
pub struct Tee<A, B>(pub A, pub B);

impl<A: Write, B: Write> Write for Tee<A, B> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(bytes)?;
        self.1.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        self.1.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_have_a_time_a_name_and_a_direction() {
        let out = Shared::default();
        let log = EngineLog::new(out.clone(), true);
        log.line(Way::ToEngine, "A", 12, "go nodes 1");
        log.line(Way::Complaint, "A", 12, "help");
        log.note("INFO", "Started");
        let text = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
        let behind_time: Vec<_> = text.lines().map(|line| line.split_once("Z] ").unwrap().1).collect();
        assert_eq!(behind_time, ["<12> A <--- go nodes 1", "<12> <stderr> A ---> help", "Started"]);
        let time = text.lines().next().unwrap().strip_prefix("[Engine] [2").unwrap();
        let separators: String = time[..26].chars().filter(|letter| !letter.is_ascii_digit()).collect();
        assert_eq!(separators, "--T::.Z");
        let log = EngineLog::new(out.clone(), false);
        log.line(Way::FromEngine, "A", 12, "bestmove e2e4");
        assert_eq!(out.0.lock().unwrap().len(), text.len());
    }
}
