//! The lab from the command line: the same bytes whatever happens, and clear words when something is wrong.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Run, gamete};
use gamete_arena::Rng;
use serde_json::Value;

fn evolve(lab: &Path, args: &[&str]) -> Run {
    let lab = lab.to_str().expect("a path in UTF-8");
    gamete(["evolve", "--verify", "0"].into_iter().chain(args.iter().copied()).chain(["--lab", lab]))
}

/// Starts the program and leaves it running.
fn start(lab: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command
        .args(["evolve", "--verify", "0", "--lab"])
        .arg(lab)
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("a program to run")
}

fn json(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(&run.out).expect("one JSON object")
}

const SMALL: [&str; 5] = ["--set", "population=6", "--set", "generations=3", "--json"];

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let digests = ["1", "2", "7"].map(|threads| {
        let lab = tempfile::tempdir().expect("a directory");
        let found = json(&evolve(lab.path(), &[&SMALL[..], &["--concurrency", threads]].concat()));
        assert_eq!(found["games"], 30);
        assert_eq!(found["champion"].as_object().expect("names and values").len(), 6);
        found["digest"].to_string()
    });
    assert_eq!(digests[0], digests[1]);
    assert_eq!(digests[0], digests[2]);
    let lab = tempfile::tempdir().expect("a directory");
    let other = json(&evolve(lab.path(), &[&SMALL[..], &["--seed", "2"]].concat()));
    assert_ne!(other["digest"].to_string(), digests[0]);
}

/// Runs an experiment, killed at random moments, until it comes to its end.
fn with_kills(args: &[&str], kills: u32, seed: u64) -> (Value, u32) {
    let lab = tempfile::tempdir().expect("a directory");
    let mut rng = Rng::new(seed);
    let mut landed = 0;
    for _ in 0..kills {
        let mut program = start(lab.path(), &[args, &["--concurrency", "2"]].concat());
        std::thread::sleep(Duration::from_millis(20 + rng.below(150)));
        if program.try_wait().expect("a child").is_none() {
            landed += 1;
        }
        // SIGKILL.
        let _ = program.kill();
        program.wait().expect("a child");
    }
    (json(&evolve(lab.path(), args)), landed)
}

fn kills() -> u32 {
    if std::env::var_os("GAMETE_FULL").is_some() { 100 } else { 20 }
}

#[test]
fn kills_change_nothing() {
    let size =
        if kills() > 20 { ["population=20", "generations=20"] } else { ["population=12", "generations=8"] };
    let args = ["--set", size[0], "--set", size[1], "--json"];
    let lab = tempfile::tempdir().expect("a directory");
    let whole = json(&evolve(lab.path(), &args));
    let (resumed, landed) = with_kills(&args, kills(), 1);
    assert!(landed > 0, "no kill came before the end");
    for key in ["id", "champion", "digest", "games"] {
        assert_eq!(whole[key], resumed[key]);
    }
    eprintln!("{landed} kills before the end");
}

#[test]
fn kills_of_a_study_change_nothing() {
    let size =
        if kills() > 20 { ["population=10", "replicates=4"] } else { ["population=5", "replicates=2"] };
    let args = ["mutation-study", "--set", size[0], "--set", size[1], "--set", "generations=4", "--json"];
    let lab = tempfile::tempdir().expect("a directory");
    let whole = json(&evolve(lab.path(), &[&args[..], &["--concurrency", "1"]].concat()));
    let (resumed, landed) = with_kills(&args, kills(), 2);
    assert!(landed > 0, "no kill came before the end");
    for key in ["id", "champion", "digest", "games"] {
        assert_eq!(whole[key], resumed[key]);
    }
}

#[test]
fn evolution_of_evolutions_repeats_too() {
    let args = [
        "mutation-scale",
        "--set",
        "population=3",
        "--set",
        "generations=2",
        "--set",
        "inner.population=4",
        "--set",
        "inner.generations=2",
        "--json",
    ];
    let runs = ["1", "3"].map(|threads| {
        let lab = tempfile::tempdir().expect("a directory");
        json(&evolve(lab.path(), &[&args[..], &["--concurrency", threads]].concat()))
    });
    assert_eq!(runs[0]["digest"], runs[1]["digest"]);
    assert_eq!(runs[0]["games"], runs[1]["games"]);
    let (resumed, _) = with_kills(&args, 5, 3);
    assert_eq!(runs[0]["digest"], resumed["digest"]);
}

