//! Conversations with the engine as a graphical interface or match runner has them, and games against another one.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// An engine at the other end of two pipes.
struct Peer {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Peer {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an engine to start");
        let input = child.stdin.take().expect("a pipe to it");
        let output = BufReader::new(child.stdout.take().expect("a pipe from it"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, input, lines }
    }

    fn gamete() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.arg("uci");
        Self::start(command)
    }

    fn say(&mut self, text: &str) {
        writeln!(self.input, "{text}").expect("an engine that listens");
    }

    /// All lines up to the first that starts with `prefix`, which must come before the engine can be called stalled.
    fn until(&self, prefix: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(60));
            seen.push(line.unwrap_or_else(|_| panic!("no {prefix:?} after {seen:?}")));
            if seen.last().is_some_and(|line| line.starts_with(prefix)) {
                return seen;
            }
        }
    }

    fn ask(&mut self, text: &str, prefix: &str) -> String {
        self.say(text);
        self.until(prefix).pop().expect("a line")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "quit");
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_whole_conversation() {
    let mut engine = Peer::gamete();
    engine.say("uci");
    let introduction = engine.until("uciok");
    assert!(introduction[0].starts_with("id name Gamete"));
    for option in ["Threads type spin", "Hash type spin", "Clear Hash type button", "UCI_Chess960 type check"]
    {
        assert!(
            introduction.iter().any(|line| line.starts_with(&format!("option name {option}"))),
            "{option}"
        );
    }
    for option in ["Move Overhead", "Player", "null_move_reduction", "knight_value"] {
        assert!(
            introduction.iter().any(|line| line.starts_with(&format!("option name {option} type"))),
            "{option}"
        );
    }
    engine.say("setoption name Threads value 1");
    engine.say("setoption name Hash value 8");
    engine.say("ucinewgame");
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
    engine.say("position startpos moves e2e4 e7e5");
    engine.say("go depth 6");
    let lines = engine.until("bestmove");
    let last = &lines[lines.len() - 2];
    for word in
        ["info depth 6 ", " seldepth ", " score cp ", " nodes ", " nps ", " hashfull ", " time ", " pv "]
    {
        assert!(last.contains(word), "{word:?} in {last}");
    }
    assert_eq!(engine.ask("go searchmoves a2a3 depth 3", "bestmove").split(' ').nth(1), Some("a2a3"));
    let mate = "position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
    engine.say(mate);
    engine.say("go mate 1");
    assert!(engine.until("bestmove a1a8").iter().any(|line| line.contains("score mate 1 ")));
    engine.say("position fen 7k/5Q2/8/8/8/8/8/K7 b - - 0 1");
    assert_eq!(engine.ask("go depth 3", "bestmove"), "bestmove 0000");
}

