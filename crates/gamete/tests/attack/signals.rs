//! Signals at random moments: nothing that was finished is lost, and the end is that of an undisturbed run.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

use gamete_arena::Rng;
use rustix::process::Signal;

use crate::Siege;
use crate::target::{Ended, Target};

/// Something to run, and what of it must not depend on interruptions.
struct Subject {
    words: &'static str,
    /// How long it takes about, in milliseconds.
    takes: u64,
    result: fn(&Path, &Ended) -> Vec<u8>,
}

fn file(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_default()
}

/// What names the result of an experiment.
fn digest(_: &Path, ended: &Ended) -> Vec<u8> {
    let json: serde_json::Value = serde_json::from_slice(&ended.out).expect("JSON");
    format!("{} {} {}", json["digest"], json["games"], json["champion"]).into_bytes()
}

/// Games, last positions and score of a match.
fn games(folder: &Path, ended: &Ended) -> Vec<u8> {
    [file(folder, "x.pgn"), positions(folder, ended)].concat()
}

/// Last positions and score of a match whose games tell times.
fn positions(folder: &Path, ended: &Ended) -> Vec<u8> {
    [file(folder, "x.epd"), ended.out.clone()].concat()
}

const MATCH: &str = "-each nodes=300 -rounds 30 -variant fischerandom -srand 5 -pgnout x.pgn -epdout x.epd -json -startup-ms 120000";

const SUBJECTS: [Subject; 5] = [
    Subject {
        words: "match -engine model=chess/classic -engine model=chess/material -each nodes=300 -rounds 30 -variant \
                fischerandom -srand 5 -pgnout x.pgn -epdout x.epd -json",
        takes: 1500,
        result: games,
    },
    Subject { words: "match UCI", takes: 1500, result: positions },
    Subject {
        words: "evolve --lab lab --set population=10 --set generations=6 --verify 3 --json",
        takes: 1500,
        result: digest,
    },
    Subject {
        words: "evolve mutation-study --lab lab --set population=5 --set replicates=2 --set generations=3 --verify 1 --json",
        takes: 2500,
        result: digest,
    },
    Subject {
        words: "evolve piece-difference --lab lab --set survivors=4 --set children=4 --set generations=4 --verify 1 --json",
        takes: 800,
        result: digest,
    },
];

impl Subject {
    fn start(&self, folder: &Path) -> Target {
        let words = if self.words == "match UCI" {
            let engine = env!("CARGO_BIN_EXE_gamete");
            format!("match -engine cmd={engine} args=uci name=A -engine model=chess/material name=B {MATCH}")
        } else {
            self.words.to_owned()
        };
        Target::start(folder, words.split_whitespace(), Vec::new())
    }
}

/// Whether the program still ran.
fn disturb(target: &mut Target, rng: &mut Rng) -> bool {
    let group = rng.below(2) == 0;
    match rng.below(8) {
        0 => target.signal(Signal::INT, group),
        1 => {
            let landed = target.signal(Signal::INT, group);
            std::thread::sleep(Duration::from_millis(rng.below(30)));
            target.signal(Signal::INT, group);
            landed
        }
        2 => target.signal(Signal::TERM, group),
        3 => target.signal(Signal::HUP, group),
        4 => {
            let landed = target.signal(Signal::STOP, false);
            std::thread::sleep(Duration::from_millis(rng.below(50)));
            target.signal(Signal::CONT, false);
            target.signal(Signal::TERM, group);
            landed
        }
        5 => target.signal(Signal::QUIT, group),
        // The whole group, as a machine that goes down does.
        6 => target.signal(Signal::KILL, true),
        _ => target.signal(Signal::KILL, false),
    }
}

#[test]
fn signals_change_nothing() {
    let undisturbed = SUBJECTS.each_ref().map(|subject| {
        let folder = tempfile::tempdir().expect("a folder");
        let ended = subject.start(folder.path()).finish(400);
        ended.assert_success();
        (subject.result)(folder.path(), &ended)
    });
    let (mut sent, mut landed) = (0, 0);
    Siege::new("signals", SUBJECTS.len() as u64).each(|number, rng| {
        let index = number as usize % SUBJECTS.len();
        let subject = &SUBJECTS[index];
        let folder = tempfile::tempdir().expect("a folder");
        let mut warnings = String::new();
        for _ in 0..1 + rng.below(6) {
            let mut target = subject.start(folder.path());
            std::thread::sleep(Duration::from_millis(rng.below(subject.takes)));
            sent += 1;
            landed += u64::from(disturb(&mut target, rng));
            let ended = target.finish(400);
            warnings.push_str(&ended.err());
            let left = temporary_files(folder.path());
            // Nobody can clean up after SIGKILL.
            assert!(left.is_empty() || ended.status.signal() == Some(9), "round {number}: {left:?}");
        }
        let ended = subject.start(folder.path()).finish(400);
        ended.assert_success();
        warnings.push_str(&ended.err());
        let result = (subject.result)(folder.path(), &ended);
        let texts = [&result, &undisturbed[index]].map(|bytes| String::from_utf8_lossy(bytes));
        assert_eq!(texts[0], texts[1], "round {number}: {}\n{warnings}", subject.words);
    });
    eprintln!("signals: {sent} sent, {landed} of them before the end");
}

/// Files that a program should have taken with it when it ended.
fn temporary_files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.contains(".gamete-") || name.contains(".tmp")).collect()
}