const QUICK: [&str; 8] = [
    "quick-tournament",
    "--set",
    "population=8",
    "--set",
    "generations=6",
    "--set",
    "limits=nodes=300",
    "--json",
];

const STRATEGY: [&str; 12] = [
    "piece-difference",
    "--set",
    "survivors=6",
    "--set",
    "children=6",
    "--set",
    "generations=12",
    "--set",
    "opponents=3",
    "--set",
    "limits=depth=4",
    "--json",
];

#[test]
fn genetic_algorithms_and_strategies_repeat_too() {
    for (args, seed) in [(&QUICK[..], 4), (&STRATEGY[..], 5)] {
        let runs = ["1", "2", "7"].map(|threads| {
            let lab = tempfile::tempdir().expect("a directory");
            json(&evolve(lab.path(), &[args, &["--concurrency", threads]].concat()))
        });
        let (resumed, _) = with_kills(args, kills() / 2, seed);
        for other in [&runs[1], &runs[2], &resumed] {
            assert_eq!(runs[0]["digest"], other["digest"]);
            assert_eq!(runs[0]["games"], other["games"]);
        }
    }
}

/// Two arms that think differently, their champions at equal limits and against the classical weights.
const MEASURED: [&str; 16] = [
    "quick-tournament-study",
    "--set",
    "arms=[{name='short', set={limits='nodes=100'}}, {name='long', set={limits='nodes=200'}}]",
    "--set",
    "population=4",
    "--set",
    "generations=2",
    "--set",
    "replicates=2",
    "--set",
    "playoff.pairs=2",
    "--set",
    "playoff.classical=3",
    "--set",
    "playoff.limits=nodes=150",
    "--json",
];

#[test]
fn champions_are_measured_by_the_classical_weights() {
    let lab = tempfile::tempdir().expect("a directory");
    let whole = json(&evolve(lab.path(), &MEASURED));
    let (resumed, _) = with_kills(&MEASURED, 5, 4);
    assert_eq!(whole["digest"], resumed["digest"]);
    let id = whole["id"].as_str().expect("a name");
    let directory = lab.path().to_str().expect("a path in UTF-8");
    let shown = json(&gamete(["show", id, "--lab", directory, "--json"]));
    let classical = shown["classical"].as_array().expect("a list");
    assert_eq!(classical.len(), 4, "a champion for each arm and replicate");
    assert!(classical.iter().all(|one| one["scores"].as_array().is_some_and(|scores| scores.len() == 3)));
    assert!(gamete(["show", id, "--lab", directory]).out.contains("Elo to classical"));
}

/// Arms with other models, weights and limits than the file's own.
const UNLIKE: &str = "method = 'quick-tournament'\nmodel = 'chess/material'\npreset = 'full'\nlimits = 'nodes=60'\n\
    population = 3\ngenerations = 1\nplayoff.limits = 'nodes=50'\n\
    [[arms]]\nname = 'free'\n[[arms]]\nname = 'pinned'\nset = { weights = { pawn = 1000 } }\n\
    [[arms]]\nname = 'phased'\nset = { model = 'chess/material-phased', limits = 'nodes=70' }\n";

