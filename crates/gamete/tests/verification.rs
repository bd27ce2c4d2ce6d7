//! Whether evolution helped: the champion against its start and against the classical weights, after the experiment.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::gamete;
use gamete_lab::{BaselineMatch, LabView, Store, VerificationError};
use serde_json::Value;

/// A small experiment whose games are over at once.
const SMALL: [&str; 8] =
    ["evolve", "--set", "population=4", "--set", "generations=2", "--set", "limits=depth=1", "--lab"];

fn evolve(lab: &Path, args: &[&str]) -> Value {
    let lab = lab.to_str().expect("a path in UTF-8");
    let run = gamete(SMALL.into_iter().chain([lab]).chain(args.iter().copied()).chain(["--json"]));
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(&run.out).expect("one JSON object")
}

fn verification(lab: &Path, id: &str) -> Vec<BaselineMatch> {
    Store::open(lab).expect("a lab").verification(id).expect("a verification")
}

fn id(found: &Value) -> &str {
    found["id"].as_str().expect("a name")
}

#[test]
fn an_experiment_ends_with_its_champion_against_its_start_and_the_classical_weights() {
    let lab = tempfile::tempdir().expect("a directory");
    let directory = lab.path().to_str().expect("a path in UTF-8");
    let run = gamete(SMALL.into_iter().chain([directory, "--verify", "5"]));
    assert_eq!(run.status, Some(0), "{}", run.err);
    for words in
        ["its start, ", "classical weights, chess/kendall-whitwell", "Elo [95 % interval]", "\nnext:\n"]
    {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    let found = evolve(lab.path(), &["--verify", "5"]);
    let matches = found["verification"].as_array().expect("a list");
    let against: Vec<&str> = matches.iter().filter_map(|one| one["against"].as_str()).collect();
    assert_eq!(against, ["start", "classical"]);
    for one in matches {
        assert_eq!(one["pairs"], 5);
        assert_eq!(
            one["ptnml"].as_array().expect("five counts").iter().filter_map(Value::as_u64).sum::<u64>(),
            5
        );
        // The same games as those of the command that is named.
        let sides = [&one["champion"], &one["opponent"]].map(|side| side.as_str().expect("a name"));
        let again = gamete(["compare", sides[0], sides[1], "--pairs", "5", "--json", "--lab", directory]);
        let again: Value = serde_json::from_str(&again.out).unwrap_or_else(|_| panic!("{}", again.err));
        assert_eq!(again["ptnml"], one["ptnml"], "{sides:?}");
        assert_eq!(again["elo"], one["elo"], "{sides:?}");
    }
    let shown = gamete(["show", id(&found), "--lab", directory]);
    assert!(shown.out.contains("its start, "), "{}", shown.out);
    let report = std::fs::read_to_string(found["report"].as_str().expect("a path")).expect("a report");
    assert!(report.contains("<section id=\"verification\">") && report.contains("gamete show "), "a section");
}

#[test]
fn the_digest_is_the_same_with_and_without() {
    let digest = |pairs: &str| {
        let lab = tempfile::tempdir().expect("a directory");
        let found = evolve(lab.path(), &["--verify", pairs]);
        assert_eq!(found["verification"].as_array().map(Vec::len), Some(if pairs == "0" { 0 } else { 2 }));
        (found["digest"].clone(), found["games"].clone())
    };
    assert_eq!(digest("0"), digest("3"));
}

#[test]
fn what_was_played_is_read_and_not_played_again() {
    let lab = tempfile::tempdir().expect("a directory");
    let found = evolve(lab.path(), &["--verify", "4"]);
    let connection = rusqlite::Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    let update = "UPDATE verification_pair SET result = CASE pair WHEN 2 THEN 'WL' ELSE 'WW' END";
    connection.execute(update, []).expect("another outcome");
    drop(connection);
    let again = evolve(lab.path(), &["--verify", "4"]);
    assert_eq!(again["digest"], found["digest"]);
    for one in again["verification"].as_array().expect("a list") {
        assert_eq!((&one["wins"], &one["losses"]), (&Value::from(7), &Value::from(1)), "{one}");
    }
    // More pairs are played in addition, and fewer take none away.
    let more = evolve(lab.path(), &["--verify", "6"]);
    assert_eq!(more["verification"][0]["pairs"], 6);
    assert!(more["verification"][0]["wins"].as_u64().expect("a number") >= 7);
    assert_eq!(evolve(lab.path(), &["--verify", "2"])["verification"][0]["pairs"], 6);
}

#[test]
fn what_is_stopped_in_the_middle_is_resumed() {
    let whole = tempfile::tempdir().expect("a directory");
    let found = evolve(whole.path(), &["--verify", "6"]);
    let whole = verification(whole.path(), id(&found));

    let lab = tempfile::tempdir().expect("a directory");
    evolve(lab.path(), &["--verify", "0"]);
    let store = Store::open(lab.path()).expect("a lab");
    let stop = AtomicBool::new(false);
    let executor = gamete_arena::Local::new(1).expect("a thread");
    let stopped = gamete_lab::verify(&store, id(&found), 6, &executor, &stop, |progress| {
        stop.store(progress.done >= 5, Ordering::Relaxed);
    });
    assert!(matches!(stopped, Err(VerificationError::Stopped)), "{stopped:?}");
    let list = LabView::new(&store).experiments().expect("a list");
    assert_eq!(list[0].state.to_string(), "not verified to the end");
    let part = store.verification(id(&found)).expect("a verification");
    let played = part[0].results.iter().flatten().count();
    assert!((1..6).contains(&played), "{played} pairs");
    assert!(!part[0].is_complete());
    let shown = gamete(["show", id(&found), "--lab", lab.path().to_str().expect("a path in UTF-8")]);
    assert!(shown.out.contains(" so far"), "{}", shown.out);
    drop(store);

    evolve(lab.path(), &["--verify", "6"]);
    assert_eq!(verification(lab.path(), id(&found)), whole);
}

#[test]
fn ctrl_c_leaves_a_finished_experiment_whose_verification_resumes() {
    let lab = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    // So many that they are not over before the signal.
    command.args(SMALL).arg(lab.path()).args(["--verify", "100000"]);
    let mut program = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a program to run");
    let begun = || {
        let store = Store::open(lab.path()).ok()?;
        let row = store.experiments().ok()?.pop()?;
        let played = store.verification(&row.id).ok()?.first()?.pairs().pairs();
        (played > 0).then_some(row)
    };
    let start = Instant::now();
    let row = loop {
        if let Some(row) = begun() {
            break row;
        }
        assert!(start.elapsed() < Duration::from_secs(300), "no pair was played");
        assert_eq!(program.try_wait().expect("a child"), None, "it ended");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(row.result.is_some(), "the experiment is finished");
    let interrupt = Command::new("kill").args(["-INT", &program.id().to_string()]).status().expect("kill");
    assert!(interrupt.success());
    assert_eq!(program.wait().expect("a child").code(), Some(130));
    assert!(lab.path().join(format!("{}.html", row.id)).exists(), "there is a report");
    let played = verification(lab.path(), &row.id)[0].results.iter().rposition(Option::is_some);
    let resumed = evolve(lab.path(), &["--verify", "1"]);
    assert_eq!(resumed["id"], row.id.as_str());
    let pairs = verification(lab.path(), &row.id)[0].pairs().pairs();
    assert_eq!(pairs as usize, played.expect("a pair") + 1, "all that were begun, and no more");
}

#[test]
fn a_study_has_a_line_for_each_arm_and_settings_have_none() {
    let lab = tempfile::tempdir().expect("a directory");
    let study = ["mutation-study", "--set", "replicates=2", "--verify", "2"];
    let arms = ["--set", "arms=[{name='half', set={scale=0.5}}, {name='one'}]"];
    let found = evolve(lab.path(), &[&study[..], &arms].concat());
    let names: Vec<String> = found["verification"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| format!("{} {}", one["champion"].as_str().unwrap(), one["opponent"].as_str().unwrap()))
        .collect();
    let id = id(&found);
    let model = "chess/kendall-whitwell";
    let arm = |name: &str| [format!("{id}/{name} {id}/{name}@0"), format!("{id}/{name} {model}")];
    assert_eq!(names, [arm("half"), arm("one")].concat());

    let lab = tempfile::tempdir().expect("a directory");
    let directory = lab.path().to_str().expect("a path in UTF-8");
    let run = gamete([
        "evolve",
        "mutation-scale",
        "--lab",
        directory,
        "--set",
        "population=3",
        "--set",
        "generations=1",
        "--set",
        "inner.population=3",
        "--set",
        "inner.generations=1",
        "--set",
        "inner.limits=depth=1",
    ]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(!run.out.contains("classical weights, "), "{}", run.out);
    let next =
        run.out.lines().find(|line| line.contains("gamete evolve kendall-whitwell ")).expect("a command");
    assert!(next.contains("--set 'limits=\"depth=1\"'") && next.contains(" --set scale="), "{next}");
}

/// Turns the tables of a lab with this one experiment into those of version 1: without verifications, and with populations
/// as text.
fn make_version_1(lab: &Path, id: &str) {
    let store = Store::open(lab).expect("a lab");
    let run = store.runs(id).expect("runs")[0].number;
    let generations = store.generations(run).expect("generations");
    drop(store);
    let connection = rusqlite::Connection::open(lab.join("lab.sqlite")).expect("a lab");
    let older = "ALTER TABLE experiment DROP COLUMN checksum; ALTER TABLE outcome DROP COLUMN checksum;
        DROP TABLE setting; DROP TABLE written; DROP TABLE verification_pair; DROP TABLE verification; DROP TABLE individual;
        ALTER TABLE generation DROP COLUMN size; ALTER TABLE generation ADD COLUMN population TEXT NOT NULL DEFAULT '';
        PRAGMA user_version = 1";
    connection.execute_batch(older).expect("older tables");
    for row in generations {
        let genomes: Vec<_> = row.population.into_iter().map(|one| one.genome).collect();
        let genomes = serde_json::to_string(&genomes).expect("plain data");
        let update = "UPDATE generation SET population = ?3 WHERE run = ?1 AND number = ?2";
        connection.execute(update, (run, row.summary.number, genomes)).expect("a population");
    }
}

#[test]
fn a_lab_from_before_there_were_verifications_is_read_and_grows_one() {
    let lab = tempfile::tempdir().expect("a directory");
    let directory = lab.path().to_str().expect("a path in UTF-8");
    let found = evolve(lab.path(), &["--verify", "2"]);
    make_version_1(lab.path(), id(&found));
    for args in [&["list"][..], &["show", id(&found)], &["report", id(&found)]] {
        let run = gamete(args.iter().copied().chain(["--lab", directory]));
        assert_eq!(run.status, Some(0), "{}", run.err);
    }
    assert_eq!(evolve(lab.path(), &["--verify", "2"])["verification"], found["verification"]);

    assert_eq!(gamete(["delete", id(&found), "--yes", "--lab", directory]).status, Some(0));
    let connection = rusqlite::Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    for table in ["verification", "verification_pair"] {
        let count = format!("SELECT count(*) FROM {table}");
        let left: i64 = connection.query_row(&count, [], |row| row.get(0)).expect("a number");
        assert_eq!(left, 0, "{table} goes with its experiment");
    }
}
