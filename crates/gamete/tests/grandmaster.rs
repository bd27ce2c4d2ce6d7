//! The preset `grandmaster` from the command line, on small sizes: its data, its stages, and the players that it leaves.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Run, folder, gamete, gamete_reading};
use serde_json::Value;

/// Short games that White wins, with moves enough to draw from.
const GAMES: &str = "[Event \"a\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nxe2 8. Qxe2 Qxe2+ 9. Kxe2 Kxf7 10. d3 d6 1-0\n\n\
    [Event \"b\"]\n[Result \"1-0\"]\n\n\
    1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 7. Rc1 c6 8. Bd3 dxc4 9. Bxc4 Nd5 10. Bxe7 Qxe7 1-0\n\n\
    [Event \"c\"]\n[Result \"0-1\"]\n\n\
    1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be3 e5 7. Nb3 Be6 8. f3 Be7 9. Qd2 O-O 10. O-O-O Nbd7 0-1\n\n\
    [Event \"d\"]\n[Result \"0-1\"]\n\n\
    1. c4 e5 2. Nc3 Nf6 3. Nf3 Nc6 4. g3 d5 5. cxd5 Nxd5 6. Bg2 Nb6 7. O-O Be7 8. d3 O-O 9. Be3 Be6 10. Rc1 f5 0-1\n\n";

const SUITE: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#;\n7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n";

/// The preset, so small that it is over at once.
const SMALL: [&str; 8] = [
    "generations=2",
    "stages.imitate.replicates=3",
    "stages.imitate.ga.population=6",
    "stages.coevolve.population=3",
    "stages.coevolve.pair_games=1",
    "max_moves=15",
    "stages.coevolve.limits=nodes=50",
    "stages.search.limits=nodes=200",
];

/// Its command line in a folder with games and a suite, and more.
fn words(folder: &Path, lab: &str, more: &[&str]) -> Vec<String> {
    let [games, suite, lab] =
        ["games.pgn", "suite.epd", lab].map(|name| folder.join(name).display().to_string());
    let data = ["evolve", "grandmaster", "--games", &games, "--suite", &suite, "--lab", &lab];
    let sizes = SMALL.iter().flat_map(|change| ["--set", change]);
    let words = data.into_iter().chain(["--verify", "0", "--json"]).chain(sizes);
    words.chain(more.iter().copied()).map(str::to_owned).collect()
}

/// Runs it.
fn evolve(folder: &Path, lab: &str, more: &[&str]) -> Run {
    gamete(words(folder, lab, more))
}

fn with_files(games: &str, suite: &str) -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("games.pgn"), games).expect("a file");
    fs::write(folder.path().join("suite.epd"), suite).expect("a file");
    folder
}

fn json(run: &Run) -> Value {
    assert_eq!(run.status, Some(0), "{}", run.err);
    serde_json::from_str(&run.out).expect("JSON")
}

#[test]
fn it_leaves_players_that_are_the_same_on_any_number_of_threads() {
    let folder = with_files(GAMES, SUITE);
    let run = evolve(folder.path(), "lab", &["--concurrency", "2"]);
    assert!(run.err.contains("experts-") && run.err.contains(".corpus: 4 positions"), "{}", run.err);
    let found = json(&run);
    let paths =
        ["coevolve", "search"].map(|stage| found["players"][stage].as_str().expect("a path").to_owned());
    assert!(paths[0].ends_with("-evol0.toml") && paths[1].ends_with("-evol-star.toml"), "{paths:?}");
    let players = paths.each_ref().map(|path| fs::read_to_string(path).expect("a player"));
    for path in &paths {
        let answer = gamete_reading(["uci", "--player", path], b"go nodes 50\n");
        assert!(answer.out.contains("bestmove "), "{}", answer.out);
    }
    let other = json(&evolve(folder.path(), "lab2", &["--concurrency", "1"]));
    let stage = |found: &Value, stage: &str| {
        let path = found["players"][stage].as_str().expect("a path").to_owned();
        fs::read_to_string(path).expect("a player")
    };
    assert_eq!([stage(&other, "coevolve"), stage(&other, "search")], players);
    assert_eq!(other["digest"], found["digest"]);
}

