//! An engine that plays the first legal move, and attacks the match runner in the way its first argument names.
//!
//! `hostile-engine list` prints all the ways. Where `faulty_engine` fails as broken engines do, this one does what no
//! honest engine would: wrong bytes, endless lines, numbers beyond every range, helpers that stay, answers to nobody.

use std::io::{self, BufRead, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use gamete_chess::{CastlingStyle, Position};
use gamete_game::Game;

const INTRODUCTION: &str = "id name Hostile Engine
option name Threads type spin default 1 min 1 max 8
option name Hash type spin default 16 min 1 max 64
";

/// What is wrong before the first move.
const AT_START: [&str; 21] = [
    "exit-at-once",
    "garbage-at-start",
    "nul-at-start",
    "no-newline",
    "escape-name",
    "long-name",
    "empty-name",
    "bad-options",
    "many-options",
    "same-options",
    "uciok-twice",
    "ready-unasked",
    "stderr-at-start",
    "close-stdout",
    "close-stdin",
    "helper",
    "helper-holds-pipe",
    "stop-itself",
    "move-unasked",
    "bidi-name",
    "carriage-returns",
];

/// What is wrong with a move.
const AT_MOVE: [&str; 31] = [
    "upper-case",
    "trailing-nul",
    "null-move",
    "none",
    "words",
    "empty",
    "moves-of-others",
    "two-answers",
    "stale-answer",
    "huge-numbers",
    "negative-numbers",
    "mate-numbers",
    "no-numbers",
    "long-string",
    "long-pv",
    "illegal-pv",
    "wrong-bytes",
    "byte-by-byte",
    "half-line-exit",
    "abort",
    "exit",
    "stop",
    "deaf",
    "stderr-flood",
    "mute-and-leave",
    "escape-string",
    "only-newlines",
    "long-answer",
    "ponder-nonsense",
    "castles-oddly",
    "info-after-answer",
];

fn say(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

fn stop_myself() {
    let id = std::process::id().to_string();
    let _ = Command::new("kill").args(["-STOP", &id]).status();
    std::thread::sleep(Duration::from_millis(10));
}

/// A child that outlives its parent unless somebody ends the whole group.
fn start_helper(output: Stdio) {
    let _ =
        Command::new("sleep").arg("600").stdin(Stdio::null()).stdout(output).stderr(Stdio::null()).spawn();
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

fn introduce(way: &str) {
    let mut text = INTRODUCTION.as_bytes().to_vec();
    match way {
        "garbage-at-start" => text.extend((0..100_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)),
        "nul-at-start" => text.extend_from_slice(b"\0\0\0\n\0id name \0\n"),
        "no-newline" => text.extend(std::iter::repeat_n(b'x', 50_000_000)),
        "escape-name" => text.extend_from_slice(b"id name \x1b]0;owned\x07\x1b[31mRed\x1b[2J\n"),
        "bidi-name" => text.extend_from_slice("id name \u{202e}eman\u{9b}31m\u{85}\n".as_bytes()),
        "long-name" => {
            text.extend_from_slice(b"id name ");
            text.extend(std::iter::repeat_n(b'n', 5_000_000));
            text.push(b'\n');
        }
        "empty-name" => text.extend_from_slice(b"id name\nid\nid name   \n"),
        "bad-options" => text.extend_from_slice(
            b"option\noption name\noption name X\noption name X type\noption name Y type spin default z min 9 max 1\n\
              option name Y type spin default 99999999999999999999 min -99999999999999999999 max 1\n\
              option name Z type combo\noption type check name Q\noption name W type check default perhaps\n\
              option name  type string default\noption name V type unheard default 1\n",
        ),
        "many-options" => {
            for number in 0..100_000 {
                text.extend_from_slice(format!("option name o{number} type spin default 1 min 0 max 9\n").as_bytes());
            }
        }
        "same-options" => {
            for number in 0..100 {
                text.extend_from_slice(format!("option name Hash type spin default {number} min 0 max 9\n").as_bytes());
            }
        }
        "uciok-twice" => text.extend_from_slice(b"uciok\nuciok\n"),
        "ready-unasked" => text.extend_from_slice(b"readyok\nreadyok\n"),
        "stderr-at-start" => (0..200_000).for_each(|number| eprintln!("\x1b[31mcomplaint\x1b[0m {number}")),
        "carriage-returns" => {
            text = String::from_utf8_lossy(&text).replace('\n', "\r\n").into_bytes();
            text.extend_from_slice(b"\r\r\r\n");
        }
        "move-unasked" => text.extend_from_slice(b"bestmove e2e4\nbestmove e7e5 ponder e2e4\ninfo depth 3 score cp 1\n"),
        "helper" => start_helper(Stdio::null()),
        "helper-holds-pipe" => start_helper(Stdio::inherit()),
        "stop-itself" => stop_myself(),
        _ => {}
    }
    text.extend_from_slice(b"uciok\n");
    say(&text);
}

/// Answers a `go` in the way that was asked for; `honest` is a legal move, `stale` the answer before.
fn answer(way: &str, honest: &str, stale: &str) {
    let plain = format!("bestmove {honest}\n");
    let with = |info: &str| say(format!("{info}\n{plain}").as_bytes());
    match way {
        "upper-case" => {
            say(format!("BESTMOVE {}\nbestmove {}\n", honest.to_uppercase(), honest.to_uppercase())
                .as_bytes());
        }
        "trailing-nul" => say(format!("bestmove {honest}\0\n").as_bytes()),
        "null-move" => say(b"bestmove 0000\n"),
        "none" => say(b"bestmove (none)\n"),
        "words" => say("bestmove I would rather not ♞\n".as_bytes()),
        "empty" => say(b"bestmove\n"),
        "moves-of-others" => say(b"bestmove a8a1\n"),
        "two-answers" => say(format!("{plain}bestmove a2a3\nbestmove h2h3\n").as_bytes()),
        "stale-answer" => say(format!("bestmove {stale}\n").as_bytes()),
        "huge-numbers" => with(
            "info depth 99999999999999999999 seldepth 18446744073709551616 score cp 9223372036854775808 nodes \
             340282366920938463463374607431768211456 nps 1e400 time 18446744073709551615 hashfull 70000 tbhits 5e9 pv e2e4",
        ),
        "negative-numbers" => with(
            "info depth -1 seldepth -9 score cp -9223372036854775808 nodes -1 nps -1 time -1 hashfull -1 multipv -3",
        ),
        "mate-numbers" => with(
            "info depth 1 score mate 0 nodes 1\ninfo depth 2 score mate -9223372036854775808\ninfo depth 3 score mate 2147483647",
        ),
        "no-numbers" => {
            with("info depth score cp nodes nps time pv\ninfo\ninfo score\ninfo score mate\ninfo string");
        }
        "long-string" => {
            say(b"info string ");
            (0..2_000).for_each(|_| say(&[b's'; 100_000]));
            with("");
        }
        "long-pv" => with(&format!("info depth 5 score cp 3 pv {}", "e2e4 e7e5 ".repeat(500_000))),
        "illegal-pv" => with("info depth 5 score cp 3 pv e9e9 banana a1h8 \u{265e} e2e4e5 0000"),
        "wrong-bytes" => {
            say(b"info string \xff\xfe\xc0\x80\xed\xa0\x80\ninfo depth \xff score cp \x80 pv \xfe\n");
            say(plain.as_bytes());
        }
        "byte-by-byte" => plain.bytes().for_each(|byte| say(&[byte])),
        "half-line-exit" => {
            say(b"bestmo");
            std::process::exit(0);
        }
        "abort" => std::process::abort(),
        "exit" => std::process::exit(0),
        "stop" => {
            stop_myself();
            say(plain.as_bytes());
        }
        "deaf" => {
            // Neither answers nor reads, with whatever is sent filling the pipe.
            sleep_for_ever();
        }
        "stderr-flood" => {
            let line = [b'e'; 1_000_000];
            (0..50).for_each(|_| drop(io::stderr().lock().write_all(&line)));
            say(plain.as_bytes());
        }
        "mute-and-leave" => {
            start_helper(Stdio::inherit());
            std::process::exit(3);
        }
        "escape-string" => {
            with("info string \x1b]0;owned\x07\x1b[2J\x1b[31m\ninfo depth 1 score cp 1 pv \x1b[31me2e4");
        }
        "only-newlines" => {
            say(&[b'\n'; 1_000_000]);
            say(plain.as_bytes());
        }
        "long-answer" => say(format!("bestmove {honest}{}\n", "q".repeat(10_000_000)).as_bytes()),
        "ponder-nonsense" => {
            say(format!("bestmove {honest} ponder \x1b[31m{}\n", "z".repeat(1_000)).as_bytes());
        }
        "castles-oddly" => say(b"bestmove O-O\n"),
        "info-after-answer" => {
            say(format!("{plain}info depth 9 score cp 12345 pv {honest}\nreadyok\nuciok\n").as_bytes());
        }
        _ => with("info depth 2 score cp 13 nodes 1"),
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let way = arguments.first().map_or("none", String::as_str);
    let at: u32 = arguments.get(1).and_then(|at| at.parse().ok()).unwrap_or(1);
    match way {
        "list" => return say((AT_START.join("\n") + "\n" + &AT_MOVE.join("\n") + "\n").as_bytes()),
        "exit-at-once" => return,
        _ => {}
    }
    let (mut input, mut line, mut moves) = (io::stdin().lock(), Vec::new(), 0);
    let (mut position, mut style, mut stale) =
        (Position::start(), CastlingStyle::Standard, "e2e4".to_owned());
    while input.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let command = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        match command.split(' ').next().unwrap_or_default() {
            "uci" => introduce(way),
            "isready" => say(b"readyok\n"),
            "position" => {
                let (start, played) = command.split_once(" moves ").unwrap_or((&command, ""));
                let fen = start.strip_prefix("position fen ").and_then(|fen| fen.parse().ok());
                position = fen.unwrap_or_else(Position::start);
                for mv in played.split_whitespace() {
                    if let Ok(mv) = position.parse_uci(mv) {
                        position.play(mv);
                    }
                }
            }
            "setoption" if command.contains("UCI_Chess960 value true") => style = CastlingStyle::Chess960,
            "go" => {
                moves += 1;
                let honest = position.moves().first().map(|&mv| position.uci(mv, style));
                let honest = honest.unwrap_or_else(|| "(none)".to_owned());
                answer(if moves >= at { way } else { "honest" }, &honest, &stale);
                stale = honest;
            }
            "quit" if way == "deaf" => sleep_for_ever(),
            "quit" => return,
            _ => {}
        }
        match way {
            // The pipes close when the program ends only; a shell that takes its place closes one of them.
            "close-stdout" if moves >= at => close("exec >&-; exec sleep 600"),
            "close-stdin" if moves >= at => close("exec <&-; exec sleep 600"),
            _ => {}
        }
    }
}

/// Becomes, as far as a safe program can, a process with one pipe less: the shell has the pipes, and this one waits.
fn close(script: &str) {
    let _ = Command::new("sh").args(["-c", script]).status();
}
