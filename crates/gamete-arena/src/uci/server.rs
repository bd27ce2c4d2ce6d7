use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gamete_chess::{CastlingStyle, Move, Position};
use gamete_engine::Info;
use gamete_game::{Game, Line, Score, ScoreKind, perft_while};

use super::go::Go;
use super::input::{Input, read_lines};
use super::options::{Change, Options};
use crate::bench::bench;
use crate::{Engine, Playable};

const MAX_COMPLAINT: usize = 300;

/// How long an answer is worked on after the other side has gone away.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many bytes of commands may wait for the end of a search.
const MAX_WAITING: usize = 4 << 20;

type ChessEngine = Box<dyn Engine<Position>>;

/// What the server reacts to.
enum Event {
    Input(Input),
    /// The thinking is over, and what it found has been said.
    Done,
}

/// Answers a graphical interface or match runner until it quits or goes away. What comes while it thinks, but for
/// `stop`, `quit`, `isready` and the like, is done after that.
///
/// # Errors
///
/// When `input` or `output` fails.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> io::Result<()> {
    let (sender, events) = mpsc::sync_channel(16);
    let mut server = Server {
        out: Arc::new(Mutex::new(output)),
        options: Options::default(),
        line: Line::new(Position::start()),
        engine: None,
        thinking: None,
        stop: Arc::new(AtomicBool::new(false)),
        waiting: VecDeque::new(),
        waiting_bytes: 0,
        events: sender.clone(),
    };
    std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        read_lines(input, |input| sender.send(Event::Input(input)).is_ok());
    })?;
    server.run(events)
}

struct Server<W> {
    out: Arc<Mutex<W>>,
    options: Options,
    line: Line<Position>,
    engine: Option<ChessEngine>,
    thinking: Option<Thinking>,
    stop: Arc<AtomicBool>,
    /// Commands that are done when the thinking is over.
    waiting: VecDeque<String>,
    waiting_bytes: usize,
    events: SyncSender<Event>,
}

struct Thinking {
    thread: JoinHandle<Option<ChessEngine>>,
    /// Whether the answer is about to be said. Whatever comes after that is not meant for this thinking.
    answers: Arc<AtomicBool>,
    /// Whether it ends only when it is told to.
    holds_back: bool,
}

/// Says that the thinking is over, even if it ends in a panic.
struct Announced {
    events: SyncSender<Event>,
    answers: Arc<AtomicBool>,
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.answers.store(true, Ordering::Release);
        // Not to be waited for, as the server may wait for this thread. Where there is no room, it has other events to
        // react to, and looks at `answers` at each of them.
        let _ = self.events.try_send(Event::Done);
    }
}

