use std::borrow::Cow;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::guard;
use super::log::{Conversation, Way};

/// A program at the other end of three pipes, which are waited for without a thread of their own.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// Whether the child has been waited for, so that its number may be somebody else's.
    reaped: bool,
    input: ChildStdin,
    output: Lines,
    errors: Option<ChildStderr>,
    tail: Tail,
    log: Option<Conversation>,
}

/// Why nothing came, or nothing went.
#[derive(Debug)]
pub(crate) enum PipeError {
    TimedOut,
    /// Nobody wants to know any more.
    Stopped,
    /// The other end is gone.
    Closed,
    Io(io::Error),
}

impl From<io::Error> for PipeError {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe { Self::Closed } else { Self::Io(error) }
    }
}

/// How long something is waited for: to a deadline, or until somebody says stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until<'a> {
    pub(crate) deadline: Instant,
    pub(crate) stop: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Until<'static> {
    /// To the deadline, whatever happens.
    pub(crate) fn deadline(deadline: Instant) -> Self {
        Self { deadline, stop: &NEVER }
    }
}

/// A process may die and leave its pipes to others, and somebody may say stop, so there is a look this often even if
/// the pipes are silent.
const LOOK_AFTER: Duration = Duration::from_millis(50);

impl Process {
    /// Starts a program in a process group of its own, so that an interrupt from the keyboard is left to us, and whatever
    /// it starts ends with it.
    pub(crate) fn start(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn()?;
        let input = child.stdin.take().expect("a pipe to it");
        let output = child.stdout.take().expect("a pipe from it");
        let errors = child.stderr.take().expect("a second pipe from it");
        // From here on, dropping it ends it.
        guard::watch(child.id());
        let (output, tail) = (Lines::new(output), Tail::default());
        let process = Self { child, reaped: false, input, output, errors: Some(errors), tail, log: None };
        rustix::io::ioctl_fionbio(&process.input, true)?;
        rustix::io::ioctl_fionbio(&process.output.pipe, true)?;
        if let Some(errors) = &process.errors {
            rustix::io::ioctl_fionbio(errors, true)?;
        }
        Ok(process)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Has everything logged from now on.
    pub(crate) fn log_to(&mut self, log: Conversation) {
        self.log = Some(log);
    }

    fn log(&self, way: Way, text: &[u8]) {
        if let Some(log) = &self.log {
            log.lines(way, text);
        }
    }

    /// Writes everything, which is one system call unless the other end does not read.
    pub(crate) fn send(&mut self, mut bytes: &[u8], until: Until<'_>) -> Result<(), PipeError> {
        self.log(Way::ToEngine, bytes);
        while !bytes.is_empty() {
            match self.input.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait(until, PollFlags::OUT)?;
                    // Whoever does not read may be waiting for somebody to read.
                    self.discard()?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Forgets everything that has been said so far and is not of interest any more.
    pub(crate) fn discard(&mut self) -> Result<(), PipeError> {
        // Whoever never stops talking is heard out no longer than this.
        for _ in 0..16 {
            while self.log.is_some()
                && let Some(line) = self.output.next_line()
            {
                self.log(Way::FromEngine, &self.output.bytes[line]);
            }
            self.output.clear();
            if !self.output.fill()? {
                break;
            }
        }
        Ok(())
    }

    /// The next line, to be looked at with [`text`](Self::text).
    pub(crate) fn line(&mut self, until: Until<'_>) -> Result<Range<usize>, PipeError> {
        loop {
            if let Some(line) = self.output.next_line() {
                self.log(Way::FromEngine, &self.output.bytes[line.clone()]);
                return Ok(line);
            }
            self.wait(until, PollFlags::empty())?;
            self.output.fill()?;
        }
    }

    pub(crate) fn text(&self, line: Range<usize>) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.output.bytes[line])
    }

    /// Whether there was a line too long to be kept, in which anything may have been.
    pub(crate) fn has_dropped_line(&self) -> bool {
        self.output.dropped
    }

    /// When the last bytes came.
    pub(crate) fn arrival(&self) -> Instant {
        self.output.arrival
    }

    /// Waits for output or its end, or for room in the input if asked.
    fn wait(&mut self, until: Until<'_>, for_input: PollFlags) -> Result<(), PipeError> {
        loop {
            if until.stop.load(Ordering::Relaxed) {
                return Err(PipeError::Stopped);
            }
            let left = until.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(PipeError::TimedOut);
            }
            let (talks, complains) = self.poll(left.min(LOOK_AFTER), for_input)?;
            if complains {
                self.read_errors();
            }
            if talks {
                return Ok(());
            }
            if !complains && self.has_ended()? {
                // What it said last may have come in between.
                return if self.output.fill()? { Ok(()) } else { Err(PipeError::Closed) };
            }
        }
    }

