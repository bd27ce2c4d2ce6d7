use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gamete_chess::{CastlingStyle, Move, Position};
use gamete_game::{ByColor, Color, Game, Line, MoveError, Thought};

use super::engine_option::{EngineOption, OptionKind};
use super::fault::{Fault, Warning};
use super::go_text::write_go;
use super::info::SearchInfo;
use super::log::Conversation;
use super::position_text::PositionText;
use super::process::{Lines, PipeError, Process, Until};
use super::setup::{EngineSetup, Timeouts};
use super::spec::EngineSpec;
use crate::{GameClock, Limits, MoveDetail, grouped};

/// Another program that plays chess.
///
/// Whatever it does, it is waited for no longer than its [`Timeouts`] and its clock allow, and when `stop` is set not
/// even that. Dropping it ends it.
#[derive(Debug)]
pub struct UciEngine {
    spec: EngineSpec,
    setup: EngineSetup,
    process: Option<Process>,
    id: Identity,
    name: String,
    /// What it complained of while it ran last.
    last_words: String,
    warnings: Vec<Warning>,
    chess960: bool,
    position: PositionText,
    info: SearchInfo,
}

/// What an engine says of itself.
#[derive(Debug, Default)]
struct Identity {
    name: String,
    author: String,
    options: Vec<EngineOption>,
}

/// The move that an engine chose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reply {
    /// The move, which is legal.
    pub mv: Move,
    /// From the end of asking to the arrival of the answer.
    pub time: Duration,
    /// What it said of the move, if it gave a score at all.
    pub thought: Option<Thought>,
}

/// What an engine that is too late has on top of its margin before it is told to stop.
const LATENESS: Duration = Duration::from_millis(100);

/// Engines count nodes now and then only, so that they pass small limits by far. By this much they do not.
const MILLION: u64 = 1_000_000;

const CHESS960: &str = "UCI_Chess960";

impl UciEngine {
    /// Starts an engine and sets its options. What could not be set is told by [`warnings`](Self::warnings).
    ///
    /// # Errors
    ///
    /// When it does not start, does not speak UCI, or is not ready in time.
    pub fn start(spec: EngineSpec, timeouts: Timeouts, stop: &AtomicBool) -> Result<Self, Fault> {
        Self::set_up(spec, EngineSetup { timeouts, ..EngineSetup::default() }, stop)
    }

    /// The same with more to say on how it is run.
    ///
    /// # Errors
    ///
    /// Likewise.
    pub fn set_up(spec: EngineSpec, setup: EngineSetup, stop: &AtomicBool) -> Result<Self, Fault> {
        let mut engine = Self {
            spec,
            setup,
            process: None,
            id: Identity::default(),
            name: String::new(),
            last_words: String::new(),
            warnings: Vec::new(),
            chess960: false,
            position: PositionText::new(),
            info: SearchInfo::default(),
        };
        engine.launch(stop)?;
        Ok(engine)
    }

    /// Ends the engine and starts it anew, with the same options.
    ///
    /// # Errors
    ///
    /// As when it was started first.
    pub fn restart(&mut self, stop: &AtomicBool) -> Result<(), Fault> {
        self.quit();
        self.launch(stop)?;
        if self.chess960 { self.set_chess960(true).map(|_| ()) } else { Ok(()) }
    }

    fn launch(&mut self, stop: &AtomicBool) -> Result<(), Fault> {
        self.warnings.clear();
        self.last_words.clear();
        self.position.set_style(CastlingStyle::Standard);
        let mut command = Command::new(self.spec.program());
        command.args(&self.spec.args);
        if let Some(dir) = &self.spec.dir {
            command.current_dir(dir);
        }
        let start = Instant::now();
        let process = Process::start(command)
            .map_err(|error| Fault::StartFailed(format!("{}: {error}", self.spec.cmd.display())))?;
        self.converse_with(process);
        match self.introduce(Until { deadline: start + self.setup.timeouts.start, stop }) {
            Ok(()) => {}
            Err(Fault::Stall { waited, .. }) => {
                self.kill();
                return Err(Fault::NotUci { waited });
            }
            Err(Fault::Crash { status }) => {
                let status = status.map_or_else(|| "silence".to_owned(), |status| status.to_string());
                let mut reason = format!("{} ended before uciok ({status})", self.spec.cmd.display());
                if let Some(cause) = cause(&self.last_words) {
                    reason += &format!(": {cause}");
                }
                return Err(Fault::StartFailed(reason));
            }
            Err(fault) => return Err(fault),
        }
        self.set_options()?;
        self.is_ready(stop)
    }

    fn converse_with(&mut self, mut process: Process) {
        if let Some(log) = &self.setup.log {
            let name = self.setup.name.clone().unwrap_or_else(|| self.spec.title());
            process.log_to(Conversation { log: log.clone(), name, process: process.id() });
        }
        self.process = Some(process);
    }

