//! The lab when things go wrong around it: kills, other processes, disks, damaged files and experiments that cannot be.

mod common;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{Run, gamete};
use rusqlite::Connection;
use serde_json::Value;

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Runs the program, which must come to an end.
fn evolve(lab: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(["evolve", "--verify", "0", "--lab"]).arg(lab).args(args);
    run(&mut command)
}

/// Runs a program, which must come to an end.
fn run(command: &mut Command) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program to run");
    let [out, err] = [read(child.stdout.take()), read(child.stderr.take())];
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("a child") {
            Some(status) => break status,
            None if start.elapsed() > Duration::from_secs(300) => {
                let _ = child.kill();
                panic!("{command:?} hangs: {}", err.join().expect("text"));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    Run { status: status.code(), out: out.join().expect("text"), err: err.join().expect("text") }
}

fn read(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    let mut pipe = pipe.expect("a pipe");
    std::thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("text");
        text
    })
}

fn json(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(&run.out).expect("one JSON object")
}

fn refused(run: &Run, words: &str) {
    assert_eq!(run.status, Some(1), "{}{}", run.out, run.err);
    assert!(run.err.contains(words) && run.err.lines().count() <= 3, "{}", run.err);
}

/// An experiment file in the directory of a lab.
fn file(lab: &Path, name: &str, content: &str) -> String {
    let path = lab.join(format!("{name}.toml"));
    std::fs::write(&path, content).expect("a file");
    text(&path).to_owned()
}

const SMALL: [&str; 5] = ["--set", "population=4", "--set", "generations=2", "--json"];