#[test]
fn kills_in_each_stage_change_nothing() {
    let folder = with_files(GAMES, SUITE);
    let more = ["--set", "generations=200", "--concurrency", "2"];
    let whole = json(&evolve(folder.path(), "whole", &more));
    for (over, stage) in ["imitate", "coevolve", "search"].into_iter().enumerate() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.args(words(folder.path(), "lab", &more)).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut program = command.spawn().expect("a program to run");
        let mut lines = BufReader::new(program.stderr.take().expect("a pipe")).lines();
        let begins = lines.any(|line| line.expect("a line").ends_with(&format!("of 3, {stage}")));
        assert!(begins, "{stage} did not begin");
        // SIGKILL.
        program.kill().expect("a kill");
        assert!(!program.wait().expect("a child").success(), "the pipeline was over before it was killed");
        let lab = folder.path().join("lab").display().to_string();
        let list = json(&gamete(["list", "--json", "--lab", &lab]));
        assert_eq!(list[0]["state"], format!("{over} of 3 stages"), "{stage} was over before it was killed");
    }
    let resumed = json(&evolve(folder.path(), "lab", &more));
    for key in ["id", "digest", "champion"] {
        assert_eq!(resumed[key], whole[key]);
    }
    for stage in ["coevolve", "search"] {
        let player = |found: &Value| {
            fs::read_to_string(found["players"][stage].as_str().expect("a path")).expect("a player")
        };
        assert_eq!(player(&resumed), player(&whole));
    }
}

#[test]
fn it_is_the_same_experiment_wherever_the_lab_is_and_needs_no_data_when_it_is_finished() {
    let folder = with_files(GAMES, SUITE);
    let first = json(&evolve(folder.path(), "lab", &[]));
    let same = |lab: &str| {
        let run = evolve(folder.path(), lab, &[]);
        let found = json(&run);
        assert_eq!([&found["id"], &found["digest"]], [&first["id"], &first["digest"]], "{}", run.err);
    };
    same("./lab/../lab");
    for name in ["games.pgn", "suite.epd"] {
        fs::remove_file(folder.path().join(name)).expect("removed");
    }
    same("lab");
    fs::rename(folder.path().join("lab"), folder.path().join("moved")).expect("renamed");
    same("moved");
    fs::write(folder.path().join("games.pgn"), GAMES).expect("a file");
    fs::remove_dir_all(folder.path().join("moved/data")).expect("removed");
    same("moved");
    assert!(!folder.path().join("moved/data").exists(), "nothing is made for what is finished");
}

#[test]
fn bad_data_are_refused_in_one_line() {
    let refused = |folder: &tempfile::TempDir, words: &[&str]| {
        let run = evolve(folder.path(), "lab", &[]);
        assert_eq!(run.status, Some(1), "{}", run.out);
        let error = run.err.trim_end().lines().last().unwrap_or_default();
        assert!(error.starts_with("error: ") && words.iter().all(|word| error.contains(word)), "{}", run.err);
    };
    refused(
        &with_files(&GAMES.replace("1-0", "1/2-1/2").replace("0-1", "1/2-1/2"), SUITE),
        &["have no winner"],
    );
    refused(&with_files("", SUITE), &["games.pgn", "no game"]);
    refused(&with_files(GAMES, &SUITE.replace("bm ", "c0 ")), &["suite.epd", "no positions with bm or am"]);
    let folder = with_files(GAMES, SUITE);
    fs::remove_file(folder.path().join("games.pgn")).expect("removed");
    refused(&folder, &["games.pgn"]);
    fs::create_dir(folder.path().join("games.pgn")).expect("a directory");
    refused(&folder, &["games.pgn: this is no file"]);
    let run = gamete(["evolve", "kendall-whitwell", "--games", "games.pgn"]);
    assert!(
        run.status == Some(1) && run.err.contains("--games: nothing here learns from experts"),
        "{}",
        run.err
    );
    let run = gamete(["uci", "--player", "nobody.toml"]);
    assert!(run.status == Some(1) && run.err.contains("nobody.toml"), "{}", run.err);
}
