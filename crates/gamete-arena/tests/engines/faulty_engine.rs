//! An engine that plays the first legal move until it does what its arguments say: a fault, and at which move.
//!
//! After these, `always` has it fail at this move of every game, and `game=` only of this one, where it would count all
//! its moves; `ms=` is how late it is; and `once=FILE` has it be well the first time it is started with this file.
//! Everything it is told it repeats on its standard error.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use gamete_chess::{CastlingStyle, Position};
use gamete_game::Game;

const INTRODUCTION: &str = "Faulty Engine, ready to fail
id name Faulty Engine
id author the Gamete authors
option name Threads type spin default 1 min 1 max 8
option name Hash type spin default 16 min 1 max 64
option name Clear Hash type button
option name Playing Style type combo default Solid var Solid var Very Risky
option name Book File type string default <empty>
option name UCI_Chess960 type check default false
uciok";

fn say(text: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

fn sleep(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

fn set_position(command: &str) -> Position {
    let (start, moves) = command.split_once(" moves ").unwrap_or((command, ""));
    let fen = start.strip_prefix("position fen ");
    let mut position =
        fen.map_or_else(Position::start, |fen| fen.parse().unwrap_or_else(|_| Position::start()));
    for mv in moves.split_whitespace() {
        position.play(position.parse_uci(mv).unwrap_or_else(|error| panic!("{error}: {mv}")));
    }
    position
}

/// The fault itself; returns if the engine goes on with its move.
fn fail(fault: &str, lateness: u64, input: &mut impl BufRead) {
    match fault {
        "crash" => std::process::abort(),
        "exit" => std::process::exit(7),
        "hang" => sleep(60_000),
        "late" => sleep(lateness),
        "until-stop" => {
            let _ = input.lines().map_while(Result::ok).find(|line| line == "stop");
        }
        "flood" => loop {
            say("info depth 1 score cp 1 nodes 1 pv e2e4");
        },
        "burst" => (0..200_000).for_each(|_| say("info depth 1 score cp 1 nodes 1 pv e2e4")),
        "endless-line" => loop {
            let _ = io::stdout().lock().write_all(&[b'x'; 4096]);
        },
        "long-line" => {
            let mut out = io::stdout().lock();
            let _ = out.write_all(b"info string ");
            (0..50_000).for_each(|_| drop(out.write_all(&[b'x'; 4096])));
            let _ = out.write_all(b"\n");
        }
        "complain" => (0..20_000).for_each(|number| eprintln!("complaint {number}")),
        _ => {}
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let fault = arguments.first().map_or("none", String::as_str);
    let at: u32 = arguments.get(1).and_then(|at| at.parse().ok()).unwrap_or(1);
    let value = |key: &str| arguments.iter().find_map(|word| word.strip_prefix(key));
    let lateness = value("ms=").and_then(|ms| ms.parse().ok()).unwrap_or(150);
    let always = arguments.iter().any(|word| word == "always");
    let failing_game: Option<u32> = value("game=").and_then(|game| game.parse().ok());
    let is_well = value("once=").is_some_and(|file| std::fs::File::create_new(file).is_ok());
    if fault == "die-at-start" && !is_well {
        eprintln!("libmissing.so not found");
        std::process::exit(1);
    }
    let (mut input, mut line, mut game, mut moves) = (io::stdin().lock(), String::new(), 0, 0);
    let (mut position, mut style) = (Position::start(), CastlingStyle::Standard);
    while input.read_line(&mut line).is_ok_and(|count| count > 0) {
        let command = line.trim_end();
        eprintln!("{command}");
        match command.split(' ').next().unwrap_or_default() {
            "ucinewgame" if always || failing_game.is_some() => (game, moves) = (game + 1, 0),
            "uci" if fault == "not-uci" => say("xboard is what I speak"),
            "uci" => say(INTRODUCTION),
            "isready" if fault == "never-ready" && moves > 0 => {}
            "isready" => say("readyok"),
            "position" => position = set_position(command),
            "setoption" if command.contains("UCI_Chess960 value true") => style = CastlingStyle::Chess960,
            "go" => {
                moves += 1;
                let first = position.moves().first().map(|&mv| position.uci(mv, style));
                let mut answer = first.unwrap_or_else(|| "(none)".to_owned());
                if moves == at && failing_game.is_none_or(|failing| failing == game) {
                    match fault {
                        "illegal" => "e2e5".clone_into(&mut answer),
                        "nonsense" => "banana".clone_into(&mut answer),
                        "no-move" => answer.clear(),
                        "castle" => {
                            let castles = position.parse_uci("e1g1").expect("a position to castle in");
                            answer = position.uci(castles, style);
                        }
                        "silent" => {
                            line.clear();
                            continue;
                        }
                        _ => fail(fault, lateness, &mut input),
                    }
                }
                say(&format!("info depth 2 score cp 13 nodes {moves} pv {answer}\nbestmove {answer}"));
            }
            "quit" if fault != "ignore-quit" => return,
            _ => {}
        }
        line.clear();
    }
    if fault == "ignore-quit" {
        sleep(60_000);
    }
}
