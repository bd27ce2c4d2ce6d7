use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineLog, Tee};

use crate::plain::Plain;
use crate::single_dash::{Group, flag};
use crate::terminal;

/// What is logged, by `-log` to a file and by `-debug` to the standard error.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    file: Option<PathBuf>,
    append: bool,
    /// Whether what engines are told and say goes into the file.
    traffic: bool,
    level: Level,
    /// Whether the same is printed.
    debug: bool,
}

/// How much of the match itself is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Level {
    /// All games, as they begin and end.
    Info,
    /// What contestants do wrong.
    #[default]
    Warn,
    /// Nothing.
    Fatal,
}

/// A log that is being written.
#[derive(Clone)]
pub struct Log {
    engines: Arc<EngineLog>,
    level: Level,
    name: String,
}

impl LogOptions {
    /// What follows `-log` and `-debug`.
    pub fn parse(log: Option<&Group<'_>>, debug: Option<&Group<'_>>) -> Result<Self> {
        let mut options = Self { append: true, traffic: true, ..Self::default() };
        if let Some(group) = debug {
            if let Some(word) = group.values.iter().find(|&&word| word != "all") {
                bail!("-debug: {word:?} is one word too many");
            }
            options.debug = true;
        }
        let Some(group) = log else { return Ok(options) };
        for (key, value) in group.pairs(&["file", "level", "append", "engine", "realtime", "compress"])? {
            match key {
                "file" => options.file = Some(value.into()),
                "append" => options.append = flag(group.name, key, value)?,
                "engine" => options.traffic = flag(group.name, key, value)?,
                "level" => {
                    options.level = match value {
                        "trace" | "info" => Level::Info,
                        "warn" => Level::Warn,
                        "err" | "fatal" => Level::Fatal,
                        _ => bail!("-log: level={value} is not trace, info, warn, err or fatal"),
                    };
                }
                // Each line is written as it comes, and as it is.
                "realtime" if flag(group.name, key, value)? => {}
                "compress" if !flag(group.name, key, value)? => {}
                _ => terminal::print_warning(&format!("-log: {key}={value} has no effect here")),
            }
        }
        if options.file.is_none() {
            bail!("-log: name a file: file=match.log");
        }
        Ok(options)
    }

    /// Opens the log, if one was asked for.
    pub fn open(&self) -> Result<Option<Log>> {
        let Self { append, traffic, level, .. } = *self;
        let name = self.file.as_ref().map_or_else(String::new, |file| file.display().to_string());
        let file = match &self.file {
            None => None,
            Some(path) => {
                let mut opening = OpenOptions::new();
                opening.create(true).write(true).append(append).truncate(!append);
                Some(opening.open(path).with_context(|| format!("-log: {name}: cannot be written"))?)
            }
        };
        let engines = match (file, self.debug) {
            (None, false) => return Ok(None),
            (None, true) => EngineLog::new(Plain::new(io::stderr()), true),
            (Some(file), false) => EngineLog::new(file, traffic),
            (Some(file), true) => EngineLog::new(Tee(file, Plain::new(io::stderr())), true),
        };
        Ok(Some(Log { engines: Arc::new(engines), level, name }))
    }
}

impl Log {
    /// Where engines write to.
    pub fn engines(&self) -> Arc<EngineLog> {
        Arc::clone(&self.engines)
    }

    /// A game begins or ends.
    pub fn info(&self, text: &str) {
        if self.level <= Level::Info {
            self.engines.note("INFO", text);
        }
    }

    /// A contestant did something wrong.
    pub fn warn(&self, text: &str) {
        if self.level <= Level::Warn {
            self.engines.note("WARN", text);
        }
    }

    /// Says so if the log is not complete.
    pub fn check(&self) {
        if let Some(failure) = self.engines.failure() {
            terminal::print_warning(&format!("-log: {}: cannot be written: {failure}", self.name));
        }
    }
}