#[test]
fn it_stops_and_answers_while_thinking() {
    let mut engine = Peer::gamete();
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 5");
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
    engine.ask("stop", "bestmove");
    // A mate is found at once, but an infinite search holds its move back.
    engine.say("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
    engine.say("go infinite");
    engine.until("info depth");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(engine.ask("stop", "bestmove").split(' ').nth(1), Some("a1a8"));
    engine.ask("go wtime 500 btime 500 winc 10 binc 10", "bestmove");
    engine.ask("go movetime 50", "bestmove");
    engine.ask("go nodes 5000", "bestmove");
}

#[test]
fn what_comes_while_it_thinks_is_done_after_that() {
    let mut engine = Peer::gamete();
    engine.say(
        "position startpos\ngo depth 7\nposition fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\nsetoption name Hash value 1\n\
        go depth 2\nposition startpos moves e2e4\ngo searchmoves a7a6 depth 1\nisready",
    );
    let first = engine.until("bestmove");
    assert!(first.iter().any(|line| line.starts_with("info depth 7 ")), "{first:?}");
    assert!(first.iter().any(|line| line == "readyok"), "not answered at once: {first:?}");
    assert!(engine.until("bestmove").last().is_some_and(|line| line.starts_with("bestmove a1a8")));
    assert!(engine.until("bestmove").last().is_some_and(|line| line.starts_with("bestmove a7a6")));
    // What waits behind an endless search is done when that is stopped.
    engine.say("go infinite\nposition fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\ngo depth 2\nisready");
    engine.until("readyok");
    engine.say("stop");
    engine.until("bestmove");
    assert!(engine.until("bestmove").last().is_some_and(|line| line.starts_with("bestmove a1a8")));
    // A script is done to its end.
    let script = b"go depth 7\nposition startpos moves e2e4\ngo searchmoves a7a6 depth 1\n";
    let run = common::gamete_reading(["uci"], script);
    assert!(run.out.contains("\ninfo depth 7 ") && run.out.contains("\nbestmove a7a6"), "{}", run.out);
}

#[test]
fn counting_positions_obeys_stop_and_quit() {
    let mut engine = Peer::gamete();
    engine.say("go perft 10");
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
    assert_eq!(engine.ask("stop", "info string"), "info string perft 10 was stopped");
    assert_eq!(engine.ask("go perft 3", "Nodes searched"), "Nodes searched: 8902");
    engine.say("go perft 10\nquit");
    let began = Instant::now();
    while engine.child.try_wait().expect("a child").is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "it counts on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_line_of_200_megabytes_is_refused_in_little_memory() {
    let mut engine = Peer::gamete();
    let part = vec![b'x'; 1 << 20];
    engine.input.write_all(b"position startpos moves ").expect("an engine that listens");
    for _ in 0..200 {
        engine.input.write_all(&part).expect("an engine that listens");
    }
    let line = engine.ask("", "info string error: ");
    assert!(line.ends_with("a line of 209715224 bytes is longer than 1048576 and was ignored"), "{line}");
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
    let status = std::fs::read_to_string(format!("/proc/{}/status", engine.child.id())).expect("a process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kilobytes < 64 << 10, "{kilobytes} KiB");
}

#[test]
fn chess960_castling_is_written_in_its_own_style() {
    let mut engine = Peer::gamete();
    engine.say("position fen 4k3/8/8/8/8/8/PPPPPPPP/4K2R w K - 0 1");
    assert_eq!(engine.ask("go searchmoves e1g1 depth 1", "bestmove").split(' ').nth(1), Some("e1g1"));
    engine.say("setoption name UCI_Chess960 value true");
    assert_eq!(engine.ask("go searchmoves e1h1 depth 1", "bestmove").split(' ').nth(1), Some("e1h1"));
}

#[test]
fn nonsense_is_named_and_the_engine_goes_on() {
    let mut engine = Peer::gamete();
    let complaints = [
        ("position fen garbage", "the FEN has 1 ranks instead of 8"),
        ("position startpos moves e2e5", "move \"e2e5\": illegal move"),
        ("position startpos e2e4", "\"e2e4\" is not moves"),
        ("setoption name Hash value 10000000", "Hash is \"10000000\" instead of a number from 1 to 16384"),
        ("setoption name knigth_value value 300", "did you mean"),
        ("setoption name knight_value value nan", "knight_value is NaN"),
        ("setoption name knight_value value 5000", "knight_value is 5000"),
        ("setoption name Player value nowhere.toml", "nowhere.toml"),
        ("setoption name Model value checkers/material", "plays checkers, not chess"),
        ("setoption", "setoption needs a name"),
        ("xyzzy \u{7f}", "unknown command"),
    ];
    for (words, answer) in complaints {
        let line = engine.ask(words, "info string error: ");
        assert!(line.contains(answer), "{words:?}: {line}");
    }
    // Without any position there is the start, and absurd depths are taken as the nearest sensible one.
    assert!(engine.ask("go depth 0", "info string error: ").contains("taken as 1"));
    engine.until("bestmove");
    assert!(engine.ask("go movetime -5", "info string error: ").contains("movetime -5 is not 1 or more"));
    engine.until("bestmove");
    assert!(engine.ask("go depth 500", "info string error: ").contains("taken as 127"));
    engine.ask("stop", "bestmove");
    engine.input.write_all(b"\xff\xfe\x00\n").expect("an engine that listens");
    engine.until("info string error: ");
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
}

#[test]
fn weights_and_settings_change_how_it_plays() {
    let mut engine = Peer::gamete();
    engine.say("position startpos moves e2e4");
    let nodes = |engine: &mut Peer| {
        engine.say("ucinewgame");
        engine.say("go depth 6");
        let lines = engine.until("bestmove");
        let words: Vec<_> = lines[lines.len() - 2].split(' ').map(str::to_owned).collect();
        let at = words.iter().position(|word| word == "nodes").expect("a count of nodes");
        words[at + 1].parse::<u64>().expect("a number")
    };
    let before = nodes(&mut engine);
    assert_eq!(nodes(&mut engine), before);
    engine.say("setoption name null_move value 0");
    let without_null_move = nodes(&mut engine);
    assert_ne!(without_null_move, before);
    engine.say("setoption name pawn_advance_b value 40");
    assert_ne!(nodes(&mut engine), without_null_move);
}