    /// From `uci` to `uciok`.
    fn introduce(&mut self, until: Until<'_>) -> Result<(), Fault> {
        let mut id = Identity::default();
        self.send(b"uci\n", until)?;
        loop {
            let done = self.next_line("uciok", until, self.setup.timeouts.start, |line| {
                let (word, rest) = split_word(line);
                match word {
                    "id" => match split_word(rest) {
                        ("name", name) => name.clone_into(&mut id.name),
                        ("author", author) => author.clone_into(&mut id.author),
                        _ => {}
                    },
                    "option" => id.options.extend(EngineOption::parse(rest)),
                    _ => {}
                }
                word == "uciok"
            })?;
            if done {
                self.id = id;
                let own = Some(&self.id.name).filter(|name| !name.is_empty());
                self.name = self.spec.name.as_ref().or(own).map_or_else(|| self.spec.title(), String::clone);
                return Ok(());
            }
        }
    }

    fn set_options(&mut self) -> Result<(), Fault> {
        let options = self.spec.options.clone();
        let is_threads = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("Threads");
        let (threads, others): (Vec<_>, Vec<_>) = options.iter().partition(is_threads);
        for (name, value) in threads.into_iter().chain(others) {
            let warning = self.set_option(name, value)?;
            self.warnings.extend(warning);
        }
        Ok(())
    }