impl<W: Write + Send + 'static> Server<W> {
    fn run(&mut self, events: Receiver<Event>) -> io::Result<()> {
        let result = self.converse(&events);
        // Before the end is waited for, so that nobody waits to be heard.
        drop(events);
        self.stop.store(true, Ordering::Relaxed);
        self.rest();
        result
    }

    fn converse(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        let mut deadline: Option<Instant> = None;
        loop {
            let event = match deadline {
                None => events.recv().expect("a sender of our own"),
                // A script that has said everything still wants its answers, if they come soon.
                Some(deadline) => {
                    let wants_answer = self.thinking.as_ref().is_some_and(|thinking| !thinking.holds_back);
                    let left = deadline.saturating_duration_since(Instant::now());
                    match wants_answer.then(|| events.recv_timeout(left)) {
                        Some(Ok(event)) => event,
                        Some(Err(_)) | None => return Ok(()),
                    }
                }
            };
            if self.thinking.as_ref().is_some_and(|thinking| thinking.answers.load(Ordering::Acquire)) {
                self.rest();
                self.catch_up()?;
            }
            match event {
                Event::Input(Input::Line(line)) if line.split_whitespace().next() == Some("quit") => {
                    return Ok(());
                }
                Event::Input(Input::Line(line)) => self.receive(line)?,
                Event::Input(Input::TooLong { bytes, most }) => {
                    self.complain(&format!("a line of {bytes} bytes is longer than {most} and was ignored"))?;
                }
                Event::Input(Input::End(result)) => {
                    result?;
                    deadline = Some(Instant::now() + PATIENCE);
                }
                // It was seen above.
                Event::Done => {}
            }
        }
    }

    /// Does a command, or keeps it for the end of the thinking.
    fn receive(&mut self, line: String) -> io::Result<()> {
        if self.thinking.is_none() {
            return self.handle(&line.split_whitespace().collect::<Vec<_>>());
        }
        let stopping = self.stop.load(Ordering::Relaxed);
        match line.split_whitespace().next() {
            None => Ok(()),
            Some("stop") => {
                self.stop.store(true, Ordering::Relaxed);
                Ok(())
            }
            // Whoever has said stop hears the move first.
            Some("isready" | "uci" | "debug" | "register" | "ponderhit") if !stopping => {
                self.handle(&line.split_whitespace().collect::<Vec<_>>())
            }
            Some(_) if self.waiting_bytes + line.len() > MAX_WAITING => {
                self.complain("too many commands while thinking; this one was ignored")
            }
            Some(_) => {
                self.waiting_bytes += line.len();
                self.waiting.push_back(line);
                Ok(())
            }
        }
    }

    /// Does what has been waiting, up to the next search.
    fn catch_up(&mut self) -> io::Result<()> {
        while self.thinking.is_none()
            && let Some(line) = self.waiting.pop_front()
        {
            self.waiting_bytes -= line.len();
            self.handle(&line.split_whitespace().collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Does a command while nobody thinks, but for those that may come then too.
    fn handle(&mut self, words: &[&str]) -> io::Result<()> {
        let Some((&command, rest)) = words.split_first() else { return Ok(()) };
        match command {
            "isready" => self.say("readyok"),
            "uci" => self.introduce(),
            "stop" | "debug" | "register" | "ponderhit" => Ok(()),
            "ucinewgame" => {
                self.engine().new_game(0);
                Ok(())
            }
            "setoption" => self.set_option(rest),
            "position" => self.set_position(rest),
            "go" => self.go(rest),
            "d" => self.display(),
            "eval" => self.eval(),
            "bench" => self.bench(),
            _ => self.complain(&format!("unknown command {command:?}")),
        }
    }

    fn say(&self, text: &str) -> io::Result<()> {
        let mut out = self.out.lock().expect("no panic while writing");
        writeln!(out, "{text}")?;
        out.flush()
    }

    fn complain(&self, text: &str) -> io::Result<()> {
        // One line, and no longer than anybody would read.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.char_indices().nth(MAX_COMPLAINT).map_or(text.len(), |(end, _)| end);
        self.say(&format!("info string error: {}", &text[..end]))
    }

    /// The engine at rest, made if there is none.
    fn engine(&mut self) -> &mut ChessEngine {
        self.engine.get_or_insert_with(|| {
            Position::engine(&self.options.player, self.options.hash << 20).expect("a player of chess")
        })
    }

    /// Takes the engine back from a thinking that is over.
    fn rest(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.engine = self.engine.take().or(thinking.thread.join().ok().flatten());
        }
    }

    fn introduce(&self) -> io::Result<()> {
        let mut text =
            format!("id name Gamete {}\nid author the Gamete authors\n", env!("CARGO_PKG_VERSION"))
                .into_bytes();
        self.options.list(&mut text)?;
        text.extend(b"uciok");
        self.say(&String::from_utf8_lossy(&text))
    }

    fn set_option(&mut self, words: &[&str]) -> io::Result<()> {
        let Some(("name", words)) = words.split_first().map(|(first, rest)| (*first, rest)) else {
            return self.complain("setoption needs a name");
        };
        let end = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let (name, value) = words.split_at(end);
        if name.is_empty() {
            return self.complain("setoption needs a name");
        }
        let value = value.get(1..).unwrap_or_default().join(" ");
        match self.options.set(&name.join(" "), &value) {
            Ok(Change::None) => Ok(()),
            Ok(Change::Clear) => {
                self.engine().new_game(0);
                Ok(())
            }
            Ok(Change::Rebuild) => {
                self.engine = None;
                Ok(())
            }
            Err(problem) => self.complain(&problem),
        }
    }

    fn set_position(&mut self, words: &[&str]) -> io::Result<()> {
        let moves_at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let (start, moves) = words.split_at(moves_at);
        let start = match start {
            ["startpos"] => Ok(Position::start()),
            ["startpos", word, ..] => {
                return self.complain(&format!(
                    "position startpos: {word:?} is not moves, which goes before the moves; the old position stays"
                ));
            }
            ["fen", fields @ ..] => fields.join(" ").parse(),
            _ => return self.complain("position needs startpos or fen; the old position stays"),
        };
        let start = match start {
            Ok(start) => start,
            Err(error) => return self.complain(&format!("{error}; the old position stays")),
        };
        let mut line = Line::new(start);
        for text in moves.iter().skip(1) {
            match line.position().parse_uci(text) {
                Ok(mv) => line.play(mv),
                Err(error) => {
                    return self.complain(&format!("move {text:?}: {error}; the old position stays"));
                }
            }
        }
        self.line = line;
        Ok(())
    }

    fn style(&self) -> CastlingStyle {
        if self.options.chess960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard }
    }

    fn go(&mut self, words: &[&str]) -> io::Result<()> {
        let go = Go::parse(words, self.line.position(), self.options.overhead);
        for remark in &go.remarks {
            self.complain(remark)?;
        }
        self.stop.store(false, Ordering::Relaxed);
        let (line, style) = (self.line.clone(), self.style());
        let (out, stop, events) = (Arc::clone(&self.out), Arc::clone(&self.stop), self.events.clone());
        let engine = match go.perft {
            Some(_) => None,
            None => {
                self.engine();
                self.engine.take()
            }
        };
        let holds_back = go.until_stopped;
        let answers = Arc::new(AtomicBool::new(false));
        let about_to_answer = Arc::clone(&answers);
        let think = move || {
            let _done = Announced { events, answers: Arc::clone(&about_to_answer) };
            let mut engine = engine;
            // Whoever listens has gone away if this fails, and will not miss it.
            let say = |text: &str| {
                let mut out = out.lock().expect("no panic while writing");
                let _ = writeln!(out, "{text}").and_then(|()| out.flush());
            };
            let answer = match (&mut engine, go.perft) {
                (Some(engine), _) => think(engine, &line, &go, style, say, &stop),
                (None, depth) => count(line.position(), depth.unwrap_or(1), style, say, &stop),
            };
            about_to_answer.store(true, Ordering::Release);
            say(&answer);
            engine
        };
        // A search goes deeper than the usual stack of a thread.
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(think)?;
        self.thinking = Some(Thinking { thread, answers, holds_back });
        Ok(())
    }

    fn display(&self) -> io::Result<()> {
        let position = self.line.position();
        let mut text = String::new();
        for rank in gamete_chess::Rank::ALL.into_iter().rev() {
            for file in gamete_chess::File::ALL {
                let piece = position.piece_at(gamete_chess::Square::new(file, rank));
                text.push(piece.map_or('.', |(color, piece)| match color {
                    gamete_game::Color::White => char::from(piece).to_ascii_uppercase(),
                    gamete_game::Color::Black => char::from(piece),
                }));
                text.push(' ');
            }
            text.push('\n');
        }
        self.say(&format!("{text}\nFen: {position}\nKey: {:016X}", position.key()))
    }

    fn eval(&mut self) -> io::Result<()> {
        let position = self.line.position().clone();
        let evaluation = self.engine().evaluate(&position);
        let mut text = format!("{:<36} {:>8} {:>9}\n", "term, White minus Black", "count", "pawns");
        for term in &evaluation.terms {
            text += &format!("{:<36} {:>8} {:>+9.3}\n", term.name, term.count, term.millipawns / 1000.0);
        }
        let total = evaluation.terms.iter().map(|term| term.millipawns).fold(0.0, |sum, term| sum + term);
        text += &format!("{:<36} {:>8} {:>+9.3}\n", "for White", "", total / 1000.0);
        self.say(&format!("{text}{:<36} {:>8} {:>9}", "for the side to move", "", evaluation.score))
    }

    fn bench(&self) -> io::Result<()> {
        let report = bench(|_| ());
        self.say(&report.to_string())
    }
}