#[test]
fn champions_of_arms_are_players_of_their_own() {
    let lab = tempfile::tempdir().expect("a directory");
    let directory = lab.path().to_str().expect("a path in UTF-8");
    let file = lab.path().join("unlike.toml");
    std::fs::write(&file, UNLIKE).expect("a file");
    json(&evolve(lab.path(), &[file.to_str().expect("a path in UTF-8"), "--json"]));
    let player = |side: &str| gamete(["show", side, "--lab", directory, "--player"]).out;
    assert!(player("unlike-1/pinned/1").contains("pawn = 1000\n"), "{}", player("unlike-1/pinned/1"));
    assert!(player("unlike-1/phased/1").contains("model = \"chess/material-phased\""));
    assert_ne!(player("unlike-1/free/1"), player("unlike-1/free/1@0"), "the first, and the mean of all");
    let compare = |one: &str, other: &str| {
        gamete(["compare", one, other, "--lab", directory, "--pairs", "1", "--json"])
    };
    for (one, other, limits) in
        [("phased", "pinned", "nodes=70"), ("pinned", "free", "nodes=60"), ("free", "phased@1", "nodes=60")]
    {
        let (one, other) = match other.split_once('@') {
            Some((other, number)) => (format!("unlike-1/{one}/1"), format!("unlike-1/{other}/1@{number}")),
            None => (format!("unlike-1/{one}/1"), format!("unlike-1/{other}/1")),
        };
        assert_eq!(json(&compare(&one, &other))["limits"], limits, "{one} {other}");
    }
    // What evolved can be read again, though its weights are neither whole nor in their ranges.
    let champion = lab.path().join("champion.toml");
    std::fs::write(&champion, player("unlike-1/phased/1")).expect("a file");
    json(&compare("unlike-1/free/1", champion.to_str().expect("a path in UTF-8")));

    let error = |side: &str| compare(side, "chess/material").err;
    assert!(error("unlike-1@0").contains("is a study; name one of its runs, as in unlike-1/free/1"));
    assert!(
        error("unlike-1/none/1").contains("has no arm or run \"none/1\"; name one as in unlike-1/free/1")
    );
    assert!(error("unlike-1/free/1@9").contains("the last generation is 1"));
}

#[test]
fn the_same_changes_are_the_same_experiment() {
    let lab = tempfile::tempdir().expect("a directory");
    let id = |changes: &[&str]| {
        let mut args = vec!["--set", "generations=1", "--json"];
        args.extend(changes.iter().flat_map(|change| ["--set", change]));
        json(&evolve(lab.path(), &args))["id"].to_string()
    };
    let small = id(&["population=3"]);
    assert_eq!(id(&["population=9", "population=3"]), small);
    assert_eq!(id(&["population=3", "limits=\"depth=2\"", "scale=1"]), small, "defaults change nothing");
    assert_ne!(id(&["population=4"]), small);
}

#[test]
fn an_experiment_can_begin_where_another_ended() {
    let lab = tempfile::tempdir().expect("a directory");
    let small = |from: &str| format!("from={from}");
    let first = json(&evolve(lab.path(), &SMALL));
    let id = first["id"].as_str().expect("a name");
    let from = small(id);
    let args = [&SMALL[..], &["--set", &from]].concat();
    let second = json(&evolve(lab.path(), &args));
    assert_ne!(first["digest"], second["digest"]);
    let path = lab.path().to_str().expect("UTF-8");
    let export = |id: &str| -> Value {
        serde_json::from_str(&gamete(["export", id, "--json", "--lab", path]).out).expect("JSON")
    };
    let all = [id, second["id"].as_str().expect("a name")].map(export);
    let generation = |all: &Value, number: usize| all["runs"][0]["generations"][number]["population"].clone();
    assert_eq!(generation(&all[0], 3), generation(&all[1], 0));
    // What it began with is in its own journal.
    assert_eq!(gamete(["delete", id, "--lab", path, "--yes"]).status, Some(0));
    assert_eq!(json(&evolve(lab.path(), &args))["digest"], second["digest"]);
    let nobody = evolve(lab.path(), &[&SMALL[..], &["--set", "from=nobody"]].concat());
    assert!(nobody.status == Some(1) && nobody.err.contains("no experiment \"nobody\""), "{}", nobody.err);

    let other = json(&evolve(lab.path(), &QUICK));
    let from = small(other["id"].as_str().expect("a name"));
    let refused = evolve(lab.path(), &[&SMALL[..], &["--set", &from]].concat());
    assert!(refused.status == Some(1) && refused.err.contains("another game, model"), "{}", refused.err);

    let refused = |from: &str, words: &str| {
        let run = evolve(lab.path(), &[&SMALL[..], &["--set", &small(from)]].concat());
        assert!(run.status == Some(1) && run.err.contains(words), "{}", run.err);
    };
    let study = json(&evolve(lab.path(), &[&SMALL[..], &["--set", "replicates=2"]].concat()));
    refused(study["id"].as_str().expect("a name"), "is a study of several runs");
    let connection = rusqlite::Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    connection.execute("UPDATE experiment SET result = NULL", []).expect("unfinished experiments");
    drop(connection);
    refused(second["id"].as_str().expect("a name"), "is not finished");
}