    /// Sets an option, or says why it was not sent.
    ///
    /// # Errors
    ///
    /// When the engine cannot be spoken to.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<Option<Warning>, Fault> {
        let Some(option) = self.id.options.iter().find(|option| option.is_called(name)) else {
            let (engine, option) = (self.name().to_owned(), name.to_owned());
            return Ok(Some(Warning::UnknownOption { engine, option }));
        };
        if let Some(wanted) = option.refusal(value) {
            let (engine, option) = (self.name().to_owned(), option.name.clone());
            return Ok(Some(Warning::InvalidValue { engine, option, value: value.to_owned(), wanted }));
        }
        let text = match option.kind {
            OptionKind::Button if value == "false" => return Ok(None),
            OptionKind::Button => format!("setoption name {}\n", option.name),
            _ => format!("setoption name {} value {value}\n", option.name),
        };
        let is_chess960 = option.is_called(CHESS960);
        self.send(text.as_bytes(), Until::deadline(Instant::now() + self.setup.timeouts.ping))?;
        if is_chess960 {
            let style = if value == "true" { CastlingStyle::Chess960 } else { CastlingStyle::Standard };
            self.position.set_style(style);
        }
        Ok(None)
    }

    /// Goes over to Chess960 or back; an engine that knows only chess stays with it and is warned of.
    ///
    /// # Errors
    ///
    /// When the engine cannot be spoken to.
    pub fn set_chess960(&mut self, chess960: bool) -> Result<Option<Warning>, Fault> {
        self.chess960 = chess960;
        let knows = self.id.options.iter().any(|option| option.is_called(CHESS960));
        if !chess960 && !knows {
            return Ok(None);
        }
        self.set_option(CHESS960, if chess960 { "true" } else { "false" })
    }

    /// Announces a new game and waits until the engine is ready for it.
    ///
    /// # Errors
    ///
    /// When it is not ready in time.
    pub fn new_game(&mut self, start: &Position, stop: &AtomicBool) -> Result<(), Fault> {
        self.position.restart(start);
        self.ping(b"ucinewgame\nisready\n", self.setup.timeouts.new_game, stop)
    }

    /// Waits until the engine has done all that it was told.
    ///
    /// # Errors
    ///
    /// When it is not ready in time.
    pub fn is_ready(&mut self, stop: &AtomicBool) -> Result<(), Fault> {
        self.ping(b"isready\n", self.setup.timeouts.ping, stop)
    }

    fn ping(&mut self, command: &[u8], timeout: Duration, stop: &AtomicBool) -> Result<(), Fault> {
        let until = Until { deadline: Instant::now() + timeout, stop };
        self.send(command, until)?;
        while !self.next_line("readyok", until, timeout, |line| line == "readyok")? {}
        Ok(())
    }

    /// Asks for a move at the end of a line. Whether it took too long is for others to say.
    ///
    /// An engine that does not move in its time and the margin of its setup is told to stop, and is ready for another game if
    /// it does.
    ///
    /// # Errors
    ///
    /// When there is no legal move in time. Engines that have ended or do not answer have to be restarted; see
    /// [`is_running`](Self::is_running).
    pub fn think(
        &mut self,
        line: &Line<Position>,
        limits: &Limits,
        clocks: &ByColor<Option<GameClock>>,
        stop: &AtomicBool,
    ) -> Result<Reply, Fault> {
        let turn = line.position().turn();
        let left = clocks[turn].map(|clock| clock.left());
        let allowed = left.into_iter().chain(limits.move_time).min();
        self.info.clear();
        self.position.follow(line);
        self.ask(turn, limits, clocks, stop)?;
        let sent = Instant::now();
        let waited =
            allowed.map_or(self.setup.timeouts.think, |allowed| allowed + self.setup.margin + LATENESS);
        let until = Until { deadline: sent + waited, stop };
        let best = match self.best_move(line.position(), limits, until) {
            Ok(Some(best)) => best,
            Ok(None) => {
                self.interrupt(sent, waited, allowed.is_some(), stop);
                let fault = self.ignored_limit(limits).expect("a limit that was ignored");
                return Err(fault);
            }
            Err(PipeError::TimedOut) => {
                let fault = self.interrupt(sent, waited, allowed.is_some(), stop);
                let is_stall = matches!(fault, Fault::Stall { .. });
                return Err(self.ignored_limit(limits).filter(|_| is_stall).unwrap_or(fault));
            }
            Err(error) => return Err(self.broken(error)),
        };
        let time = self.process.as_ref().expect("a process that answered").arrival().duration_since(sent);
        let mv = best?;
        let thought = self.info.best().map(|best| Thought {
            score: best.score,
            depth: best.depth,
            selective_depth: best.selective_depth,
            time,
            nodes: self.info.nodes(),
        });
        Ok(Reply { mv, time, thought })
    }

    /// Sends position and `go` in one piece.
    fn ask(
        &mut self,
        turn: Color,
        limits: &Limits,
        clocks: &ByColor<Option<GameClock>>,
        stop: &AtomicBool,
    ) -> Result<(), Fault> {
        let process = self.process.as_mut().ok_or(Fault::NotRunning)?;
        let until = Until { deadline: Instant::now() + self.setup.timeouts.ping, stop };
        let sent = process.discard().and_then(|()| {
            self.position.with(|text| write_go(text, turn, limits, clocks), |text| process.send(text, until))
        });
        sent.map_err(|error| self.failed("answer", error, self.setup.timeouts.ping))
    }

    /// The answer, or nothing when it is clear that the engine will not stop by itself.
    fn best_move(
        &mut self,
        position: &Position,
        limits: &Limits,
        until: Until<'_>,
    ) -> Result<Option<Result<Move, Fault>>, PipeError> {
        let process = self.process.as_mut().expect("a process that was asked");
        let most = limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_mul(10).saturating_add(MILLION));
        loop {
            let line = process.line(until)?;
            let line = process.text(line);
            match split_word(&line) {
                ("info", words) => {
                    self.info.read(words);
                    if self.info.searched().is_some_and(|nodes| nodes > most) {
                        return Ok(None);
                    }
                }
                ("bestmove", words) => {
                    let (text, _) = split_word(words);
                    return Ok(Some(position.parse_uci(text).map_err(|error| match error {
                        MoveError::Syntax => Fault::BadAnswer(line.trim_ascii().to_owned()),
                        MoveError::Illegal | MoveError::Ambiguous => Fault::IllegalMove(text.to_owned()),
                    })));
                }
                _ => {}
            }
        }
    }

    /// The limit that the engine has passed by its own count, if that is why it does not answer.
    fn ignored_limit(&self, limits: &Limits) -> Option<Fault> {
        let fault = |limit: String, reached: String| Fault::IgnoresLimit { limit, reached };
        let nodes = limits.nodes.zip(self.info.searched()).filter(|(limit, nodes)| nodes > limit);
        let depth = limits.depth.zip(self.info.best()).filter(|(limit, best)| best.depth > *limit);
        let by_nodes = nodes.map(|(limit, nodes)| {
            fault(format!("nodes {limit}"), format!("{} nodes", grouped(&nodes.to_string())))
        });
        by_nodes.or_else(|| {
            depth.map(|(limit, best)| fault(format!("depth {limit}"), format!("depth {}", best.depth)))
        })
    }

    /// Ends a search that has gone on for too long, so that the engine can be spoken to again.
    fn interrupt(&mut self, sent: Instant, waited: Duration, is_timed: bool, stop: &AtomicBool) -> Fault {
        let expected = "bestmove";
        let until = Until { deadline: Instant::now() + self.setup.timeouts.stop, stop };
        let answer = self.send(b"stop\n", until).and_then(|()| {
            while !self.next_line(expected, until, waited, |line| split_word(line).0 == expected)? {}
            Ok(())
        });
        match answer {
            Ok(()) if is_timed => {
                let arrival = self.process.as_ref().map_or(sent, Process::arrival);
                Fault::Late { time: arrival.duration_since(sent) }
            }
            Ok(()) => self.stall(expected, waited),
            Err(fault) => fault,
        }
    }

    fn send(&mut self, text: &[u8], until: Until<'_>) -> Result<(), Fault> {
        let process = self.process.as_mut().ok_or(Fault::NotRunning)?;
        let waited = until.deadline.saturating_duration_since(Instant::now());
        process.send(text, until).map_err(|error| self.failed("answer", error, waited))
    }

    /// Calls `read` with the next line, which has to come in time.
    fn next_line<T>(
        &mut self,
        expected: &'static str,
        until: Until<'_>,
        waited: Duration,
        read: impl FnOnce(&str) -> T,
    ) -> Result<T, Fault> {
        let process = self.process.as_mut().ok_or(Fault::NotRunning)?;
        match process.line(until) {
            Ok(line) => Ok(read(process.text(line).trim_ascii())),
            Err(error) => Err(self.failed(expected, error, waited)),
        }
    }

    /// What a broken conversation means. An engine that does not answer is not kept.
    fn failed(&mut self, expected: &'static str, error: PipeError, waited: Duration) -> Fault {
        match error {
            PipeError::TimedOut => {
                let fault = self.stall(expected, waited);
                self.kill();
                fault
            }
            error => self.broken(error),
        }
    }

    fn stall(&self, expected: &'static str, waited: Duration) -> Fault {
        let dropped = self.process.as_ref().is_some_and(Process::has_dropped_line);
        Fault::Stall { expected, waited, ignored_above: dropped.then_some(Lines::ROOM) }
    }

    fn broken(&mut self, error: PipeError) -> Fault {
        if matches!(error, PipeError::Stopped) {
            self.kill();
            return Fault::Stopped;
        }
        let Some(mut process) = self.process.take() else { return Fault::NotRunning };
        // A crash may take its time to be written to disk.
        let status = process.end(Duration::from_secs(1));
        self.last_words = process.errors();
        match error {
            PipeError::Io(error) => Fault::Io(error.to_string()),
            PipeError::TimedOut | PipeError::Stopped | PipeError::Closed => Fault::Crash { status },
        }
    }

    /// Ends the engine at once, whatever it does.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
            self.last_words = process.errors();
        }
    }

    /// Ends the engine: by asking, and by force if it has not ended in time.
    pub fn quit(&mut self) {
        if let Some(mut process) = self.process.take() {
            let grace = self.setup.timeouts.quit;
            let told = process.send(b"quit\n", Until::deadline(Instant::now() + grace)).is_ok();
            process.end(if told { grace } else { Duration::ZERO });
            self.last_words = process.errors();
        }
    }

    /// Whether the engine can be spoken to.
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// The number of its process, while it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// How it was started.
    pub fn spec(&self) -> &EngineSpec {
        &self.spec
    }

    /// The name it was given, or calls itself by, or else that of its program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name it calls itself by.
    pub fn id_name(&self) -> &str {
        &self.id.name
    }

    /// Who wrote it, by its own words.
    pub fn author(&self) -> &str {
        &self.id.author
    }

    /// What it says can be set.
    pub fn options(&self) -> &[EngineOption] {
        &self.id.options
    }

    /// Which of its options were not sent when it was started last, and why.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The line of play that went with the last move's score, as the engine wrote it.
    pub fn pv(&self) -> &str {
        self.info.pv()
    }

    /// What else it said of its last move.
    pub fn detail(&self) -> MoveDetail {
        self.info.detail()
    }

    /// The last lines that it wrote to its standard error.
    pub fn last_words(&mut self) -> &str {
        if let Some(process) = &mut self.process {
            self.last_words = process.errors();
        }
        &self.last_words
    }
}

/// The end of what an engine wrote to its standard error, in a line: why it failed, as far as it says so. Advice that follows it, as
/// after a panic of a Rust program, is left out.
pub(super) fn cause(last_words: &str) -> Option<String> {
    const LINES: usize = 2;
    let lines: Vec<&str> = last_words
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("note:"))
        .collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    (!last.is_empty()).then(|| last.join(" | "))
}

impl Drop for UciEngine {
    fn drop(&mut self) {
        self.quit();
    }
}

/// The first word, and what comes behind it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    match text.split_once(|letter: char| letter.is_ascii_whitespace()) {
        Some((word, rest)) => (word, rest.trim_ascii_start()),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_told_and_not_the_advice_behind_it() {
        let panic = "thread 'main' panicked at src/main.rs:3:5:\nno net at net.bin\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        assert_eq!(
            cause(panic).as_deref(),
            Some("thread 'main' panicked at src/main.rs:3:5: | no net at net.bin")
        );
        assert_eq!(cause("one\n\n  two \nthree").as_deref(), Some("two | three"));
        assert_eq!(cause("\n"), None);
    }
}