/// Counts positions instead of thinking. What comes out is the last line to say.
fn count(
    position: &Position,
    depth: u32,
    style: CastlingStyle,
    say: impl Fn(&str),
    stop: &AtomicBool,
) -> String {
    let mut total = 0;
    for mv in position.moves() {
        let mut next = position.clone();
        next.play(mv);
        let Some(nodes) = perft_while(&next, depth - 1, |_| !stop.load(Ordering::Relaxed)) else {
            return format!("info string perft {depth} was stopped");
        };
        total += nodes;
        say(&format!("{}: {nodes}", position.uci(mv, style)));
    }
    format!("\nNodes searched: {total}")
}

/// Searches, and says what it finds on the way. What comes out is the last line to say.
fn think(
    engine: &mut ChessEngine,
    line: &Line<Position>,
    go: &Go,
    style: CastlingStyle,
    say: impl Fn(&str),
    stop: &AtomicBool,
) -> String {
    let root_moves = (!go.search_moves.is_empty()).then_some(go.search_moves.as_slice());
    let found =
        engine.search(line, &go.limit, stop, root_moves, &mut |info| say(&info_text(line, info, style)));
    while go.until_stopped && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(1));
    }
    if found.depth == 0 {
        say(&format!("info depth 0 nodes {} score {}", found.nodes, score_text(found.score)));
    }
    let mut text = pv_text(line.position(), &found.pv, style);
    if text.is_empty() {
        text = found.best.map_or("0000".to_owned(), |mv| line.position().uci(mv, style));
    }
    let mut moves = text.split(' ');
    let best = moves.next().unwrap_or("0000");
    match moves.next() {
        Some(reply) => format!("bestmove {best} ponder {reply}"),
        None => format!("bestmove {best}"),
    }
}

fn info_text(line: &Line<Position>, info: &Info<'_, Position>, style: CastlingStyle) -> String {
    let nps = info.nodes as f64 / info.time.as_secs_f64().max(1e-6);
    format!(
        "info depth {} seldepth {} multipv 1 score {} nodes {} nps {} hashfull {} time {} pv {}",
        info.depth,
        info.selective_depth,
        score_text(info.score),
        info.nodes,
        nps as u64,
        info.hashfull,
        info.time.as_millis(),
        pv_text(line.position(), info.pv, style)
    )
}

fn score_text(score: Score) -> String {
    match score.kind() {
        ScoreKind::Centipawns(value) => format!("cp {value}"),
        ScoreKind::Win(plies) => format!("mate {}", plies.div_ceil(2)),
        ScoreKind::Loss(0) => "mate 0".to_owned(),
        ScoreKind::Loss(plies) => format!("mate -{}", plies.div_ceil(2)),
    }
}

fn pv_text(start: &Position, pv: &[Move], style: CastlingStyle) -> String {
    let mut position = start.clone();
    let mut texts = Vec::with_capacity(pv.len());
    for &mv in pv {
        texts.push(position.uci(mv, style));
        position.play(mv);
    }
    texts.join(" ")
}
