//! Processes that are measured, and what the system tells of them.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, Result};

/// A process that ends with its owner.
pub struct Process(Child);

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> Result<Self> {
        let program = PathBuf::from(command.get_program());
        Ok(Self(command.spawn().with_context(|| program.display().to_string())?))
    }

    /// The process itself.
    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The memory of a process, where the system tells.
pub fn megabytes(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

/// How many files and connections a process has open, where the system tells.
pub fn open_files(process: u32) -> Option<usize> {
    Some(std::fs::read_dir(format!("/proc/{process}/fd")).ok()?.count())
}

/// The processor time that a process has taken, with all threads that it ever had, where the system tells.
pub fn processor_time(process: u32) -> Option<Duration> {
    ticks(&format!("/proc/{process}/stat"))
}

/// That of its threads of this name; nothing where there are none.
pub fn processor_time_of(process: u32, name: &str) -> Option<Duration> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten();
    let is_meant = |thread: &PathBuf| {
        std::fs::read_to_string(thread.join("comm")).is_ok_and(|found| found.trim_end() == name)
    };
    let nanoseconds = |thread: PathBuf| {
        let times = std::fs::read_to_string(thread.join("schedstat")).ok()?;
        times.split_whitespace().next()?.parse().ok()
    };
    let threads = threads.map(|thread| thread.path()).filter(is_meant);
    let time: Duration =
        threads.map(|thread| nanoseconds(thread).map(Duration::from_nanos)).sum::<Option<_>>()?;
    (!time.is_zero()).then_some(time)
}

/// The user's and the system's time of a `stat` file, which are in hundredths of a second.
fn ticks(path: &str) -> Option<Duration> {
    let text = std::fs::read_to_string(path).ok()?;
    // A name may have spaces and brackets in it.
    let (_, rest) = text.rsplit_once(')')?;
    let ticks: Vec<u64> =
        rest.split_whitespace().skip(11).take(2).filter_map(|word| word.parse().ok()).collect();
    Some(Duration::from_millis(10 * ticks.iter().sum::<u64>()))
}
