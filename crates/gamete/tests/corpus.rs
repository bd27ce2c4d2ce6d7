//! `gamete corpus`: making, looking at and learning from files of positions.

mod common;

use common::{Run, folder, gamete};

const GAMES: &str = "[WhiteElo \"2700\"]\n[BlackElo \"2650\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. O-O b5 6. Bxf7+ Ke7 7. c3 Nf3+ 8. Nxf3 1-0\n\n\
    [WhiteElo \"2700\"]\n[BlackElo \"2400\"]\n[Result \"0-1\"]\n\n\
    1. f3 e5 2. g4 Nc6 3. a3 Nf6 4. a4 Be7 5. a5 O-O 6. a6 bxa6 0-1\n\n\
    [Result \"1/2-1/2\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Nf3 Be7 5. e3 O-O 1/2-1/2\n\n";

/// A corpus of the games in a folder, made with more options.
fn make(folder: &std::path::Path, name: &str, options: &[&str]) -> Run {
    std::fs::write(folder.join("games.pgn"), GAMES).expect("written");
    let [games, corpus] = ["games.pgn", name].map(|name| folder.join(name).display().to_string());
    gamete(["corpus", "make", &games, "-o", &corpus].iter().chain(options))
}

#[test]
fn a_corpus_is_made_looked_at_and_compared_with() {
    let folder = folder();
    let made = make(folder.path(), "a.corpus", &[]);
    assert_eq!((made.status, made.out.as_str()), (Some(0), ""), "{}", made.err);
    assert!(made.err.contains("1 games have no winner"), "{}", made.err);
    assert!(made.err.trim_end().ends_with("a.corpus: 2 positions"), "{}", made.err);
    let corpus = folder.path().join("a.corpus").display().to_string();
    let info = gamete(["corpus", "info", &corpus, "--json"]);
    let info: serde_json::Value = serde_json::from_str(&info.out).expect("JSON");
    assert_eq!((&info["train"], &info["test"], &info["game"]), (&1.into(), &1.into(), &"chess".into()));
    assert_eq!(info["files"][0]["name"], "games.pgn", "without the folder");
    let text = gamete(["corpus", "info", &corpus]);
    assert!(text.out.contains("2 (1 to learn from, 1 to test)"), "{}", text.out);
    let sample = gamete(["corpus", "sample", &corpus]);
    assert!(sample.out.contains("game 1, ") && sample.out.contains("played "), "{}", sample.out);
    assert!(gamete(["corpus", "check", &corpus]).out.contains("2 positions, all of them legal"));
    let score = gamete(["corpus", "score", &corpus, "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&score.out).expect("JSON");
    assert_eq!((&rows[0]["part"], &rows[1]["positions"]), (&"train".into(), &1.into()));
    let table = gamete(["corpus", "score", &corpus, "--player", "chess/material"]);
    assert!(table.out.lines().count() == 3 && table.out.contains("mean rank"), "{}", table.out);
    let kinds = gamete(["corpus", "score", &corpus, "--kinds"]);
    assert!(kinds.out.lines().count() >= 3 && kinds.err.is_empty(), "{}", kinds.out);
    for row in rows.as_array().expect("rows") {
        let found = &row["differences"];
        assert_eq!((&found["positions"], &found["hits"]), (&row["positions"], &row["hits"]));
        assert_eq!(found["by"][2]["property"], "piece");
    }
}

#[test]
fn the_same_games_and_seed_make_the_same_bytes() {
    let folder = folder();
    let bytes = |name: &str, options: &[&str]| {
        assert_eq!(make(folder.path(), name, options).status, Some(0));
        std::fs::read(folder.path().join(name)).expect("a corpus")
    };
    let one = bytes("one.corpus", &["--seed", "3"]);
    assert_eq!(one, bytes("two.corpus", &["--seed", "3"]));
    assert_ne!(one, bytes("three.corpus", &["--seed", "4"]));
}

#[test]
fn what_is_wrong_is_said_with_the_way_out() {
    let folder = folder();
    let error = |run: Run| {
        assert_eq!(run.status, Some(1), "{}{}", run.out, run.err);
        run.err.replace(&format!("{}/", folder.path().display()), "").trim_end().to_owned()
    };
    assert_eq!(
        error(make(folder.path(), "a.corpus", &["--min-rating", "2600", "--games", "2"])),
        "error: games that give positions: 1, asked for: 2; of 3 games 1 have no winner, \
         1 have a player without a rating of 2600: lower --min-rating or name more files"
    );
    assert!(!folder.path().join("a.corpus").exists(), "nothing is left of what failed");
    assert_eq!(make(folder.path(), "a.corpus", &[]).status, Some(0));
    let path = folder.path().join("a.corpus").display().to_string();
    assert_eq!(
        error(gamete(["corpus", "score", &path, "--player", "checkers/material"])),
        "error: --player checkers/material: it plays checkers, and a.corpus is of chess; name a player of that game"
    );
    let good = std::fs::read(&path).expect("a corpus");
    std::fs::write(&path, &good[..good.len() - 5]).expect("written");
    assert_eq!(
        error(gamete(["corpus", "info", &path])),
        "error: a.corpus: this corpus is damaged or cut short, as its hash shows; make it again"
    );
    std::fs::write(&path, "not a corpus at all").expect("written");
    assert_eq!(
        error(gamete(["corpus", "check", &path])),
        "error: a.corpus: this is no corpus; `gamete corpus make` makes one"
    );
    assert_eq!(
        error(make(folder.path(), "a.corpus", &[])),
        "error: a.corpus: this file is there and is no corpus; name another one, or remove it"
    );
    assert!(error(make(folder.path(), "games.pgn", &[])).contains("games.pgn: this file is there"));
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(make(folder.path(), "a.corpus", &["--take", "results", "--skip-plies", "0"]).status, Some(0));
    assert_eq!(
        error(gamete(["corpus", "score", &path])),
        "error: a.corpus: this corpus was made with --take results; experts take one made with --take experts"
    );
    std::fs::write(&path, "").expect("written");
    assert!(error(gamete(["corpus", "check", &path])).starts_with("error: a.corpus: "));
}