    fn poll(&self, time: Duration, for_input: PollFlags) -> Result<(bool, bool), PipeError> {
        let timeout = Timespec::try_from(time).expect("less than a second");
        let errors = self.errors.as_ref();
        let mut fds = [
            PollFd::new(&self.output.pipe, PollFlags::IN),
            // Where there is no third pipe, the second stands in for it.
            errors.map_or_else(
                || PollFd::new(&self.output.pipe, PollFlags::empty()),
                |errors| PollFd::new(errors, PollFlags::IN),
            ),
            PollFd::new(&self.input, for_input),
        ];
        let asked = if for_input.is_empty() { &mut fds[..2] } else { &mut fds[..] };
        match poll(asked, Some(&timeout)) {
            Ok(_) => {
                let happened = |fd: &PollFd<'_>| !fd.revents().is_empty();
                let input = !for_input.is_empty() && happened(&fds[2]);
                Ok((happened(&fds[0]) || input, errors.is_some() && happened(&fds[1])))
            }
            // As if something had come: whoever asked looks again.
            Err(rustix::io::Errno::INTR) => Ok((false, true)),
            Err(error) => Err(PipeError::Io(error.into())),
        }
    }

    fn read_errors(&mut self) {
        let Some(errors) = &mut self.errors else { return };
        let mut bytes = [0; 4096];
        match errors.read(&mut bytes) {
            Ok(0) => self.errors = None,
            Ok(count) => {
                self.tail.add(&bytes[..count]);
                self.log(Way::Complaint, &bytes[..count]);
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.errors = None,
        }
    }

    /// The last lines that it wrote to its standard error.
    pub(crate) fn errors(&mut self) -> String {
        // A full pipe, and whatever was still on the way.
        for _ in 0..32 {
            self.read_errors();
        }
        self.tail.text()
    }

    /// Waits for the end of a process that has said that it ends, and ends it if it does not. All that it has started ends
    /// with it.
    pub(crate) fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + grace;
        let mut pause = Duration::from_micros(50);
        loop {
            match self.has_ended() {
                Ok(true) => {
                    self.kill();
                    return self.child.wait().ok();
                }
                Ok(false) if Instant::now() < deadline => {
                    // It may be waiting for somebody to read.
                    let _ = self.discard();
                    self.read_errors();
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(5));
                }
                _ => break,
            }
        }
        self.kill();
        None
    }

    /// Whether the process has ended. It is not waited for, so that its number stays its own and its group's.
    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(self.reaped || waitid(WaitId::Pid(Pid::from_child(&self.child)), options)?.is_some())
    }

    /// Ends all that the process has started, and the process itself if it has not ended.
    pub(crate) fn kill(&mut self) {
        if self.reaped {
            return;
        }
        // Not yet waited for, so its number is still its own.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        // Once it is waited for its number may be that of another group, which the guard must not kill.
        guard::release(self.child.id());
        let _ = self.child.wait();
        self.reaped = true;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The pipe that lines come from.
#[derive(Debug)]
pub(super) struct Lines {
    pipe: ChildStdout,
    bytes: Vec<u8>,
    /// Where the next line starts.
    start: usize,
    /// Up to where there is no end of a line.
    searched: usize,
    end: usize,
    /// Whether the next bytes are the rest of a line that nobody wants.
    unwanted: bool,
    /// Whether any line was longer than the room there is.
    dropped: bool,
    arrival: Instant,
}

impl Lines {
    pub(super) const ROOM: usize = 1 << 16;

    fn new(pipe: ChildStdout) -> Self {
        let bytes = vec![0; Self::ROOM];
        let (start, searched, end, arrival) = (0, 0, 0, Instant::now());
        Self { pipe, bytes, start, searched, end, unwanted: false, dropped: false, arrival }
    }

    /// Drops all that is there, and the rest of its last line.
    fn clear(&mut self) {
        if self.start < self.end {
            self.unwanted = self.bytes[self.end - 1] != b'\n';
        }
        (self.start, self.searched, self.end) = (0, 0, 0);
    }

    /// The next line without its end, if it is there.
    fn next_line(&mut self) -> Option<Range<usize>> {
        loop {
            let found = self.bytes[self.searched..self.end].iter().position(|&byte| byte == b'\n');
            let Some(length) = found else {
                self.searched = self.end;
                self.make_room();
                return None;
            };
            let line = self.start..self.searched + length;
            self.start = line.end + 1;
            self.searched = self.start;
            if !std::mem::take(&mut self.unwanted) {
                return Some(line);
            }
        }
    }

    /// Moves what is not yet a line to the front, or drops it if it is longer than any engine's.
    fn make_room(&mut self) {
        if self.start == self.end {
            (self.start, self.searched, self.end) = (0, 0, 0);
        } else if self.end == self.bytes.len() {
            if self.start == 0 {
                self.dropped = true;
                self.clear();
            } else {
                self.bytes.copy_within(self.start..self.end, 0);
                self.searched -= self.start;
                self.end -= self.start;
                self.start = 0;
            }
        }
    }

    /// Reads what has come, if anything has.
    fn fill(&mut self) -> Result<bool, PipeError> {
        loop {
            match self.pipe.read(&mut self.bytes[self.end..]) {
                Ok(0) => return Err(PipeError::Closed),
                Ok(count) => {
                    self.arrival = Instant::now();
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(PipeError::Io(error)),
            }
        }
    }
}

/// The last lines of a text of any length.
#[derive(Debug, Default)]
struct Tail(Vec<u8>);

impl Tail {
    const ROOM: usize = 1 << 13;

    fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        if self.0.len() > 2 * Self::ROOM {
            self.0.drain(..self.0.len() - Self::ROOM);
        }
    }

    fn text(&self) -> String {
        let recent = &self.0[self.0.len().saturating_sub(Self::ROOM)..];
        String::from_utf8_lossy(recent).trim_ascii_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Process::start(command).unwrap()
    }

    fn soon() -> Until<'static> {
        within(Duration::from_secs(60))
    }

    fn within(time: Duration) -> Until<'static> {
        Until::deadline(Instant::now() + time)
    }

    fn line(process: &mut Process) -> String {
        let line = process.line(soon()).unwrap();
        process.text(line).into_owned()
    }

    #[test]
    fn lines_come_whole_however_they_were_written() {
        let mut process = shell("printf 'one\\ntw'; sleep 0.05; printf 'o\\r\\nthree'");
        assert_eq!(line(&mut process), "one");
        assert_eq!(line(&mut process), "two\r");
        assert!(matches!(process.line(soon()), Err(PipeError::Closed)));
        assert!(process.end(Duration::from_secs(60)).unwrap().success());
    }

    #[test]
    fn a_line_without_end_is_dropped() {
        let mut process = shell(
            "head -c 300000 /dev/zero | tr '\\0' x; echo; echo short; head -c 60000 /dev/zero | tr '\\0' y; echo",
        );
        assert_eq!(line(&mut process), "short");
        assert_eq!(line(&mut process).len(), 60_000);
    }

    #[test]
    fn silence_ends_at_the_deadline() {
        let mut process = shell("sleep 10");
        let start = Instant::now();
        assert!(matches!(process.line(within(Duration::from_millis(30))), Err(PipeError::TimedOut)));
        assert!(start.elapsed() >= Duration::from_millis(30));
    }

    #[test]
    fn whoever_does_not_read_is_given_up() {
        let mut process = shell("sleep 10");
        let sent = process.send(&vec![b'x'; 1 << 20], within(Duration::from_millis(50)));
        assert!(matches!(sent, Err(PipeError::TimedOut)));
    }

    #[test]
    fn a_word_ends_the_waiting() {
        let mut process = shell("sleep 10");
        let stop = AtomicBool::new(false);
        let until = Until { stop: &stop, ..soon() };
        let heard = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                stop.store(true, Ordering::Relaxed);
            });
            process.line(until)
        });
        assert!(matches!(heard, Err(PipeError::Stopped)));
        assert!(matches!(process.send(&vec![b'x'; 1 << 20], until), Err(PipeError::Stopped)));
    }

    #[test]
    fn whoever_talks_before_it_reads_is_heard() {
        let mut process = shell("head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 >&2; echo; echo done");
        process.send(&vec![b'x'; 300_000], soon()).unwrap();
        assert_eq!(line(&mut process), "done");
    }

    #[test]
    fn a_death_is_seen_behind_a_pipe_left_open() {
        // The pipe is open for longer than anybody waits.
        let mut process = shell("sleep 90 & exit 3");
        assert!(matches!(process.line(soon()), Err(PipeError::Closed)));
        assert_eq!(process.end(Duration::ZERO).unwrap().code(), Some(3));
    }

    /// Whether a process does not run, though it may not have been waited for.
    fn is_over(id: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with('Z'))
    }

    fn wait_until_over(id: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_over(id) {
            assert!(Instant::now() < deadline, "process {id} is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn helpers_end_with_whoever_started_them() {
        let mut process = shell("sleep 1000 & echo $!; read word; exit 0");
        let helper = line(&mut process);
        process.send(b"quit\n", soon()).unwrap();
        assert!(process.end(Duration::from_secs(60)).unwrap().success());
        wait_until_over(&helper);
        let mut process = shell("sleep 1000 & echo $!; exit 0");
        let helper = line(&mut process);
        drop(process);
        wait_until_over(&helper);
    }

    #[test]
    fn the_last_complaints_are_kept() {
        let mut process = shell("seq 1 100000 >&2; echo done");
        assert_eq!(line(&mut process), "done");
        assert!(process.errors().ends_with("\n99999\n100000"));
        assert!(process.errors().len() <= Tail::ROOM);
    }
}
