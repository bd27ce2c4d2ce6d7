//! Connect four through every command: what one line in the list of games is enough for.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, gamete, gamete_reading};
use serde_json::Value;

fn done(run: Run) -> Run {
    assert_eq!(run.status, Some(0), "{}{}", run.out, run.err);
    run
}

#[test]
fn perft_counts_as_published() {
    let run = done(gamete(["perft", "--game", "connect-four", "--json", "7"]));
    let report: Value = serde_json::from_str(&run.out).expect("one JSON object");
    assert_eq!(report["nodes"], 823_536);
    let run = done(gamete(["perft", "--divide", "--fen", "xxx/ooo///// x", "1"]));
    assert!(run.out.starts_with("a: 1\nb: 1\n") && run.out.contains("Nodes: 7"), "{}", run.out);
    let run = gamete(["perft", "--game", "connect-four", "--chess960", "1"]);
    assert!(run.status == Some(2) || run.err.contains("--chess960 is for chess"), "{}", run.err);
}

#[test]
fn a_board_is_drawn_and_a_game_played() {
    let run = done(gamete(["show-board", "//x/xo/// o"]));
    assert!(run.out.contains(" a  b  c  d  e  f  g"), "{}", run.out);
    assert!(run.out.contains("Black to move, 7 legal moves"), "{}", run.out);

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.c4");
    let file = file.to_str().expect("a plain path");
    let args = ["play", "--game", "connect-four", "--white", "human", "--black", "human", "--save", file];
    let run = done(gamete_reading(args, b"d\na\nd\na\n9\nd\na\n4\n"));
    assert!(run.out.contains("White wins") || run.out.contains("1-0"), "{}", run.out);
    assert!(run.out.contains("moves are like d or 4"), "{}", run.out);
    let text = fs::read_to_string(file).expect("a saved game");
    assert!(text.contains("1. d a 2. d a 3. d a 4. d 1-0"), "{text}");

    let args = ["play", "--game", "connect-four", "--black", "human", "--white", "connect-four/lines"];
    let run = done(gamete_reading(args.into_iter().chain(["--depth", "4", "--moves", "2"]), b"a\nb\n"));
    assert!(run.out.contains("connect-four/lines (White)"), "{}", run.out);
    let wrong = gamete(["play", "--game", "connect-four", "--save", "game.pgn"]);
    assert!(
        wrong.err.contains("games of connect-four are saved as C4; name a file that ends in .c4"),
        "{}",
        wrong.err
    );
}

#[test]
fn a_match_is_played_from_random_openings() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain path").to_owned();
    let (games, journal) = (path("games.c4"), path("match.db"));
    let pgnout = format!("file={games}");
    let run = done(gamete([
        "match",
        "-engine",
        "model=connect-four/lines",
        "name=A",
        "-engine",
        "model=connect-four/lines",
        "weight.three=0",
        "weight.two=0",
        "name=B",
        "-each",
        "depth=4",
        "-rounds",
        "10",
        "-srand",
        "1",
        "-pgnout",
        &pgnout,
        "-journal",
        &journal,
    ]));
    assert!(run.out.contains("Games: 20"), "{}", run.out);
    let text = fs::read_to_string(&games).expect("the games");
    assert_eq!(text.matches("[Variant \"connect-four\"]").count(), 20);
    assert!(text.contains("wins by connection"), "{text}");
    let wrong = gamete([
        "match",
        "-engine",
        "model=connect-four/lines",
        "-engine",
        "model=chess/classic",
        "-each",
        "depth=1",
    ]);
    assert!(wrong.err.contains("plays chess, not connect-four"), "{}", wrong.err);
}

fn evolve(lab: &Path, name: &str, text: &str) -> Value {
    let file = lab.join(format!("{name}.toml"));
    fs::write(&file, text).expect("a file");
    let (file, lab) = (file.to_str().expect("a plain path"), lab.to_str().expect("a plain path"));
    let run = done(gamete(["evolve", file, "--lab", lab, "--verify", "4", "--json"]));
    serde_json::from_str(&run.out).expect("one JSON object")
}

