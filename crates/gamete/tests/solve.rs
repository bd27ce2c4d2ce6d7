//! `gamete solve`: suites with bad lines, and solvers that are other programs.

mod common;

use std::path::PathBuf;

use common::{Run, gamete};
use tempfile::TempDir;

const SUITE: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id \"mate\";\n\
    this is no position\n\
    6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Qa8; id \"no such move\";\n\
    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"nothing to solve\";\n\
    6k1/5ppp/8/8/8/8/8/R3K3 w - - am Ra8#; id \"not the mate\";\n";

fn suite(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("suite.epd");
    std::fs::write(&path, text).expect("written");
    (folder, path)
}

fn solve(text: &str, options: &[&str]) -> (Run, String) {
    let (folder, path) = suite(text);
    let words = ["solve", path.to_str().expect("a plain path")];
    let run = gamete(words.into_iter().chain(options.iter().copied()));
    let err = run.err.replace(&format!("{}/", folder.path().display()), "");
    (run, err)
}

/// Our own program as others see it.
fn program() -> String {
    format!("cmd={} args=uci", env!("CARGO_BIN_EXE_gamete"))
}

#[test]
fn a_bad_line_is_named_and_the_others_are_solved() {
    let (run, err) = solve(SUITE, &["--depth", "3"]);
    assert_eq!(run.status, Some(1), "{}{err}", run.out);
    let problems: Vec<_> = err.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(problems.len(), 2, "{err}");
    assert!(problems[0].starts_with("error: suite.epd: line 2: "), "{err}");
    assert_eq!(problems[1], "error: suite.epd: line 3: bm \"Qa8\" is not a legal move");
    assert!(run.out.contains("suite.epd: 1 of 2 solved, "), "{}", run.out);
    assert!(run.out.trim_end().ends_with(", without bm or am 1, lines skipped 2"), "{}", run.out);
    let (run, _) = solve(SUITE, &["--depth", "3", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((&object["solved"], &object["skipped"]), (&1.into(), &2.into()));
    let (run, _) = solve(SUITE.lines().next().expect("a line"), &["--depth", "3"]);
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    let (run, err) = solve("nonsense\n", &["--depth", "3"]);
    assert_eq!(run.status, Some(1));
    assert!(err.contains("suite.epd: no positions with bm or am in it"), "{err}");
}

#[test]
fn another_program_solves_what_the_same_player_solves() {
    let good: String =
        SUITE.lines().filter(|line| line.contains("mate")).map(|line| format!("{line}\n")).collect();
    let rows = |options: &[&str]| {
        let (run, err) = solve(&good, options);
        assert_eq!(run.status, Some(0), "{}{err}", run.out);
        let object: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!((&object["solved"], &object["of"]), (&1.into(), &2.into()));
        let rows = object["positions"].as_array().expect("positions").clone();
        rows.into_iter().map(|row| [row["move"].clone(), row["nodes"].clone()]).collect::<Vec<_>>()
    };
    let ours = rows(&["--depth", "4", "--json"]);
    let theirs = rows(&["--depth", "4", "--json", "--player", &program()]);
    assert_eq!(ours, theirs);
    rows(&[
        "--depth",
        "4",
        "--json",
        "--concurrency",
        "2",
        "--player",
        &format!("{} option.Hash=2", program()),
    ]);
}

#[test]
fn a_solver_that_is_none_is_named() {
    let error = |player: &str| {
        let (run, err) = solve(SUITE, &["--depth", "2", "--player", player]);
        assert_eq!(run.status, Some(1), "{}", run.out);
        err.lines().next().expect("a line").to_owned()
    };
    assert!(error("cmd=/nowhere/engine").contains("/nowhere/engine"), "{}", error("cmd=/nowhere/engine"));
    assert!(error("cmd=cat").contains("cat"), "cat repeats what it is told, which is no UCI");
    assert_eq!(
        error("cmd=x nodes=5"),
        "error: --player cmd=x nodes=5: nodes= is for matches; here --movetime, --nodes and --depth say how long to think"
    );
    assert!(error("cmd=x optoin.Hash=5").contains("there is no optoin.Hash="));
    assert!(error("chess/clasic").contains("did you mean \"chess/classic\"?"));
    let far = error("chess/neural-network-of-another-kind");
    assert!(!far.contains("did you mean") && far.contains("there are chess/"), "{far}");
}