/// A number of a lab, as soon as it is there.
fn number(lab: &Path, sql: &str) -> Option<f64> {
    let path = lab.join("lab.sqlite");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(path, flags).ok()?;
    connection.busy_timeout(Duration::from_secs(60)).ok()?;
    connection.query_row(sql, [], |row| row.get(0)).ok()
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

#[test]
fn the_running_time_survives_kills_and_a_budget_of_seconds_ends() {
    const BUDGET: f64 = 8.0;
    let lab = tempfile::tempdir().expect("a directory");
    let experiment = "population = 4\ngenerations = 0\nseconds = 8\nlimits = 'depth=2'\nmax_moves = 40\n";
    let path = file(lab.path(), "timed", experiment);
    let stored = || number(lab.path(), "SELECT seconds FROM experiment").unwrap_or(0.0);
    let (mut seconds, mut killed, mut early) = (0.0, 0, 0);
    let start = Instant::now();
    let status = loop {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command
            .args(["evolve", &path, "--verify", "0", "--lab"])
            .arg(lab.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut program = command.spawn().expect("a program to run");
        let ended = loop {
            assert!(start.elapsed() < Duration::from_secs(240), "{seconds} s after {killed} kills");
            if let Some(status) = program.try_wait().expect("a child") {
                break Some(status);
            }
            if stored() > seconds + 0.25 {
                break None;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        if let Some(status) = ended {
            break status;
        }
        signal(&program, if killed % 2 == 0 { "KILL" } else { "TERM" });
        program.wait().expect("a child");
        killed += 1;
        let now = stored();
        assert!(now > seconds, "{seconds} s before a session, {now} s after it");
        seconds = now;
        // A time that is stored at the end only is that of the whole budget.
        early += u32::from(now < BUDGET);
    };
    assert!(status.success(), "{status}");
    assert!(early > 0, "{killed} kills, none of them before the end");
    let total = stored();
    assert!(total >= seconds && total >= BUDGET, "{seconds} s, then {total} s");
    let connection = Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    let sql = "SELECT json_extract(summary, '$.seconds') FROM generation ORDER BY number";
    let mut select = connection.prepare(sql).expect("generations");
    let times: Vec<f64> = select.query_map([], |row| row.get(0)).expect("times").flatten().collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.last().is_some_and(|&last| last <= total), "{times:?} in {total} s");
    eprintln!("{killed} kills, {} generations in {total:.1} s", times.len());
}

#[test]
fn many_processes_make_one_new_lab() {
    for round in 0..4 {
        let lab = tempfile::tempdir().expect("a directory");
        let path = lab.path().join("new");
        let start = |seed: u32| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
            command.args(["evolve", "--verify", "0", "--lab"]).arg(&path).args(["--seed", &seed.to_string()]);
            command.args(["--set", "population=2", "--set", "generations=1", "--set", "max_moves=1"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a program to run")
        };
        let programs: Vec<Child> = (1..=8).map(start).collect();
        for program in programs {
            let Output { status, stderr, .. } = program.wait_with_output().expect("a program that ends");
            assert!(status.success(), "round {round}: {}", String::from_utf8_lossy(&stderr));
        }
        assert_eq!(number(&path, "SELECT count(*) FROM experiment WHERE result IS NOT NULL"), Some(8.0));
    }
}

#[test]
fn damaged_rows_are_refused() {
    let lab = tempfile::tempdir().expect("a directory");
    json(&evolve(lab.path(), &SMALL));
    let connection = Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    connection.execute("UPDATE outcome SET number = -5 WHERE number = 3", []).expect("damage");
    connection.execute("UPDATE experiment SET result = NULL", []).expect("an unfinished experiment");
    drop(connection);
    refused(&evolve(lab.path(), &SMALL), "damaged: an outcome of run 1 has the number -5");
    let connection = Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    connection.execute("UPDATE outcome SET number = 900000000000 WHERE number = -5", []).expect("damage");
    refused(&evolve(lab.path(), &SMALL), "the checksum of outcome 900000000000 of run 1 does not fit");
    connection.execute("DELETE FROM outcome WHERE number = 900000000000", []).expect("no damage any more");
    // As rows of version 0.1 are.
    connection
        .execute("UPDATE outcome SET checksum = NULL WHERE number < 3", [])
        .expect("rows without a checksum");
    drop(connection);
    json(&evolve(lab.path(), &SMALL));
}

const META: &str = "method = 'meta-evolution'\npopulation = 4\ngenerations = 3\n\
    inner.population = 3\ninner.generations = 1\ninner.limits = 'depth=1'\ninner.max_moves = 20\n";

#[test]
fn weights_can_be_genes_of_a_meta_evolution() {
    let lab = tempfile::tempdir().expect("a directory");
    let path =
        file(lab.path(), "meta", &format!("{META}genes = {{ 'weights.pawn' = [0, 1], scale = [0, 1] }}\n"));
    let found = json(&evolve(lab.path(), &[&path, "--json"]));
    assert!(found["champion"]["weights.pawn"].is_number(), "{found}");
}

#[test]
fn meta_genes_stay_where_their_keys_can_be() {
    let lab = tempfile::tempdir().expect("a directory");
    let content = format!("{META}scale = 50\ngenes = {{ convergence = [0, 0.9], scale = [-900, 900] }}\n");
    let path = file(lab.path(), "bounded", &content);
    let id = json(&evolve(lab.path(), &[&path, "--json"]))["id"].as_str().expect("a name").to_owned();
    let all: Value = serde_json::from_str(&gamete(["export", &id, "--json", "--lab", text(lab.path())]).out)
        .expect("JSON");
    let generations = all["runs"][0]["generations"].as_array().expect("generations");
    let genomes = generations.iter().flat_map(|row| row["population"].as_array().expect("genomes"));
    let genomes: Vec<[f64; 2]> =
        genomes.map(|one| [0, 1].map(|gene| one[gene].as_f64().expect("a number"))).collect();
    for [convergence, scale] in &genomes {
        assert!((0.0..=0.999).contains(convergence) && (-1000.0..=1000.0).contains(scale), "{genomes:?}");
    }
    assert!(
        genomes.iter().any(|one| one[0] == 0.0 || one[1].abs() == 1000.0),
        "nothing left its range: {genomes:?}"
    );
    let refuse = |genes: &str, words: &str| {
        let path = file(lab.path(), "refused", &format!("{META}genes = {{ {genes} }}\n"));
        refused(&evolve(lab.path(), &[&path]), words);
    };
    refuse("seconds = [1, 2]", "genes.seconds: ");
    refuse("convergence = [0, 3]", "genes.");
    refuse("scale = [0, 2000]", "genes.scale: 2000: give a number from -1000 to 1000");
}

#[test]
fn populations_of_other_weights_are_refused_in_arms_and_inner_experiments() {
    let lab = tempfile::tempdir().expect("a directory");
    let first =
        file(lab.path(), "first", "population = 4\ngenerations = 1\nlimits = 'depth=1'\nmax_moves = 5\n");
    assert_eq!(json(&evolve(lab.path(), &[&first, "--json"]))["id"], "first-1");
    let small = "population = 4\ngenerations = 1\nlimits = 'depth=1'\nmax_moves = 5\n";
    let arms = |arms: &str| file(lab.path(), "arms", &format!("{small}arms = [{{ name = 'a' }}, {arms}]\n"));
    let path = arms("{ name = 'b', set = { from = 'first-1', weights = { pawn = 1 } } }");
    refused(
        &evolve(lab.path(), &[&path]),
        "arms.b.set.from: first-1 is of another game, model or choice of weights",
    );
    let path = arms("{ name = 'c', set = { from = 'first-1', model = 'chess/material' } }");
    refused(&evolve(lab.path(), &[&path]), "arms.c.set.from: first-1 is of another game");
    let path = arms("{ name = 'd', set = { from = 'first-1' } }");
    assert_eq!(evolve(lab.path(), &[&path]).status, Some(0));
    let meta = format!("{META}genes.scale = [0, 1]\ninner.from = 'first-1'\n");
    let path = file(lab.path(), "meta", &format!("{meta}inner.weights.pawn = 1\n"));
    refused(
        &evolve(lab.path(), &[&path]),
        "inner.from: first-1 is of another game, model or choice of weights",
    );
    let path = file(lab.path(), "gene", &format!("{meta}genes.'weights.pawn' = [0, 1]\n"));
    refused(
        &evolve(lab.path(), &[&path]),
        "inner.from: first-1 is of another game, model or choice of weights",
    );
    let path = file(lab.path(), "same", &meta);
    assert_eq!(evolve(lab.path(), &[&path]).status, Some(0));
}

#[test]
fn threads_that_cannot_be_made_are_an_error() {
    let lab = tempfile::tempdir().expect("a directory");
    let within = |kilobytes: u64| {
        let mut command = Command::new("sh");
        let limit = format!("ulimit -v {kilobytes}; exec \"$@\"");
        command.args(["-c", &limit, "sh", env!("CARGO_BIN_EXE_gamete"), "evolve"]);
        command.args(SMALL).args(["--concurrency", "200", "--lab"]).arg(lab.path());
        run(&mut command)
    };
    // The program itself takes some of it, which is not the same for every build, and where that is missing it is killed or not loaded
    // (127). A thread takes 64 MB.
    let mut limits = (60_000..).step_by(20_000).map(within);
    let run = limits.find(|run| run.status.is_some_and(|status| status != 127)).expect("a limit");
    refused(&run, "a thread cannot be made");
    json(&evolve(lab.path(), &SMALL));
}

#[test]
fn numbers_without_bounds_are_refused() {
    let lab = tempfile::tempdir().expect("a directory");
    let most = "1000000000000";
    for (preset, key, range) in [
        ("kendall-whitwell", "population", "2 to 100000"),
        ("kendall-whitwell", "generations", "0 to 4294967295"),
        ("kendall-whitwell", "replicates", "1 to 100000"),
        ("kendall-whitwell", "max_moves", "1 to 100000"),
        ("piece-difference", "survivors", "1 to 100000"),
        ("piece-difference", "children", "1 to 100000"),
        ("piece-difference", "opponents", "1 to 100000"),
        ("mutation-study", "replicates", "1 to 100000"),
        ("mutation-study", "playoff.pairs", "0 to 1000000"),
        ("mutation-study", "playoff.classical", "0 to 1000000"),
        ("mutation-study", "playoff.plies", "0 to 40"),
        ("mutation-scale", "inner.population", "2 to 100000"),
        ("mutation-scale", "inner.generations", "0 to 4294967295"),
    ] {
        for number in [most, "-1"] {
            let run = evolve(lab.path(), &[preset, "--set", &format!("{key}={number}")]);
            refused(&run, &format!("{key}: {number}: give a whole number from {range}"));
        }
    }
    let parents = evolve(lab.path(), &["quick-tournament", "--set", &format!("parents=[2, {most}]")]);
    refused(&parents, &format!("parents: [2, {most}]: give two whole numbers from 1 to 1000"));
    let many = ["survivors=100000", "children=100000", "opponents=99999"];
    let many: Vec<&str> = many.iter().flat_map(|change| ["--set", change]).collect();
    refused(&evolve(lab.path(), &[&["piece-difference"], &many[..]].concat()), "games in a generation");
    let study = evolve(lab.path(), &["mutation-study", "--set", "replicates=100000"]);
    refused(&study, "replicates: 100000: with 4 arms that are 600000 runs or play-offs");
    // What is large but can be is still an experiment.
    for change in ["generations=4294967295", "games=9223372036854775807", "population=100000"] {
        assert_eq!(evolve(lab.path(), &["--set", change, "--print"]).status, Some(0), "{change}");
    }
}

/// Arms whose play-offs and runs would have the same paths.
const ALIKE: &str = "population = 2\ngenerations = 1\nreplicates = 2\nlimits = 'depth=1'\nmax_moves = 8\n\
    playoff = { pairs = 2, classical = 2 }\n\
    arms = [{ name = 'x' }, { name = 'y - z', set.max_moves = 9 }, { name = 'x - y', set.max_moves = 10 }, \
    { name = 'z', set.max_moves = 11 }, { name = 'classical x', set.max_moves = 12 }, \
    { name = 'playoff 1/x - z', set.max_moves = 13 }, { name = 'z/1', set.max_moves = 14 }, { name = '1' }, \
    { name = 'x/1@2', set.max_moves = 15 }]\n";

#[test]
fn arms_of_any_name_can_be_resumed() {
    let lab = tempfile::tempdir().expect("a directory");
    let path = file(lab.path(), "alike", ALIKE);
    let whole = json(&evolve(lab.path(), &[&path, "--json"]));
    let finish = |sql: &str| {
        let connection = Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
        connection.execute_batch(sql).expect("an unfinished experiment");
    };
    for sql in [
        "UPDATE experiment SET result = NULL",
        "UPDATE experiment SET result = NULL; DELETE FROM outcome WHERE run % 3 = 0 AND number > 0",
        "UPDATE experiment SET result = NULL; DELETE FROM outcome WHERE number % 2 = 1",
    ] {
        finish(sql);
        let resumed = json(&evolve(lab.path(), &[&path, "--json"]));
        assert_eq!([&whole["digest"], &whole["games"]], [&resumed["digest"], &resumed["games"]], "{sql}");
    }
    let runs = number(lab.path(), "SELECT count(*) FROM run").expect("runs");
    assert_eq!(runs, 1.0 + 2.0 * (9.0 + 36.0 + 9.0), "every run has a path of its own");
    for arm in ["x", "y - z", "classical x", "playoff 1/x - z", "z/1", "1", "x/1@2"] {
        let side = format!("alike-1/{arm}/2");
        let shown = gamete(["show", &side, "--player", "--lab", text(lab.path())]);
        assert_eq!(shown.status, Some(0), "{side}: {}", shown.err);
    }
}
