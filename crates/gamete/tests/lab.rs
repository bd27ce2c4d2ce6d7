//! What a lab has, from the command line: lists, names, exports, and what is asked before anything is deleted.

mod common;

use std::path::Path;

use common::{Run, gamete, gamete_reading};
use serde_json::Value;

/// Runs a command in a lab.
fn in_lab(lab: &Path, args: &[&str]) -> Run {
    let lab = lab.to_str().expect("a path in UTF-8");
    gamete(args.iter().copied().chain(["--lab", lab]))
}

/// Runs an experiment whose games are over at once, and gives what is told of it.
fn evolve(lab: &Path, args: &[&str]) -> Value {
    let small = ["evolve", "--json", "--set", "limits=depth=1", "--verify", "2"];
    let run = in_lab(lab, &[&small, args].concat());
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(&run.out).expect("one JSON object")
}

fn json(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(&run.out).expect("JSON")
}

fn id(found: &Value) -> &str {
    found["id"].as_str().expect("a name")
}

const TINY: [&str; 4] = ["--set", "population=3", "--set", "generations=2"];

/// Two arms with two replicates.
const STUDY: [&str; 9] = [
    "mutation-study",
    "--set",
    "population=3",
    "--set",
    "generations=1",
    "--set",
    "replicates=2",
    "--set",
    "arms=[{name='half', set={scale=0.5}}, {name='one', set={scale=1.0}}]",
];

#[test]
fn a_list_shows_what_tells_experiments_apart() {
    let lab = tempfile::tempdir().expect("a directory");
    let first = evolve(lab.path(), &TINY);
    let second = evolve(lab.path(), &[&TINY[..], &["--seed", "7", "--set", "scale=2"]].concat());
    let list = in_lab(lab.path(), &["list"]).out;
    let line = |id: &str| list.lines().find(|line| line.starts_with(id)).expect("a line").to_owned();
    let head = list.lines().next().expect("a head");
    for word in ["begun", "seed", "state", "Elo to start", "to classical", "set"] {
        assert!(head.contains(word), "{word}: {head}");
    }
    let (first, second) = (line(id(&first)), line(id(&second)));
    for words in ["  done  ", "generations=2", "population=3"] {
        assert!(first.contains(words) && second.contains(words), "{words}: {list}");
    }
    assert!(second.contains("scale=2.0") && !first.contains("scale="), "{list}");
    assert!(second.contains("     7  done"), "the seed: {list}");
    let year = first.split_whitespace().nth(1).expect("a date");
    assert!(year.len() == 10 && year.starts_with("20") && year.matches('-').count() == 2, "{year}");

    let all = json(&in_lab(lab.path(), &["list", "--json"]));
    assert_eq!(all[1]["set"][3], "scale=2.0", "{all}");
    assert_eq!(all[1]["state"], "done");
    assert_eq!(all[0]["verification"][0]["pairs"], 2);
}

#[test]
fn a_list_shows_how_far_an_experiment_is() {
    let lab = tempfile::tempdir().expect("a directory");
    evolve(lab.path(), &TINY);
    let connection = rusqlite::Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    connection.execute("UPDATE experiment SET result = NULL", []).expect("an unfinished experiment");
    connection.execute("DELETE FROM generation WHERE number = 2", []).expect("fewer generations");
    drop(connection);
    let list = in_lab(lab.path(), &["list"]).out;
    assert!(list.contains("  generation 1/2  "), "{list}");
}

#[test]
fn a_run_without_a_terminal_prints_how_far_it_is() {
    let lab = tempfile::tempdir().expect("a directory");
    let run =
        in_lab(lab.path(), &[&["evolve", "--set", "limits=depth=1", "--verify", "3"][..], &TINY].concat());
    let lines: Vec<&str> = run.err.lines().filter(|line| line.contains(" of 8 games (")).collect();
    assert!(
        lines.last().is_some_and(|line| line.starts_with("8 of 8 games (100 %): generation ")),
        "{}",
        run.err
    );
    assert!(run.err.contains("12 of 12 games (100 %): the champion against its start"), "{}", run.err);
    assert!(!run.err.contains('\r') && !run.err.contains('\u{1b}'), "{:?}", run.err);
}

#[test]
fn an_experiment_that_is_finished_has_nothing_left_to_play() {
    let lab = tempfile::tempdir().expect("a directory");
    let args = [&["evolve", "--set", "limits=depth=1", "--verify", "1"][..], &TINY].concat();
    let line = || {
        let run = in_lab(lab.path(), &args);
        run.out.lines().find(|line| line.starts_with("finished: ")).expect("a line").to_owned()
    };
    let first = line();
    assert!(first.starts_with("finished: 8 games in ") && first.contains(" per second"), "{first}");
    let again = line();
    assert!(
        again.starts_with("finished: 8 games in ") && again.ends_with(" s (nothing left to play)"),
        "{again}"
    );
}

