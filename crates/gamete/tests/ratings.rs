//! `gamete ratings`: players of journals and game files on one scale.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, gamete};
use serde_json::Value;

fn ok(run: Run) -> String {
    assert_eq!(run.status, Some(0), "{}", run.err);
    run.out
}

/// Writes a file of games between two players: wins, draws and losses of the first, who has White.
fn games(folder: &Path, file: &str, players: [&str; 2], results: [usize; 3]) -> String {
    let mut text = String::new();
    for (result, count) in ["1-0", "1/2-1/2", "0-1"].iter().zip(results) {
        let [white, black] = players;
        let game =
            format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n");
        text.push_str(&game.repeat(count));
    }
    let path = folder.join(file);
    fs::write(&path, text).expect("a file");
    path.to_str().expect("a path in UTF-8").to_owned()
}

fn ratings(words: &[&str]) -> Vec<Value> {
    let run = gamete(["ratings", "--json"].iter().chain(words).copied());
    serde_json::from_str(&ok(run)).expect("a list")
}

fn names(list: &[Value]) -> Vec<&str> {
    list.iter().map(|one| one["name"].as_str().expect("a name")).collect()
}

#[test]
fn journals_and_game_files_are_one_table() {
    let folder = tempfile::tempdir().expect("a directory");
    let journal = folder.path().join("m.db");
    let journal = journal.to_str().expect("a path in UTF-8");
    let words = "match -engine model=chess/classic name=A -engine model=chess/material name=B -each nodes=30 -srand 3 \
        -maxmoves 20 -rounds 4 -journal";
    ok(gamete(words.split_whitespace().chain([journal])));
    let file = games(folder.path(), "more.pgn", ["B", "C"], [6, 2, 2]);
    let list = ratings(&[journal, &file, "--anchor", "B=2000"]);
    assert_eq!(list.len(), 3);
    let of = |name: &str| list.iter().find(|one| one["name"] == name).expect("a player");
    assert_eq!((&of("B")["elo"], &of("B")["margin"]), (&2000.0.into(), &0.0.into()));
    assert_eq!(["A", "B", "C"].map(|name| of(name)["games"].as_u64()), [Some(8), Some(18), Some(10)]);
    assert_eq!(
        [&of("C")["wins"], &of("C")["draws"], &of("C")["losses"]].map(Value::as_u64),
        [2, 2, 6].map(Some)
    );
    assert_eq!((&of("C")["points"], &of("C")["score"]), (&3.0.into(), &0.3.into()));
    let c = of("C")["elo"].as_f64().expect("a number");
    assert!((1800.0..2000.0).contains(&c), "{c}");
    let table = ok(gamete(["ratings", &file]));
    assert!(table.starts_with("Rank Name      Elo     +/-   Games   Score    LOS"), "{table}");
    assert!(table.contains("7/10") && table.contains("3/10"), "{table}");
}

#[test]
fn whoever_has_a_name_in_two_files_is_one_player() {
    let folder = tempfile::tempdir().expect("a directory");
    let first = games(folder.path(), "a.pgn", ["A", "B"], [5, 0, 1]);
    let second = games(folder.path(), "b.pgn", ["C", "B"], [1, 0, 5]);
    assert_eq!(names(&ratings(&[&first, &second])), ["A", "B", "C"]);
}

#[test]
fn what_cannot_be_rated_is_named() {
    let folder = tempfile::tempdir().expect("a directory");
    let first = games(folder.path(), "a.pgn", ["A", "B"], [1, 1, 1]);
    let second = games(folder.path(), "b.pgn", ["C", "D"], [1, 1, 1]);
    let empty = games(folder.path(), "c.pgn", ["C", "D"], [0, 0, 0]);
    let refused = |words: &[&str]| {
        let run = gamete(["ratings"].iter().chain(words).copied());
        assert_eq!(run.status, Some(1), "{}", run.out);
        run.err
    };
    assert!(refused(&[&first, &second]).contains("no games connect A with C"));
    assert!(refused(&[&empty]).contains("c.pgn: no games in it"));
    assert!(refused(&["nothing.txt"]).contains("nothing.txt: this is no journal of a match"));
    assert!(refused(&["nothing.db"]).contains("nothing.db: there is no such file"));
    assert!(refused(&[&first, "--anchor", "Nobody"]).contains("nobody is called \"Nobody\"; A, B"));
    assert!(refused(&[&first, "--anchor", "A=x"]).contains("\"x\" is not a rating"));
    let indirect = folder.path().join(".").join("a.pgn");
    let indirect = indirect.to_str().expect("a path in UTF-8");
    assert!(refused(&[&first, indirect]).contains("a.pgn: it is given twice"));
    let journal = games(folder.path(), "a.pgn.db", ["A", "B"], [1, 1, 1]);
    assert!(refused(&[&journal, &first]).contains("a.pgn.db have the games of one match"));
    let bad = folder.path().join("bad.pgn");
    let text = fs::read_to_string(&first).expect("a file").replacen("1. e4", "1. e5", 1);
    fs::write(&bad, format!("{text}[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n")).expect("a file");
    let run = gamete(["ratings", bad.to_str().expect("a path in UTF-8")]);
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("bad.pgn: game 1, line") && run.err.contains("1 game left out"), "{}", run.err);
    assert!(run.out.contains("1.5/2"), "{}", run.out);
}

#[test]
fn games_against_oneself_are_left_out_and_counted() {
    let folder = tempfile::tempdir().expect("a directory");
    let first = games(folder.path(), "a.pgn", ["A", "B"], [1, 1, 1]);
    let own = games(folder.path(), "own.pgn", ["C", "C"], [2, 0, 0]);
    let run = gamete(["ratings", &first, &own]);
    assert!(run.err.contains("2 games left out"), "{}", run.err);
    assert!(!ok(run).contains(" C "));
}

#[test]
fn a_table_has_no_more_players_than_can_be_rated() {
    let folder = tempfile::tempdir().expect("a directory");
    let game =
        |number: usize| format!("[White \"A\"]\n[Black \"B{number}\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n");
    let path = folder.path().join("many.pgn");
    fs::write(&path, (0..1000).map(game).collect::<String>()).expect("a file");
    let run = gamete(["ratings", path.to_str().expect("a path in UTF-8")]);
    assert_eq!(run.status, Some(1), "{}", run.out);
    assert!(run.err.contains("players are more than the 1000 of a table"), "{}", run.err);
}
