//! Labs and journals that earlier versions wrote are read, shown and resumed.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use common::{Run, gamete};

/// Unpacks a file of an older version.
fn unpack(asset: &str, path: &Path) {
    let asset = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assets").join(asset);
    let packed = fs::read(asset).expect("a file of the project");
    fs::write(path, zstd::decode_all(packed.as_slice()).expect("packed data")).expect("a file");
}

/// A lab with four finished experiments, and `half-1`, which was killed in its third generation.
fn lab() -> tempfile::TempDir {
    let lab = tempfile::tempdir().expect("a directory");
    unpack("lab-0.1.sqlite.zst", &lab.path().join("lab.sqlite"));
    lab
}

fn ok(run: Run) -> String {
    assert_eq!(run.status, Some(0), "{}", run.err);
    run.out
}

fn json(run: Run) -> serde_json::Value {
    serde_json::from_str(&ok(run)).expect("one JSON object")
}

const HALF: &str = "about = 'begun with version 0.1 and killed'\nmethod = 'kendall-whitwell'\npopulation = 6\n\
    generations = 6\nmodel = 'chess/kendall-whitwell'\nlimits = 'depth=2'\nmax_moves = 60\n";

#[test]
fn an_experiment_of_version_0_1_is_resumed_to_the_same_digest() {
    let lab = lab();
    let directory = lab.path().to_str().expect("a path in UTF-8");
    let file = lab.path().join("half.toml");
    fs::write(&file, HALF).expect("a file");
    let file = file.to_str().expect("a path in UTF-8");
    let before = ok(gamete(["list", "--lab", directory]));
    assert!(before.contains("generation 2/6"), "{before}");
    let found = json(gamete(["evolve", file, "--lab", directory, "--verify", "0", "--json"]));
    assert_eq!(found["digest"], "7d22f776f5662970796910b6be6bb05f74baa83b89857f0f3df016f53c1bc430");
    assert_eq!(found["id"], "half-1");
    assert_eq!(found["games"], 60);
}

#[test]
fn experiments_of_version_0_1_are_shown_reported_and_exported() {
    let lab = lab();
    let directory = lab.path().to_str().expect("a path in UTF-8");
    let digests = [
        ("kendall-whitwell-1-d06c5a", "77f0e512da1bcb016dcfe701ad2636c959baf7a18464a8b88173206315ac16ec"),
        ("study-1", "0c0419c09655592c6714bde09318032e4d9c1bab22f2d117f372014294512ec5"),
        ("quick-tournament-1-18c1ab", "d71b7433e2c371c979abb1018c51d215dc373c75165f226da83d5685f6a44370"),
        (
            "piece-difference-symmetric-1-c823c1",
            "ca266b877aa053ccba32f27089075eecd1ed5034004a353b04ee7ad098ce1507",
        ),
    ];
    let page = lab.path().join("page.html");
    for (id, digest) in digests {
        let shown = json(gamete(["show", id, "--lab", directory, "--json"]));
        assert_eq!(shown["digest"], digest, "{id}");
        ok(gamete(["report", id, "--lab", directory, "-o", page.to_str().expect("a path in UTF-8")]));
        let html = fs::read_to_string(&page).expect("a report");
        assert!(html.contains(id) && html.contains(&digest[..12]), "{id}");
        let csv = ok(gamete(["export", id, "--lab", directory, "--csv"]));
        assert!(csv.lines().count() > 1, "{csv}");
    }
    let study = json(gamete(["show", "study-1", "--lab", directory, "--json"]));
    assert_eq!(study["playoffs"].as_array().map(Vec::len), Some(2));
    assert_eq!(study["classical"].as_array().map(Vec::len), Some(4));
    let listed = ok(gamete(["list", "--lab", directory]));
    assert!(listed.contains("+44 [-30, +122]"), "{listed}");
}

#[test]
fn a_match_of_version_0_1_is_resumed() {
    let folder = tempfile::tempdir().expect("a directory");
    let journal = folder.path().join("m.db");
    unpack("match-0.1.db.zst", &journal);
    let words = "match -engine model=chess/classic name=A -engine model=chess/material name=B -each nodes=50 -srand 3 \
        -maxmoves 30 -journal";
    let play = |rounds: &str| {
        let words = words.split_whitespace().chain([journal.to_str().expect("a path in UTF-8")]);
        ok(gamete(words.chain(["-rounds", rounds])))
    };
    let again = play("4");
    assert!(!again.contains("Started game"), "{again}");
    assert!(again.contains("Ptnml(0-2): [0, 0, 3, 1, 0]"), "{again}");
    let more = play("5");
    assert_eq!(more.matches("Started game").count(), 2, "{more}");
}

/// The journal of a match of 8 games that version 0.1 played, in a folder of its own.
fn match_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    unpack("match-0.1.db.zst", &folder.path().join("m.db"));
    folder
}

#[test]
fn a_match_of_version_0_1_is_listed_shown_reported_and_exported() {
    let folder = match_folder();
    let journal = folder.path().join("m.db");
    let journal = journal.to_str().expect("a path in UTF-8");
    let shown = ok(gamete(["show", journal]));
    assert!(shown.contains(": A vs B\nchess, seed 3, nodes=50, 1t, random openings of 6 plies"), "{shown}");
    assert!(shown.contains("Ptnml(0-2): [0, 0, 3, 1, 0]"), "{shown}");
    let found = json(gamete(["show", journal, "--json"]));
    assert_eq!((&found["games"], &found["planned_games"]), (&8.into(), &serde_json::Value::Null));
    let page = folder.path().join("m.html");
    ok(gamete(["report", journal]));
    assert!(fs::read_to_string(&page).expect("a report").contains("A against B"));
    assert_eq!(ok(gamete(["export", journal, "--csv"])).lines().count(), 9);
    let games = gamete(["export", journal, "--games", "-"]);
    assert!(games.status == Some(1) && games.err.contains("did not keep the openings"), "{}", games.err);
    let resumed = gamete(["match", journal]);
    let command = "does not know its command; give the command that began the match once more";
    assert!(resumed.status == Some(1) && resumed.err.contains(command), "{}", resumed.err);
}