#[test]
fn every_method_evolves_it() {
    let lab = tempfile::tempdir().expect("a lab");
    let model = "model = 'connect-four/lines'\nlimits = 'depth=3'\n";
    for (name, text) in [
        ("population", format!("method = 'kendall-whitwell'\npopulation = 4\ngenerations = 3\n{model}")),
        ("tournament", format!("method = 'quick-tournament'\npopulation = 4\ngenerations = 2\n{model}")),
        (
            "optimize",
            format!(
                "method = 'optimize'\noptimizer = 'ga'\nobjective = 'match'\ngenerations = 2\n{model}\
                 [ga]\npopulation = 4\n[match]\npairs = 1\n"
            ),
        ),
        (
            "strategy",
            format!(
                "method = 'evolution-strategy'\nsurvivors = 3\nchildren = 3\ngenerations = 2\nnoise = 0.05\n{model}"
            ),
        ),
    ] {
        let found = evolve(lab.path(), name, &text);
        let champion = found["champion"].as_object().expect("weights");
        if name == "tournament" {
            let file = done(gamete([
                "show",
                "tournament-1",
                "--file",
                "--lab",
                lab.path().to_str().expect("UTF-8"),
            ]));
            assert!(file.out.contains("mutation_sd = 0.05\n"), "a step that fits the ranges: {}", file.out);
            assert!(
                champion.values().all(|weight| weight.as_f64().is_some_and(|weight| weight.abs() < 3.0)),
                "{found}"
            );
        }
        assert_eq!(champion.keys().collect::<Vec<_>>(), ["middle", "one", "three", "two"], "{name}");
    }
}

#[test]
fn it_is_the_inner_game_of_a_meta_evolution() {
    let lab = tempfile::tempdir().expect("a lab");
    let inner = "[inner]\nmethod = 'kendall-whitwell'\nmodel = 'connect-four/lines'\nlimits = 'depth=2'\npopulation = 4\ngenerations = 2\n";
    let text = format!(
        "method = 'meta-evolution'\npopulation = 3\ngenerations = 2\n[genes]\nscale = [0, 2]\n{inner}"
    );
    let found = evolve(lab.path(), "meta", &text);
    assert!(found["champion"].is_object());
    let next = found["next"][0].as_str().expect("a command");
    assert!(
        next.starts_with("gamete evolve kendall-whitwell --set 'model=\"connect-four/lines\"' --set scale="),
        "{next}"
    );
}

#[test]
fn its_games_are_in_the_report_and_exported_and_its_champion_compared() {
    let lab = tempfile::tempdir().expect("a lab");
    let directory = lab.path().to_str().expect("a plain path");
    let text = "method = 'kendall-whitwell'\npopulation = 4\ngenerations = 3\nmodel = 'connect-four/lines'\nlimits = 'depth=3'\n";
    let found = evolve(lab.path(), "four", text);
    let id = found["id"].as_str().expect("an id");

    let html = fs::read_to_string(found["report"].as_str().expect("a path")).expect("a report");
    assert!(html.contains("\"game\":\"connect-four\""), "a game to replay");
    assert!(html.contains("\"columns\":7,\"shades\":\"xxxxxxx"), "its board");
    assert!(html.contains("\"column_labels\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\"]"), "its labels");

    let file = lab.path().join("games.c4");
    done(gamete(["export", id, "--lab", directory, "--games", file.to_str().expect("a plain path")]));
    let games = fs::read_to_string(&file).expect("games");
    assert!(games.contains("[Variant \"connect-four\"]") && games.contains("1. "), "{games}");

    let run = done(gamete(["compare", id, "connect-four/lines", "--lab", directory, "--pairs", "4"]));
    assert!(run.out.contains("connect-four/lines"), "{}", run.out);
}

#[test]
fn the_features_of_a_model_are_asked_for_by_its_name() {
    let run = done(gamete(["models", "connect-four/lines", "--fen", "///x/// o"]));
    for line in ["one", "middle"] {
        assert!(run.out.lines().any(|text| text.trim_start().starts_with(line)), "{}", run.out);
    }
    let run =
        done(gamete(["models", "chess/material", "--fen", "4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1", "--json"]));
    let features: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(features["pawn"], 4.0);
    let run = done(gamete(["models", "chess/tapered", "--fen", "4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1"]));
    assert!(run.out.starts_with("pawn_eg ") && run.out.lines().count() < 100, "{}", run.out);
    assert!(run.out.ends_with(" others that multiply 0\n"), "{}", run.out);
    let wrong = gamete(["models", "chess/material", "--fen", "///x/// o"]);
    assert_ne!(wrong.status, Some(0));
}
