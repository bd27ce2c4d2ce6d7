//! Matches are runs: listed, shown, reported, exported, resumed and deleted as experiments are.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Run, folder, run_match};

const PLAYERS: &str = "-engine model=chess/classic name=A -engine model=chess/material name=B";

fn gamete_in(folder: &Path, words: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.current_dir(folder).args(words.split_whitespace());
    Run::new(command.output().expect("a program to run"))
}

fn ok(run: Run) -> String {
    assert_eq!(run.status, Some(0), "{}", run.err);
    run.out
}

fn json(run: Run) -> serde_json::Value {
    serde_json::from_str(&ok(run)).expect("JSON")
}

/// A folder with a match of 12 games, and what it ended with.
fn played(more: &str) -> (tempfile::TempDir, String) {
    let folder = folder();
    let words = format!("{PLAYERS} -each depth=1 -rounds 6 -srand 5 -pgnout games.pgn {more}");
    let out = ok(run_match(folder.path(), &words));
    (folder, out)
}

#[test]
fn a_match_is_shown_as_it_ended() {
    let (folder, out) = played("");
    let shown = ok(gamete_in(folder.path(), "show games.pgn.db"));
    assert!(
        shown.starts_with("games.pgn.db: A vs B\nchess, seed 5, depth=1, 1t, random openings, begun "),
        "{shown}"
    );
    assert!(shown.contains(" s, finished\n") && shown.contains("How games ended:\n"), "{shown}");
    let result = out.lines().find(|line| line.starts_with("Games: ")).expect("a result");
    assert!(shown.contains(result), "{shown}");
    let found = json(gamete_in(folder.path(), "show games.pgn.db --json"));
    assert_eq!(
        (&found["games"], &found["finished"], &found["state"]),
        (&12.into(), &true.into(), &"done".into())
    );
    assert_eq!(found["contestants"][0]["name"], "A");
    let ended: u64 =
        found["terminations"].as_array().unwrap().iter().map(|one| one["games"].as_u64().unwrap()).sum();
    assert_eq!(ended, 12);
    let file = json(gamete_in(folder.path(), "show games.pgn.db --file"));
    assert_eq!((&file["srand"], &file["games"]), (&5.into(), &2.into()));
    let player = gamete_in(folder.path(), "show games.pgn.db --player");
    assert!(player.status == Some(1) && player.err.contains("a match breeds no player"), "{}", player.err);
}

#[test]
fn matches_of_the_directory_are_listed() {
    let (folder, _) = played("");
    let listed = ok(gamete_in(folder.path(), "list"));
    assert!(listed.starts_with("match ") && listed.contains("games.pgn.db  "), "{listed}");
    assert!(listed.contains("done") && listed.trim_end().ends_with("A vs B"), "{listed}");
    let found = json(gamete_in(folder.path(), "list --json"));
    assert_eq!((&found[0]["kind"], &found[0]["id"]), (&"match".into(), &"games.pgn.db".into()));
    ok(gamete_in(folder.path(), "evolve --set population=3 --set generations=1 --verify 0 --lab gamete-lab"));
    let found = json(gamete_in(folder.path(), "list --json"));
    let kinds: Vec<_> = found.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["experiment", "match"]);
    let listed = ok(gamete_in(folder.path(), "list"));
    assert!(listed.starts_with("id ") && listed.contains("\n\nmatch "), "{listed}");
    std::fs::write(folder.path().join("other.db"), "no journal").expect("a file");
    assert_eq!(ok(gamete_in(folder.path(), "list")), listed);
}

#[test]
fn a_match_has_a_report() {
    let (folder, _) = played("-sprt elo0=0 elo1=400");
    assert_eq!(ok(gamete_in(folder.path(), "report games.pgn.db")), "games.pgn.html\n");
    let html = std::fs::read_to_string(folder.path().join("games.pgn.html")).expect("a report");
    for words in
        ["A against B", "id=\"standings\"", "id=\"history\"", "id=\"terminations\"", "id=\"replays\"", "LLR"]
    {
        assert!(html.contains(words), "{words}");
    }
    assert!(html.contains("gamete match -engine model=chess/classic"), "the command to play it again");
    assert!(!html.contains("<script src") && !html.contains("http://"), "it needs nothing else");
    let three = format!(
        "{PLAYERS} -engine model=chess/kendall-whitwell name=C -each depth=1 -rounds 2 -srand 1 -journal t.db"
    );
    ok(run_match(folder.path(), &three));
    let html = ok(gamete_in(folder.path(), "report t.db -o -"));
    assert!(html.contains("id=\"table\"") && html.contains("3 players: A, B, C"));
}

