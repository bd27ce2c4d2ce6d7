//! How `gamete match` begins games and ends, seen from outside.
#![cfg(unix)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use common::{folder, gate_engine, match_command};

const WORDS: &str = "-engine cmd=./engine.sh name=A -engine model=chess/material name=B -each nodes=10 -srand 1 \
    -concurrency 1 -pgnout x.pgn -rounds 3";

fn spawn(folder: &Path, words: &str) -> (Child, impl Iterator<Item = String>) {
    let mut child = match_command(folder, words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program to run");
    let out: ChildStdout = child.stdout.take().expect("a pipe");
    (child, BufReader::new(out).lines().map_while(Result::ok))
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("a program to run").success());
}

#[test]
fn after_an_interrupt_no_game_begins_and_none_is_lost() {
    let folder = folder();
    gate_engine(folder.path());
    let (mut child, mut lines) = spawn(folder.path(), WORDS);
    assert!(lines.any(|line| line == "Started game 1 of 6 (A vs B)"));
    interrupt(&child);
    let errors = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(errors.into_iter().any(|line| line.starts_with("finishing the games in hand")));
    // The first game of the first pair is in hand, and over from now on.
    fs::write(folder.path().join("gate"), "").expect("a file");
    let rest: Vec<_> = lines.collect();
    assert_eq!(child.wait().expect("a program that ends").code(), Some(130));
    assert!(!rest.iter().any(|line| line.starts_with("Started game")), "{rest:?}");
    assert!(!rest.iter().any(|line| line.starts_with("Results of") || line.contains("Elo")), "{rest:?}");
    assert!(rest.contains(&"No pair of games is complete yet.".to_owned()), "{rest:?}");
    assert!(
        rest.contains(&"1 game waits for the others from its opening, and is kept.".to_owned()),
        "{rest:?}"
    );

    let (copy, journal) = (folder.path().join("copy.db"), folder.path().join("x.pgn.db"));
    fs::copy(journal, copy).expect("a copy");
    let fresh = format!("{WORDS} -journal copy.db -fresh").replace("x.pgn", "y.pgn");
    let (mut child, lines) = spawn(folder.path(), &fresh);
    assert!(lines.into_iter().any(|line| line.starts_with("Started game 1 of 6")), "-fresh forgets it");
    child.kill().expect("a child");
    child.wait().expect("a child");

    let (mut child, lines) = spawn(folder.path(), WORDS);
    let lines: Vec<_> = lines.collect();
    assert_eq!(child.wait().expect("a program that ends").code(), Some(0));
    let of = |start: &str| lines.iter().filter(|line| line.starts_with(start)).cloned().collect::<Vec<_>>();
    assert_eq!(of("Started game")[0], "Started game 2 of 6 (B vs A)", "the first was kept");
    assert_eq!((of("Started game").len(), of("Finished game").len()), (5, 6));
    assert!(lines.iter().any(|line| line.starts_with("Games: 6, Wins: 0, Losses: 6")), "{lines:?}");
    let pgn = fs::read_to_string(folder.path().join("x.pgn")).expect("games");
    assert_eq!(pgn.matches("[Round ").count(), 6);
}

#[test]
fn a_crash_after_an_interrupt_is_not_counted() {
    let folder = folder();
    gate_engine(folder.path());
    let (mut child, mut lines) = spawn(folder.path(), WORDS);
    assert!(lines.any(|line| line == "Started game 1 of 6 (A vs B)"));
    interrupt(&child);
    let errors = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(errors.into_iter().any(|line| line.starts_with("finishing the games in hand")));
    // The interrupt may have been the cause.
    fs::write(folder.path().join("gate"), "crash").expect("a file");
    let rest: Vec<_> = lines.collect();
    assert_eq!(child.wait().expect("a program that ends").code(), Some(130));
    assert!(rest.contains(&"No pair of games is complete yet.".to_owned()), "{rest:?}");
    assert!(!rest.iter().any(|line| line.contains("kept")), "{rest:?}");

    fs::write(folder.path().join("gate"), "").expect("a file");
    let (mut child, lines) = spawn(folder.path(), WORDS);
    let lines: Vec<_> = lines.collect();
    assert_eq!(child.wait().expect("a program that ends").code(), Some(0));
    assert_eq!(lines.iter().filter(|line| line.starts_with("Started game")).count(), 6, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("A: 6 lost by illegal moves")), "{lines:?}");
}

/// The greatest memory that a process has had, in bytes.
#[cfg(target_os = "linux")]
fn peak_memory(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line on memory");
    line.trim_end_matches("kB").trim().parse::<u64>().expect("a number") * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn the_longest_match_takes_no_more_memory_than_a_short_one() {
    let peak = |rounds: u64| {
        let folder = folder();
        let words = format!(
            "-engine model=chess/classic -engine model=chess/material -each depth=1 -srand 1 -rounds {rounds}"
        );
        let (mut child, mut lines) = spawn(folder.path(), &words);
        assert!(lines.any(|line| line.starts_with("Finished game 6 ")));
        let peak = peak_memory(&child);
        child.kill().expect("a child");
        child.wait().expect("a child");
        peak
    };
    let (short, long) = (peak(1000), peak(100_000_000));
    eprintln!("peak memory: {short} bytes for 1,000 rounds, {long} for 100,000,000");
    assert!(long < short + (64 << 20), "{long} beside {short}");
}