#[test]
fn ctrl_c_stops_and_the_same_command_goes_on() {
    let lab = tempfile::tempdir().expect("a directory");
    let args = ["--set", "population=12", "--set", "generations=8", "--json"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(["evolve", "--lab"]).arg(lab.path()).args(args).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut program = command.spawn().expect("a program to run");
    // From its first words on it listens.
    let mut told = BufReader::new(program.stderr.take().expect("a pipe")).lines();
    told.next().expect("a line").expect("text");
    let interrupt = Command::new("kill").args(["-INT", &program.id().to_string()]).status().expect("kill");
    let status = program.wait().expect("a child");
    if interrupt.success() {
        assert!(matches!(status.code(), Some(130 | 0)), "{status}");
    }
    let resumed = json(&evolve(lab.path(), &args));
    let other = tempfile::tempdir().expect("a directory");
    assert_eq!(resumed["digest"], json(&evolve(other.path(), &args))["digest"]);
}

#[test]
fn what_was_found_can_be_listed_shown_exported_compared_and_deleted() {
    let lab = tempfile::tempdir().expect("a directory");
    let found = json(&evolve(lab.path(), &SMALL));
    let id = found["id"].as_str().expect("a name").to_owned();
    let path = lab.path().to_str().expect("UTF-8");
    let with_lab = |args: &[&str]| gamete(args.iter().copied().chain(["--lab", path]));

    let list = with_lab(&["list"]);
    assert!(list.out.contains(&id) && list.out.contains("piece values"), "{}", list.out);
    let show = with_lab(&["show", &id]);
    assert!(show.out.contains("queen") && show.out.contains("classical"), "{}", show.out);
    let file = with_lab(&["show", &id, "--file"]);
    assert!(file.out.contains("population = 6") && file.out.contains("win_loser = 2.0"), "{}", file.out);

    let csv = with_lab(&["export", &id, "--csv"]);
    assert_eq!(csv.out.lines().count(), 1 + 4 * 6, "{}", csv.out);
    let all: Value = serde_json::from_str(&with_lab(&["export", &id, "--json"]).out).expect("JSON");
    assert_eq!(all["runs"][0]["generations"][3]["population"].as_array().expect("a population").len(), 6);
    assert_eq!(all["runs"][0]["games"].as_array().expect("games").len(), 6);

    let player = with_lab(&["show", &id, "--player"]);
    let champion = lab.path().join("champion.toml");
    std::fs::write(&champion, player.out).expect("a file");
    let compare = with_lab(&[
        "compare",
        &id,
        champion.to_str().expect("UTF-8"),
        "--pairs",
        "4",
        "--limits",
        "depth=1",
        "--json",
    ]);
    let compare: Value = serde_json::from_str(&compare.out).unwrap_or_else(|_| panic!("{}", compare.err));
    assert_eq!(compare["elo"].as_f64(), Some(0.0), "a player against itself, from both sides");

    assert_eq!(with_lab(&["delete", &id, "--yes"]).status, Some(0));
    let gone = with_lab(&["show", &id]);
    assert_eq!(gone.status, Some(1));
    assert!(gone.err.contains("no experiment"), "{}", gone.err);
}

#[test]
fn a_file_with_every_default_is_the_same_experiment() {
    let lab = tempfile::tempdir().expect("a directory");
    let whole = gamete(["evolve", "mutation-study", "--print"]);
    let file = lab.path().join("mutation-study.toml");
    std::fs::write(&file, &whole.out).expect("a file");
    let again = gamete(["evolve", file.to_str().expect("UTF-8"), "--print"]);
    assert_eq!(whole.out, again.out);
    assert!(whole.out.contains("name = \"s=0.25\""), "{}", whole.out);
}

#[test]
fn an_experiment_from_before_a_key_came_into_being_goes_on() {
    let lab = tempfile::tempdir().expect("a directory");
    let whole = json(&evolve(lab.path(), &SMALL));
    let connection = rusqlite::Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    let file: String =
        connection.query_row("SELECT file FROM experiment", [], |row| row.get(0)).expect("a file");
    let older: String =
        file.lines().filter(|line| !line.starts_with("draw_rules")).map(|line| format!("{line}\n")).collect();
    assert!(older.len() < file.len(), "the key is in {file}");
    connection.execute("UPDATE experiment SET file = ?1, result = NULL", [&older]).expect("an older lab");
    drop(connection);
    assert_eq!(json(&evolve(lab.path(), &SMALL))["digest"], whole["digest"]);
}

#[test]
fn an_experiment_that_changed_is_refused() {
    let lab = tempfile::tempdir().expect("a directory");
    let file = lab.path().join("mine.toml");
    let write = |population: u32| {
        std::fs::write(&file, format!("population = {population}\ngenerations = 1\nlimits = 'depth=1'\n"))
            .expect("a file");
    };
    let path = file.to_str().expect("UTF-8");
    write(4);
    let first = json(&evolve(lab.path(), &[path, "--json"]));
    write(5);
    let refused = evolve(lab.path(), &[path, "--json"]);
    assert_eq!(refused.status, Some(1));
    assert!(refused.err.contains("population was 4, and is now 5"), "{}", refused.err);
    write(4);
    assert_eq!(json(&evolve(lab.path(), &[path, "--json"]))["digest"], first["digest"]);
}

#[test]
fn two_processes_do_not_run_one_experiment() {
    let lab = tempfile::tempdir().expect("a directory");
    let args = ["--set", "population=40", "--set", "generations=50"];
    let mut first = start(lab.path(), &args);
    // There is a lock, and somebody has it.
    let lock = || {
        std::fs::read_dir(lab.path()).is_ok_and(|files| {
            let mut locks =
                files.flatten().filter(|file| file.file_name().to_string_lossy().ends_with(".lock"));
            locks.any(|lock| File::open(lock.path()).is_ok_and(|file| file.try_lock().is_err()))
        })
    };
    while !lock() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = evolve(lab.path(), &args);
    let _ = first.kill();
    first.wait().expect("a child");
    assert_eq!(second.status, Some(1));
    assert!(second.err.contains("is being run by another process"), "{}", second.err);
}

#[test]
fn bad_experiments_are_refused_in_words() {
    let lab = tempfile::tempdir().expect("a directory");
    let refused = |args: &[&str]| {
        let run = evolve(lab.path(), args);
        assert_eq!(run.status, Some(1), "{args:?}: {}", run.err);
        run.err
    };
    let has = |args: &[&str], words: &str| {
        let err = refused(args);
        assert!(err.contains(words), "{args:?}: {err}");
    };
    has(&["kendal-whitwell"], "did you mean \"kendall-whitwell\"?");
    has(&["--set", "popluation=12"], "unknown key \"popluation\"; did you mean \"population\"?");
    has(
        &["--set", "mutation.edge_looser=1"],
        "unknown key \"mutation.edge_looser\"; did you mean \"mutation.edge_loser\"?",
    );
    has(&["--set", "population=1"], "population: 1: give a whole number from 2 to 100000");
    has(&["--set", "population=twelve"], "population: \"twelve\": give a whole number from 2 to 100000");
    has(
        &["--set", "weights.pawn=[3, 1]"],
        "weights.pawn: [3, 1]: the smaller number comes first, as in [1, 3]",
    );
    has(&["--set", "weights.pwan=[0, 1]"], "did you mean \"weights.pawn\"?");
    has(&["--set", "model=chess/materiel"], "did you mean \"chess/material\"?");
    has(&["--set", "preset=papper"], "did you mean \"paper\"?");
    has(&["--set", "limits=depht=2"], "did you mean \"depth\"?");
    has(&["--set", "generations=0"], "or it never ends");
    has(&["--set", "nonsense"], "write it as key=value");
    has(&["--set", "method=simplexx"], "unknown method");
    has(&["mutation-study", "--set", "arms=[{name='a', set={seed=3}}]"], "the same for all arms");
    has(&["quick-tournament", "--set", "population=2"], "leave nobody between");
    has(&["quick-tournament", "--set", "parents=[4, 2]"], "the smaller first");
    has(&["piece-difference", "--set", "opponents=100"], "give from 1 to 99");
    has(&["piece-difference", "--set", "selection=komma"], "selection");
    has(&["--set", "noise=0.1"], "players of chess have no noise");
    has(&["--set", "max_moves=0"], "max_moves: 0: give a whole number from 1 to 100000");
    has(&["--set", "weights.pawn=abc"], "a number that it keeps, or [smallest, largest]");
    has(&["mutation-study", "--set", "playoff.pairs=1000000000"], "give a whole number from 0 to 1000000");
    has(&["mutation-study", "--set", "playoff.plies=41"], "give a whole number from 0 to 40");
    has(&["piece-difference", "--set", "step=-1"], "give a number from 0 up");
    has(&["--set", "draw_rules=false"], "chess is not played without them");
    has(&["quick-tournament", "--set", "weights.pawn=nan"], "weights.pawn: NaN: give a finite number");
    has(&["mutation-study", "--set", "playoff.limits=nods=3"], "nods");
    has(&["--set", "weights.pawn=[-1e300, 1e300]"], "weights.pawn: -1e300: give a number from -1e100 to");
    has(&["mutation-scale", "--set", "genes.sclae=[0,1]"], "unknown key \"genes.sclae\"");
    assert!(!lab.path().join("lab.sqlite").exists(), "nothing is made for what cannot be run");
}

#[test]
fn bad_labs_are_refused_and_left_alone() {
    let lab = tempfile::tempdir().expect("a directory");
    let file = lab.path().join("lab.sqlite");
    std::fs::write(&file, "this is no database, but a letter to a friend\n".repeat(30)).expect("a file");
    let run = evolve(lab.path(), &SMALL);
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("this is not a lab of Gamete"), "{}", run.err);
    assert!(std::fs::read_to_string(&file).expect("the letter").starts_with("this is no database"));

    let path = lab.path().join("newer");
    json(&evolve(&path, &SMALL));
    let connection = rusqlite::Connection::open(path.join("lab.sqlite")).expect("a lab");
    connection.pragma_update(None, "user_version", 99).expect("a newer lab");
    drop(connection);
    let run = evolve(&path, &SMALL);
    assert!(run.err.contains("made by a newer Gamete (version 99"), "{}", run.err);

    let run = evolve(&file, &SMALL);
    assert!(run.status == Some(1) && run.err.contains("name another directory with --lab"), "{}", run.err);
    let run = gamete(["list", "--lab", lab.path().join("nowhere").to_str().expect("UTF-8")]);
    assert!(run.status == Some(1) && run.err.contains("there is no lab here"), "{}", run.err);
}

#[test]
fn weights_that_grow_beyond_all_numbers_end_a_run_in_words() {
    let lab = tempfile::tempdir().expect("a directory");
    let words = "model=checkers/material limits=depth=1 max_moves=3 scale=1000 population=6 generations=400";
    let args: Vec<&str> = words.split_whitespace().flat_map(|change| ["--set", change]).collect();
    let run = evolve(lab.path(), &args);
    assert!(run.status == Some(1) && run.err.contains("a weight is no longer finite"), "{}", run.err);
    // Here weights are finite, but not their deviation.
    let run = evolve(lab.path(), &[&QUICK[..], &["--set", "mutation_sd=1e300"]].concat());
    assert!(run.status == Some(1) && run.err.contains("a weight is no longer finite"), "{}", run.err);
}