#[test]
fn a_match_is_exported() {
    let (folder, _) = played("");
    ok(gamete_in(folder.path(), "export games.pgn.db --games all.pgn"));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("games");
    assert_eq!(read("all.pgn"), read("games.pgn"), "the games as the match wrote them");
    let again = gamete_in(folder.path(), "export games.pgn.db --games all.pgn");
    assert!(again.status == Some(1) && again.err.contains("--force"), "{}", again.err);
    let csv = ok(gamete_in(folder.path(), "export games.pgn.db --csv"));
    assert_eq!(csv.lines().count(), 13);
    assert!(csv.lines().nth(1).is_some_and(|line| line.starts_with("1,1,A,B,")), "{csv}");
    let all = json(gamete_in(folder.path(), "export games.pgn.db --json"));
    assert_eq!(all["all_games"].as_array().map(Vec::len), Some(12));
    assert_eq!(all["configuration"]["event"], "Gamete match");
}

#[test]
fn a_journal_instead_of_options_resumes_the_match() {
    let (whole, _) = played("");
    let folder = folder();
    let words = format!("{PLAYERS} -each depth=1 -rounds 3 -srand 5 -pgnout sub/games.pgn -fresh");
    std::fs::create_dir(folder.path().join("sub")).expect("a folder");
    ok(run_match(folder.path(), &words));
    // The same match for longer, which is begun and then taken up by its journal.
    let longer = words.replace("-rounds 3", "-rounds 6").replace(" -fresh", "");
    ok(run_match(folder.path(), &longer));
    let database = rusqlite::Connection::open(folder.path().join("sub/games.pgn.db")).expect("a journal");
    let games: i64 =
        database.query_row("SELECT count(*) FROM outcome", [], |row| row.get(0)).expect("a number");
    assert_eq!(games, 12);
    drop(database);
    for (place, journal) in [("", "sub/games.pgn.db"), ("sub", "games.pgn.db")] {
        let again = ok(gamete_in(&folder.path().join(place), &format!("match {journal}")));
        assert!(again.contains("which has 12 of 12 games") && !again.contains("Started game"), "{again}");
    }
    let read = |path: &Path| std::fs::read(path).expect("games");
    assert!(read(&folder.path().join("sub/games.pgn")) == read(&whole.path().join("games.pgn")));
    assert!(!folder.path().join("sub/sub").exists(), "paths start where they were typed");
    std::fs::create_dir(folder.path().join("moved")).expect("a folder");
    std::fs::rename(folder.path().join("sub"), folder.path().join("moved/sub")).expect("a move");
    let moved = ok(gamete_in(folder.path(), "match moved/sub/games.pgn.db"));
    assert!(moved.contains("which has 12 of 12 games"), "{moved}");
    assert!(!folder.path().join("sub").exists(), "the games were found where they were moved to");
    let nothing = gamete_in(folder.path(), "match nothing.db");
    assert!(
        nothing.status == Some(1) && nothing.err.contains("nothing.db: there is no such file"),
        "{}",
        nothing.err
    );
}

#[test]
fn a_journal_is_deleted_like_an_experiment() {
    let (folder, _) = played("");
    let asked = gamete_in(folder.path(), "delete games.pgn.db");
    assert!(asked.status == Some(1) && asked.err.contains("--yes"), "{}", asked.err);
    assert_eq!(ok(gamete_in(folder.path(), "delete games.pgn.db --yes")), "deleted games.pgn.db\n");
    assert!(!folder.path().join("games.pgn.db").exists() && folder.path().join("games.pgn").exists());
    std::fs::write(folder.path().join("other.db"), "something else").expect("a file");
    let other = gamete_in(folder.path(), "delete other.db --yes");
    assert!(other.status == Some(1) && folder.path().join("other.db").exists(), "{}", other.err);
    let gone = gamete_in(folder.path(), "show games.pgn.db");
    assert!(gone.status == Some(1) && gone.err.contains("there is no such file"), "{}", gone.err);
}

#[test]
fn damaged_journals_are_refused_in_words() {
    let (folder, _) = played("");
    let path = folder.path().join("games.pgn.db");
    let database = rusqlite::Connection::open(&path).expect("a journal");
    database.execute("UPDATE outcome SET answer = replace(answer, 'e4', 'd4')", []).expect("damage");
    drop(database);
    for words in
        ["show games.pgn.db", "report games.pgn.db", "export games.pgn.db --csv", "match games.pgn.db"]
    {
        let run = gamete_in(folder.path(), words);
        assert_eq!((run.status, run.out.as_str()), (Some(1), ""), "{words}");
        assert!(run.err.contains("games.pgn.db: the journal is damaged: game "), "{words}: {}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    }
    let listed = gamete_in(folder.path(), "list");
    assert!(listed.err.contains("the journal is damaged"), "{}", listed.err);
    assert_eq!(gamete_in(folder.path(), "delete games.pgn.db --yes").status, Some(0));
}