#[test]
fn a_match_that_version_0_1_plays_is_left_alone() {
    let folder = match_folder();
    let player = rusqlite::Connection::open(folder.path().join("m.db")).expect("a journal");
    player.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    let listed = gamete_in(folder.path(), "list");
    assert!(listed.err.contains("m.db: another run has this journal open"), "{}", listed.err);
    drop(player);
    let listed = ok(gamete_in(folder.path(), "list"));
    assert!(listed.contains("A vs B"), "{listed}");
}

#[test]
fn a_damaged_match_of_version_0_1_is_refused_and_started_over() {
    let folder = match_folder();
    let journal = folder.path().join("m.db");
    let database = rusqlite::Connection::open(&journal).expect("a journal");
    database.execute("UPDATE encounter SET games = replace(games, 'e4', 'd4')", []).expect("damage");
    drop(database);
    let journal = journal.to_str().expect("a path in UTF-8");
    let words = "match -engine model=chess/classic name=A -engine model=chess/material name=B -each nodes=50 -srand 3 \
        -maxmoves 30 -rounds 2 -journal";
    let words = || words.split_whitespace().chain([journal]);
    for run in [gamete(words()), gamete(["show", journal])] {
        assert!(
            run.status == Some(1) && run.err.contains("the journal is damaged: encounter "),
            "{}",
            run.err
        );
    }
    let fresh = ok(gamete(words().chain(["-fresh"])));
    assert_eq!(fresh.matches("Started game").count(), 4, "{fresh}");
}

/// A folder with an engine, which runs this program: its content is known to the files from before engines had names in tasks.
fn engine_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    let engine = folder.path().join("engine");
    fs::write(&engine, "#!/bin/sh\nexec \"$GAMETE\" uci\n").expect("a file");
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).expect("a program");
    folder
}

fn gamete_in(folder: &Path, words: &str) -> Run {
    let program = env!("CARGO_BIN_EXE_gamete");
    let mut command = Command::new(program);
    let output = command.current_dir(folder).env("GAMETE", program).args(words.split_whitespace()).output();
    let output = output.expect("a program to run");
    Run {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

#[test]
fn a_match_of_engines_from_before_they_had_names_is_resumed() {
    let folder = engine_folder();
    unpack("match-engines.db.zst", &folder.path().join("m.db"));
    let words = "match -engine cmd=./engine name=E option.Hash=2 -engine model=chess/material name=M -each nodes=20 \
        -maxmoves 10 -srand 3 -journal m.db -rounds";
    let again = ok(gamete_in(folder.path(), &format!("{words} 2")));
    assert!(!again.contains("Started game"), "{again}");
    let more = ok(gamete_in(folder.path(), &format!("{words} 3")));
    assert_eq!(more.matches("Started game").count(), 2, "{more}");
}

const TUNE: &str = "method = 'optimize'\ngenerations = 2\nlimits = 'nodes=20'\nmax_moves = 10\n\
    [match]\nengine = ['./engine']\npairs = 1\n[options]\nHash = [1, 8]\nModel = 'chess/material'\n[ga]\npopulation = 3\n";

#[test]
fn an_experiment_with_an_engine_from_before_it_had_a_name_is_resumed() {
    let folder = engine_folder();
    fs::create_dir(folder.path().join("lab")).expect("a directory");
    unpack("lab-engines.sqlite.zst", &folder.path().join("lab/lab.sqlite"));
    fs::write(folder.path().join("tune.toml"), TUNE).expect("a file");
    let found = json(gamete_in(folder.path(), "evolve tune.toml --lab lab --verify 0 --json"));
    assert_eq!((&found["id"], &found["games"]), (&"tune-1".into(), &12.into()));
    assert_eq!(found["digest"], "68241521e495c73535ed41ee4e7e934d5803cba1d410ee458f001b141f8feb36");
}

#[test]
fn an_experiment_does_not_go_on_with_another_program() {
    let folder = engine_folder();
    fs::write(folder.path().join("tune.toml"), TUNE).expect("a file");
    let evolve = || gamete_in(folder.path(), "evolve tune.toml --lab lab --verify 0 --json");
    let found = json(evolve());
    assert_eq!(found["digest"], "68241521e495c73535ed41ee4e7e934d5803cba1d410ee458f001b141f8feb36");
    let engine = folder.path().join("engine");
    fs::write(&engine, "#!/bin/sh\n# another\nexec \"$GAMETE\" uci\n").expect("a file");
    assert_eq!(json(evolve())["digest"], found["digest"], "what is finished needs no engine");
    let lab = rusqlite::Connection::open(folder.path().join("lab/lab.sqlite")).expect("a lab");
    lab.execute("UPDATE experiment SET result = NULL", []).expect("an unfinished experiment");
    let refused = evolve();
    let what = "the program engine-";
    assert!(refused.status == Some(1) && refused.err.contains(what), "{}", refused.err);
}