#[test]
fn the_mean_of_an_arm_has_a_name() {
    let lab = tempfile::tempdir().expect("a directory");
    let found = evolve(lab.path(), &STUDY);
    let id = id(&found);
    let weights = |name: &str| {
        let run = in_lab(lab.path(), &["show", name, "--player"]);
        assert_eq!(run.status, Some(0), "{name}: {}", run.err);
        let table: toml::Table = run.out.parse().expect("a player file");
        let weights = table["weights"].as_table().expect("weights").clone();
        weights["rook"].as_float().expect("a number")
    };
    for at in ["", "@0", "@1"] {
        let runs = [1, 2].map(|replicate| weights(&format!("{id}/half/{replicate}{at}")));
        let mean = weights(&format!("{id}/half{at}"));
        assert!((mean - (runs[0] + runs[1]) / 2.0).abs() < 1e-9, "{mean} of {runs:?}");
    }
    let (half, one) = (format!("{id}/half"), format!("{id}/one"));
    let compared = json(&in_lab(lab.path(), &["compare", &half, &one, "--pairs", "2", "--json"]));
    assert_eq!(compared["first"], half.as_str());
    let unknown = in_lab(lab.path(), &["show", &format!("{id}/third"), "--player"]);
    assert!(unknown.err.contains("has no arm or run \"third\"; name one as in"), "{}", unknown.err);

    // Of replicates without arms the experiment itself has a start.
    let found = evolve(lab.path(), &[&TINY[..], &["--set", "replicates=2"]].concat());
    assert_eq!(found["verification"][0]["opponent"], format!("{}@0", found["id"].as_str().unwrap()));
}

#[test]
fn kept_games_are_exported_as_files_that_can_be_read() {
    let lab = tempfile::tempdir().expect("a directory");
    let found = evolve(lab.path(), &STUDY);
    let kept: usize = json(&in_lab(lab.path(), &["export", id(&found), "--json"]))["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["games"].as_array().expect("games").len())
        .sum();
    let file = lab.path().join("games.pgn");
    let path = file.to_str().expect("a path in UTF-8");
    let run = in_lab(lab.path(), &["export", id(&found), "--games", path]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let text = std::fs::read_to_string(&file).expect("a file");
    assert_eq!(text.matches("[Event ").count(), kept, "{text}");
    for words in
        [format!("[Event \"{}\"]", id(&found)), "[Run \"half/1\"]".to_owned(), "[Round \"1\"]".to_owned()]
    {
        assert!(text.contains(&words), "{words}: {text}");
    }
    let read = gamete(["convert", path, "-o", lab.path().join("again.pgn").to_str().expect("UTF-8")]);
    assert_eq!(read.status, Some(0), "every game replays: {}", read.err);

    let again = in_lab(lab.path(), &["export", id(&found), "--games", path]);
    let reason = "there is a file of this name; name another one, or say --force to replace it";
    assert!(again.status == Some(1) && again.err.contains(reason), "{}", again.err);
    std::fs::write(&file, "").expect("a file");
    let forced = in_lab(lab.path(), &["export", id(&found), "--games", path, "--force"]);
    assert_eq!(forced.status, Some(0), "{}", forced.err);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), text);

    let bare = in_lab(lab.path(), &["export", id(&found)]);
    assert!(bare.err.contains("<--csv|--json|--games <FILE>>"), "all formats are named: {}", bare.err);

    let other = in_lab(lab.path(), &["export", id(&found), "--games", "games.pdn"]);
    assert!(
        other.status == Some(1) && other.err.contains("its games are chess, not checkers"),
        "{}",
        other.err
    );
    let checkers = evolve(lab.path(), &[&TINY[..], &["--set", "model=checkers/material"]].concat());
    let printed = in_lab(lab.path(), &["export", id(&checkers), "--games", "-"]);
    assert!(printed.out.contains("[GameType \"21\"]") || printed.out.contains("1. "), "{}", printed.out);
}

