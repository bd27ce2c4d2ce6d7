//! Tests that need something of the system: a terminal to write to, disks that cannot be written.

mod common;
#[path = "common/needs.rs"]
mod needs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Run, gamete, gate_engine};
use needs::{Need, needing};
use rusqlite::Connection;

needing! {
    the_bar_counts_games_that_are_over: [terminals()],
    a_lab_on_a_read_only_disk_can_be_read: [read_only_mounts()],
}

/// The program that runs another one in a terminal.
fn terminals() -> Need {
    let run = Command::new("script").arg("--version").output();
    run.map(|_| PathBuf::from("script")).map_err(|error| format!("there is no `script`: {error}"))
}

/// A program with its arguments, where a directory cannot be written.
fn where_read_only(directory: &Path) -> Command {
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, "sh"]).arg(directory);
    command
}

/// Whether this system lets us mount a directory so that it cannot be written.
fn read_only_mounts() -> Need {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let output = where_read_only(folder.path()).arg("true").output();
    let output = output.map_err(|error| format!("there is no `unshare`: {error}"))?;
    if output.status.success() {
        return Ok(PathBuf::from("unshare"));
    }
    let error = String::from_utf8_lossy(&output.stderr);
    Err(format!("read-only mounts are not for us here: {}", error.lines().next().unwrap_or_default()))
}

fn the_bar_counts_games_that_are_over() {
    let folder = tempfile::tempdir().expect("a folder");
    gate_engine(folder.path());
    fs::write(folder.path().join("gate"), "").expect("a file");
    let words = "-engine cmd=./engine.sh name=A -engine model=chess/material name=B -each nodes=10 -srand 1 \
        -concurrency 1 -pgnout x.pgn -rounds 3";
    let command = format!("{} match {words}", env!("CARGO_BIN_EXE_gamete"));
    let output = Command::new("script")
        .current_dir(folder.path())
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .expect("a program to run");
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    // The bar is drawn anew below every line.
    let after = |line: &str| {
        let (_, rest) = seen.split_once(line).expect("a line");
        let end = rest.find("/6 games").expect("a bar");
        rest[..end].rsplit(' ').next().map(str::to_owned)
    };
    assert_eq!(after("Started game 1 of 6").as_deref(), Some("0"), "{seen}");
    assert_eq!(after("Started game 2 of 6").as_deref(), Some("1"), "{seen}");
    assert_eq!(after("Started game 6 of 6").as_deref(), Some("5"), "{seen}");
}

fn a_lab_on_a_read_only_disk_can_be_read() {
    let lab = tempfile::tempdir().expect("a directory");
    let elsewhere = tempfile::tempdir().expect("a directory");
    let directory = lab.path().to_str().expect("a path in UTF-8");
    let small = ["--set", "population=4", "--set", "generations=2", "--verify", "0", "--json"];
    let run = gamete([&["evolve", "--lab", directory][..], &small].concat());
    assert_eq!(run.status, Some(0), "{}", run.err);
    let id = serde_json::from_str::<serde_json::Value>(&run.out).expect("one JSON object")["id"].clone();
    let id = id.as_str().expect("a name").to_owned();
    let read_only = |args: &[&str]| {
        let mut command = where_read_only(lab.path());
        command.arg(env!("CARGO_BIN_EXE_gamete")).args(args);
        Run::new(command.output().expect("a program to run"))
    };
    let page = elsewhere.path().join("report.html");
    let commands: [&[&str]; 6] = [
        &["list"],
        &["show", &id],
        &["show", &id, "--player"],
        &["export", &id, "--json"],
        &["report", &id, "-o", page.to_str().expect("a path in UTF-8")],
        &["compare", &id, "chess/kendall-whitwell", "--pairs", "1", "--limits", "depth=1", "--json"],
    ];
    let files = || {
        let files = fs::read_dir(lab.path()).expect("a directory").flatten();
        let mut names: Vec<_> = files.map(|file| file.file_name()).collect();
        names.sort();
        names
    };
    // What a killed process leaves: rows that are in the log only.
    let leave_a_log = || {
        let files = ["lab.sqlite", "lab.sqlite-wal"].map(|name| lab.path().join(name));
        let connection = Connection::open(&files[0]).expect("a lab");
        connection.execute("UPDATE experiment SET about = 'only in the log'", []).expect("a change");
        let contents = files.each_ref().map(|file| fs::read(file).expect("a file"));
        drop(connection);
        for (file, content) in files.iter().zip(contents) {
            fs::write(file, content).expect("a file");
        }
    };
    for has_log in [false, true] {
        let about = if has_log { "only in the log" } else { "piece values" };
        if has_log {
            leave_a_log();
        }
        let before = files();
        for args in commands {
            let _ = fs::remove_file(&page);
            let args = [args, &["--lab", directory]].concat();
            let run = read_only(&args);
            assert_eq!(run.status, Some(0), "{args:?}: {}", run.err);
            assert!(args[0] != "list" || run.out.contains(about), "{}", run.out);
            assert!(args[0] != "report" || page.exists());
        }
        let run = read_only(&["delete", &id, "--yes", "--lab", directory]);
        assert_ne!(run.status, Some(0), "{}", run.out);
        let run = read_only(&["evolve", "--seed", "9", "--lab", directory]);
        assert_eq!(run.status, Some(1), "{}{}", run.out, run.err);
        assert!(run.err.contains("name another directory with --lab"), "{}", run.err);
        assert_eq!(files(), before, "nothing is written");
    }
}
