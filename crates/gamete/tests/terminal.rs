//! Nothing that comes from files and other programs reaches the terminal as a control character.

mod common;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use common::{Run, gamete, gamete_reading};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Sets the title of a terminal, clears it, and turns the text around.
const EVIL: &str = "evil\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}name";

/// How it is shown.
const SHOWN: &str = "evil\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202ename";

fn assert_harmless(run: &Run) {
    for text in [&run.out, &run.err] {
        let bad = text.chars().find(|&c| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}');
        assert_eq!(bad, None, "{text:?}");
    }
}

/// What the program writes to a terminal.
fn on_terminal(args: &[&str]) -> String {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("a terminal of our own");
    let name = ptsname(&controller, Vec::new()).expect("its name");
    let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
    let terminal: OwnedFd = File::options().read(true).write(true).open(path).expect("its other end").into();
    let (out, err) = (terminal.try_clone().expect("a copy"), terminal);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(args).env("TERM", "xterm").env_remove("NO_COLOR").stdin(std::process::Stdio::null());
    let mut child = command.stdout(out).stderr(err).spawn().expect("a program to run");
    drop(command);
    let (mut seen, mut block) = (Vec::new(), [0; 4096]);
    let mut controller = File::from(controller);
    // When nobody has the other end any more, reading fails.
    while let Ok(count @ 1..) = controller.read(&mut block) {
        seen.extend_from_slice(&block[..count]);
    }
    child.wait().expect("a program that ends");
    String::from_utf8_lossy(&seen).into_owned()
}

fn assert_harmless_on_terminal(args: &[&str]) {
    let seen = on_terminal(args);
    assert!(!seen.contains("\u{1b}]0;") && !seen.contains('\u{7}') && !seen.contains('\u{202e}'), "{seen:?}");
    assert!(seen.contains("\\u001b]0;owned"), "{seen:?}");
}

#[test]
fn names_of_files_in_archives() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.zip");
    let mut archive = zip::ZipWriter::new(File::create(&path).expect("a file"));
    archive.start_file(format!("{EVIL}.pgn"), zip::write::SimpleFileOptions::default()).expect("a member");
    archive.write_all(b"1. e4 Ke4 *\n\n1. d4 *\n").expect("written");
    archive.finish().expect("complete");
    let args = ["convert", path.to_str().expect("a plain path"), "--to", "pgn", "-o", "-"];
    let run = gamete(args);
    assert_harmless(&run);
    assert!(run.err.contains(&format!("{SHOWN}.pgn: game 1, line 1: illegal move")), "{}", run.err);
    assert!(run.err.contains(&format!("{SHOWN}.pgn: games read 1, skipped 1")), "{}", run.err);
    assert_harmless_on_terminal(&args);
}

#[test]
fn tags_and_comments_of_games() {
    let game = format!(
        "[Event \"{EVIL}\"]\n[Variant \"Chess960\"]\n\n1. e4 {{{EVIL}}} *\n\n[Variant \"{EVIL}\"]\n\n1. d4 *\n"
    );
    let run = gamete_reading(["convert", "-", "--from", "pgn", "--to", "pgn", "-o", "-"], game.as_bytes());
    let control = run.out.chars().find(|&c| c.is_control() && c != '\n');
    assert_eq!(control, None, "{:?}", run.out);
    assert!(run.out.contains("evil ]0;owned  [2J 31m"), "{:?}", run.out);
    assert!(!run.err.contains('\u{1b}') && run.err.contains("the Variant tag says"), "{:?}", run.err);
    let epd = format!("6k1/8/8/8/8/8/8/R3K3 w - - id \"{EVIL}\"; bm Ra8;\n");
    let run = gamete_reading(["convert", "-", "--from", "epd", "--to", "epd", "-o", "-"], epd.as_bytes());
    assert!(run.out.contains("evil ]0;owned") && !run.out.contains('\u{1b}'), "{:?}", run.out);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("suite.epd");
    std::fs::write(&path, epd.replace("bm Ra8", "bm Ra2")).expect("written");
    let args = ["solve", path.to_str().expect("a plain path"), "--depth", "1", "--missed"];
    let run = gamete(args);
    assert_harmless(&run);
    assert!(run.out.contains(SHOWN), "{:?}", run.out);
    assert_harmless_on_terminal(&args);
}

#[test]
fn what_experiments_say_of_themselves() {
    let lab = tempfile::tempdir().expect("a folder");
    let directory = lab.path().to_str().expect("a plain path");
    let about = format!("about={EVIL}");
    let run = gamete([
        "evolve",
        "--lab",
        directory,
        "--set",
        "population=4",
        "--set",
        "generations=2",
        "--set",
        &about,
    ]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert_harmless(&run);
    assert!(run.err.contains(SHOWN), "{:?}", run.err);
    for args in [&["list", "--lab", directory][..], &["list", "--lab", directory, "--json"]] {
        let run = gamete(args);
        assert_eq!(run.status, Some(0), "{}", run.err);
        assert_harmless(&run);
        assert!(run.out.contains("\\u001b]0;owned"), "{:?}", run.out);
        assert_harmless_on_terminal(args);
    }
}

/// An engine that lies about its name and complains in colours.
fn evil_engine(folder: &Path) -> String {
    let path = folder.join("engine.sh");
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in\nuci) printf '%s\\n' 'id name {EVIL}' 'option name {EVIL} type check default false' uciok;;\n\
         isready) echo readyok;;\ngo*) printf '%s\\n' 'fatal: {EVIL}' >&2; exit 3;;\nquit) exit 0;;\nesac; done\n"
    );
    std::fs::write(&path, script).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn names_and_complaints_of_engines() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = evil_engine(folder.path());
    let journal = folder.path().join("match.db");
    let mut words =
        vec!["match".to_owned(), "-engine".to_owned(), format!("cmd={engine}"), format!("name={EVIL}")];
    words.extend(
        "option.Nonsense=1 -engine model=chess/material -each nodes=20 -rounds 1 -journal"
            .split(' ')
            .map(str::to_owned),
    );
    words.push(journal.to_str().expect("a plain path").to_owned());
    let run = gamete(&words);
    assert_harmless(&run);
    assert!(run.out.contains(SHOWN) && run.err.contains("\\u001b]0;owned"), "{:?}{:?}", run.out, run.err);
    let position = "6k1/8/8/8/8/8/8/R3K3 w - - id \"a\"; bm Ra8;\n";
    let path = folder.path().join("suite.epd");
    std::fs::write(&path, position).expect("written");
    let player = format!("cmd={engine}");
    let args = ["solve", path.to_str().expect("a plain path"), "--depth", "1", "--player", &player];
    let run = gamete(args);
    assert_harmless(&run);
    assert!(run.err.contains("\\u001b]0;owned"), "the last words of a program that broke off: {:?}", run.err);
    assert_harmless_on_terminal(&args);
    let run = gamete_reading(["play", "--black", &player, "--depth", "1"], b"e4\n");
    assert_harmless(&run);
    assert_eq!(run.status, Some(1), "{:?}", run.err);
    assert!(run.err.contains("engine cannot play: ") && run.err.contains("\\u001b]0;owned"), "{:?}", run.err);
}

#[test]
fn solve_shows_how_far_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("suite.epd");
    std::fs::write(&path, "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#;\n".repeat(3)).expect("written");
    let seen = on_terminal(&["solve", path.to_str().expect("a plain path"), "--depth", "2"]);
    assert!(seen.contains("0/3 positions") && seen.contains("3 of 3 solved"), "{seen:?}");
}
