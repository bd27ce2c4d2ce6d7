//! The program under attack: started with a mark that all its children inherit, watched, and looked over at the end.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Nothing that is attacked here needs so long, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(1800);

/// A program that runs.
pub struct Target {
    child: Child,
    mark: String,
    about: String,
    outputs: [JoinHandle<Vec<u8>>; 2],
    kilobytes: u64,
    /// When it is interrupted if it still runs.
    enough: Option<Instant>,
}

/// A program that ended.
pub struct Ended {
    pub status: ExitStatus,
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    pub kilobytes: u64,
    about: String,
}

impl Target {
    /// Starts the program in a folder and in a process group of its own.
    pub fn start<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>, input: Vec<u8>) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.args(args).current_dir(folder).env("GAMETE_ATTACK_MARK", &mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let about = format!("{:?}", command.get_args().collect::<Vec<_>>());
        let mut child = command.spawn().expect("a program to run");
        let mut pipe = child.stdin.take().expect("a pipe");
        // A program that is done need not read to the end.
        std::thread::spawn(move || pipe.write_all(&input));
        let outputs = [read(child.stdout.take()), read(child.stderr.take())];
        Self { child, mark, about, outputs, kilobytes: 0, enough: None }
    }

    /// Has it interrupted after a while, for work that has no end.
    pub fn at_most(mut self, time: Duration) -> Self {
        self.enough = Some(Instant::now() + time);
        self
    }

    /// Sends a signal, to the group if asked; whether the program still ran.
    pub fn signal(&mut self, signal: Signal, group: bool) -> bool {
        let runs = self.child.try_wait().expect("a child").is_none();
        if runs {
            let id = Pid::from_child(&self.child);
            let _ = if group { kill_process_group(id, signal) } else { kill_process(id, signal) };
        }
        runs
    }

    /// Waits for the end, and checks what holds for every end: no panic, no hang, no process left, no escape sequence
    /// and no more memory than `megabytes`.
    pub fn finish(mut self, megabytes: u64) -> Ended {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            if self.enough.is_some_and(|enough| Instant::now() > enough) {
                // The first finishes the games in hand, which may be of hours; the second ends at once.
                self.enough = Some(Instant::now() + Duration::from_secs(5));
                self.signal(Signal::INT, false);
            }
            if began.elapsed() > PATIENCE {
                self.signal(Signal::KILL, true);
                panic!("hangs: {}", self.about);
            }
            self.kilobytes = self.kilobytes.max(most_memory(self.child.id()));
            std::thread::sleep(Duration::from_millis(5));
        };
        // What was left behind may hold the pipes open, so it is looked for first.
        let left = left_behind(&self.mark);
        for &(id, _) in &left {
            let _ = kill_process(Pid::from_raw(id).expect("a process"), Signal::KILL);
        }
        assert!(left.is_empty(), "processes left behind by {} ({status}): {left:?}", self.about);
        let [out, err] = self.outputs.map(|output| output.join().expect("bytes"));
        let ended = Ended { status, out, err, kilobytes: self.kilobytes, about: self.about };
        let (out, err) = (ended.out(), ended.err());
        assert!(!err.contains("panicked at"), "{}: {err}", ended.about);
        assert_ne!(status.code(), Some(101), "{}: {err}", ended.about);
        assert!(
            !out.contains('\x1b') && !err.contains('\x1b'),
            "escape sequences: {}\n{out}\n{err}",
            ended.about
        );
        let limit = megabytes * 1024;
        assert!(ended.kilobytes < limit, "{} took {} KiB of memory", ended.about, ended.kilobytes);
        ended
    }
}

impl Ended {
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }

    /// It did what was asked, or said in words why not.
    pub fn assert_answered(&self) {
        match self.status.code() {
            Some(0) | Some(130) => {}
            Some(1 | 2) => assert!(!self.err.is_empty(), "failed without a word: {}", self.about),
            code => panic!("status {code:?} ({}): {}\n{}", self.status, self.about, self.err()),
        }
    }

    pub fn assert_success(&self) {
        assert!(self.status.success(), "{}: {}\n{}", self.about, self.status, self.err());
    }
}

fn read(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    let mut pipe = pipe.expect("a pipe");
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

fn most_memory(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    peak.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// The processes with a mark, once those that were told to end have had the time to.
fn left_behind(mark: &str) -> Vec<(i32, String)> {
    let began = Instant::now();
    loop {
        let left = marked(mark);
        if left.is_empty() || began.elapsed() > Duration::from_secs(20) {
            return left;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn marked(mark: &str) -> Vec<(i32, String)> {
    let wanted = format!("GAMETE_ATTACK_MARK={mark}");
    let processes = std::fs::read_dir("/proc").expect("Linux").filter_map(|entry| {
        let id: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let environment = std::fs::read(format!("/proc/{id}/environ")).ok()?;
        let is_marked = environment.split(|&byte| byte == 0).any(|word| word == wanted.as_bytes());
        let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        is_marked.then(|| (id, name.trim_end().to_owned()))
    });
    processes.collect()
}