#[test]
fn replicates_are_numbered_alike_everywhere() {
    let lab = tempfile::tempdir().expect("a directory");
    let found = evolve(lab.path(), &[&STUDY[..], &["--set", "playoff.classical=1"]].concat());
    let shown = json(&in_lab(lab.path(), &["show", id(&found), "--json"]));
    let exported = json(&in_lab(lab.path(), &["export", id(&found), "--json"]));
    let csv = in_lab(lab.path(), &["export", id(&found), "--csv"]).out;
    for conclusion in [&shown, &exported["result"]] {
        let champions = conclusion["champions"].as_array().expect("champions");
        for champion in champions {
            let run = champion["run"].as_str().expect("a run");
            assert_eq!(
                run,
                format!("{}/{}", champion["arm"].as_str().expect("an arm"), champion["replicate"])
            );
            // The run of this name has this champion, and CSV has a row of the same arm and replicate.
            let player = in_lab(lab.path(), &["show", &format!("{}/{run}", id(&found)), "--player"]).out;
            let genome = champion["genome"].as_array().expect("a genome");
            assert!(player.contains(&genome[0].to_string()), "{run}: {player}");
            assert!(csv.contains(&format!("\n{},", run.replace('/', ","))), "{run}: {csv}");
        }
        let runs: Vec<&str> = champions.iter().filter_map(|one| one["run"].as_str()).collect();
        assert_eq!(runs, ["half/1", "one/1", "half/2", "one/2"]);
        let playoffs = conclusion["playoffs"].as_array().expect("playoffs");
        assert_eq!(playoffs.iter().filter_map(|one| one["replicate"].as_u64()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(playoffs[0]["arms"], serde_json::json!(["half", "one"]));
        assert_eq!(conclusion["classical"][3]["run"], "one/2");
    }
}

#[test]
fn terminal_and_report_say_whom_they_show() {
    let lab = tempfile::tempdir().expect("a directory");
    let found = evolve(lab.path(), &TINY);
    let out = in_lab(lab.path(), &["show", id(&found)]).out;
    assert!(out.contains("\nchampion: the mean of its last population\n"), "{out}");
    assert!(out.contains("means of the population by generation"), "{out}");
    let report =
        |found: &Value| std::fs::read_to_string(found["report"].as_str().expect("a path")).expect("a report");
    assert!(report(&found).contains("The champion is the mean of its last population"));

    let study = evolve(lab.path(), &STUDY);
    let out = in_lab(lab.path(), &["show", id(&study)]).out;
    assert!(out.contains("mean of 4 champions, one for each run: the mean of its last population"), "{out}");

    let small = "survivors=2 children=2 opponents=1 generations=1";
    let small: Vec<&str> = small.split(' ').flat_map(|change| ["--set", change]).collect();
    let squares = evolve(lab.path(), &[&["piece-difference"], &small[..]].concat());
    let out = in_lab(lab.path(), &["show", id(&squares)]).out;
    assert!(out.contains("champion: the best of its last generation"), "{out}");
    assert!(out.contains("the boards of the report are means over the population"), "{out}");
    assert!(report(&squares).contains("have the champion. Black"), "the report says the same");
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let lab = tempfile::tempdir().expect("a directory");
    let found = evolve(lab.path(), &TINY);
    let directory = lab.path().to_str().expect("a path in UTF-8");
    // Nobody is at a terminal here, so an answer on the standard input does not count.
    let refused = gamete_reading(["delete", id(&found), "--lab", directory], b"y\n");
    assert_eq!(refused.status, Some(1));
    assert!(refused.err.contains("nothing was deleted") && refused.err.contains("--yes"), "{}", refused.err);
    assert_eq!(in_lab(lab.path(), &["show", id(&found)]).status, Some(0), "it is still there");
    let deleted = in_lab(lab.path(), &["delete", id(&found), "--yes"]);
    assert_eq!(deleted.status, Some(0), "{}", deleted.err);
    assert_eq!(in_lab(lab.path(), &["show", id(&found)]).status, Some(1));
}

#[test]
fn one_of_a_thing_is_not_many() {
    let lab = tempfile::tempdir().expect("a directory");
    let found =
        evolve(lab.path(), &["--set", "population=3", "--set", "generations=1", "--set", "replicates=1"]);
    let connection = rusqlite::Connection::open(lab.path().join("lab.sqlite")).expect("a lab");
    connection.execute("UPDATE experiment SET result = NULL", []).expect("an unfinished experiment");
    drop(connection);
    let out = in_lab(lab.path(), &["show", id(&found)]).out;
    assert!(out.contains("unfinished: 1 generation so far, in 1 run\n"), "{out}");
    let report = in_lab(lab.path(), &["report", id(&found), "-o", "-"]).out;
    assert!(report.contains("after 1 generation;"), "in the report too");
    assert!(!report.contains("1 generations") && !report.contains("1 runs"), "in the report too");
}

/// Names that could be those of runs or generations.
const ALIKE: &str = "population = 3\ngenerations = 1\nreplicates = 2\nlimits = 'depth=1'\nmax_moves = 20\n\
    [[arms]]\nname = 'x'\n[[arms]]\nname = 'x/1'\nset = { scale = 3.0 }\n\
    [[arms]]\nname = 'x@1'\nset = { scale = 2.0 }\n";

#[test]
fn arms_are_verified_whatever_they_are_called() {
    let lab = tempfile::tempdir().expect("a directory");
    let file = lab.path().join("alike.toml");
    std::fs::write(&file, ALIKE).expect("a file");
    let found = evolve(lab.path(), &[file.to_str().expect("a path in UTF-8")]);
    let matches = found["verification"].as_array().expect("a list");
    assert_eq!(matches.len(), 6, "{matches:?}");
    assert!(matches.iter().all(|one| one["pairs"] == 2), "{matches:?}");
    let id = id(&found);
    let player = |name: &str| {
        let run = in_lab(lab.path(), &["show", &format!("{id}/{name}"), "--player"]);
        assert_eq!(run.status, Some(0), "{name}: {}", run.err);
        run.out
    };
    assert_ne!(player("x@1"), player("x"), "the arm of that name");
    assert_ne!(player("x@0"), player("x"), "a generation");
    assert_ne!(player("x/1/2"), player("x/2"), "runs of two arms");
}
