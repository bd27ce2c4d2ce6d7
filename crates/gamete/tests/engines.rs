//! Debian's engines in matches. `make engines-full` plays 100 games of each pair under a clock.

mod common;
#[path = "common/needs.rs"]
mod needs;

use std::path::Path;
use std::process::Command;

use common::{Run, comments, is_full, test_engine};
use needs::{debian_engine, needing};
use serde_json::Value;

needing! {
    toga_plays_stockfish: [debian_engine("stockfish"), debian_engine("toga2")],
    gnu_chess_plays_stockfish: [debian_engine("stockfish"), debian_engine("gnuchess")],
    a_command_line_of_fastchess_is_played_as_it_is: [debian_engine("stockfish"), debian_engine("ethereal-chess")],
    games_against_stockfish_have_no_illegal_moves_or_stalls: [debian_engine("stockfish")],
    engines_are_quoted_in_comments: [debian_engine("stockfish")],
    an_engine_that_ignores_its_limit_is_named_for_it: [debian_engine("toga2")],
}

/// An engine of Debian's that is there.
fn engine(name: &str) -> std::path::PathBuf {
    debian_engine(name).expect("an engine that is there")
}

/// Openings that everybody plays.
const BOOK: &str = "\
r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - hmvc 3; fmvn 3; id \"Spanish\";
rnbqkbnr/pp1p1ppp/4p3/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - hmvc 0; fmvn 3; id \"Sicilian\";
rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq d6 hmvc 0; fmvn 3; id \"French\";
rnbqkb1r/pppppp1p/5np1/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - hmvc 0; fmvn 3; id \"King's Indian\";
rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR b KQkq c3 hmvc 0; fmvn 2; id \"Queen's Gambit\";
rnbqkbnr/pppp1ppp/8/4p3/2P5/8/PP1PPPPP/RNBQKBNR w KQkq e6 hmvc 0; fmvn 2; id \"English\";
";

fn gamete_in(folder: &Path, words: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    let output =
        command.current_dir(folder).args(words.split_whitespace()).output().expect("a program to run");
    Run {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a file")
}

fn folder_with_book() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("book.epd"), BOOK).expect("a file");
    folder
}

/// Two games, or a hundred, in which nobody fails. On a busy machine GNU Chess 6.2.7 sometimes aborts by an assertion
/// on what its own two halves say to each other (engine.cc:558); the message tells it then.
fn plays_stockfish(opponent: &str) {
    let (cmd, args) = opponent.split_once(' ').unwrap_or((opponent, ""));
    let (stockfish, path) = (engine("stockfish"), engine(cmd));
    let args = if args.is_empty() { String::new() } else { format!("args={args}") };
    let folder = folder_with_book();
    let length =
        if is_full() { "tc=1+0.01 -rounds 50" } else { "tc=1+0.01 timemargin=60000 -rounds 1 -maxmoves 15" };
    let words = format!(
        "match -engine cmd={} name=Stockfish option.Threads=1 option.Hash=16 \
        -engine cmd={} {args} name=Opponent option.OwnBook=false option.Hash=16 \
        -openings file=book.epd format=epd order=random -srand 11 -concurrency 2 -pgnout games.pgn -json -each {length}",
        stockfish.display(),
        path.display()
    );
    let run = gamete_in(folder.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["games"], if is_full() { 100 } else { 2 });
    let none = serde_json::json!({ "time_losses": 0, "illegal_moves": 0, "disconnects": 0, "stalls": 0 });
    for side in json["contestants"].as_array().expect("two") {
        let count = |key: &str| side[key].as_u64().unwrap_or_default();
        eprintln!("{}: +{} -{} ={}", side["name"], count("wins"), count("losses"), count("draws"));
        assert_eq!(side["faults"], none, "{}: {}", side["name"], run.err);
    }
    let converted = gamete_in(folder.path(), "convert games.pgn -o games.epd");
    assert_eq!(converted.status, Some(0), "{}", converted.err);
}

fn toga_plays_stockfish() {
    plays_stockfish("toga2");
}

fn gnu_chess_plays_stockfish() {
    plays_stockfish("gnuchess --uci");
}

fn a_command_line_of_fastchess_is_played_as_it_is() {
    let (stockfish, ethereal) = (engine("stockfish"), engine("ethereal-chess"));
    let folder = folder_with_book();
    let (stockfish, ethereal) = (stockfish.display(), ethereal.display());
    let words = format!(
        "match -engine cmd={stockfish} name=New option.Hash=16 option.Threads=1 -engine cmd={ethereal} name=Base \
        option.Hash=16 option.Threads=1 -each tc=0.5+0.01 proto=uci timemargin=60000 restart=off \
        -openings file=book.epd format=epd order=random plies=16 start=2 -rounds 4 -games 2 -repeat -concurrency 2 -recover \
        -draw movenumber=6 movecount=2 score=40 -resign movecount=3 score=600 twosided=false -maxmoves 12 \
        -pgnout file=games.pgn append=true nodes=true -sprt elo0=0 elo1=10 alpha=0.05 beta=0.05 model=normalized \
        -ratinginterval 2 -scoreinterval 2 -autosaveinterval 20 -report penta=true -output format=fastchess \
        -event test -site here -variant standard -tournament roundrobin -srand 42"
    );
    let run = gamete_in(folder.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    for line in
        ["Started game 8 of 8 (Base vs New)", "Finished game 7 (New vs Base): ", "Games: 8, Wins: ", "LLR: "]
    {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    assert_eq!(run.out.matches("Results of New vs Base (0.5+0.01, 1t, ").count(), 2, "{}", run.out);
    let pgn = std::fs::read_to_string(folder.path().join("games.pgn")).expect("games");
    assert_eq!(pgn.matches("[TimeControl \"0.5+0.01\"]").count(), 8);
    assert_eq!(pgn.matches("[Event \"test\"]").count(), 8);
}

/// Our own program by UCI, at 1,000 nodes a move. `make games-full` plays 200 games.
fn games_against_stockfish_have_no_illegal_moves_or_stalls() {
    let games: u64 = std::env::var("GAMETE_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(40);
    let folder = folder_with_book();
    let words = format!(
        "match -engine cmd={} args=uci name=Gamete -engine cmd={} name=Stockfish -each nodes=1000 option.Hash=16 \
        option.Threads=1 -openings file=book.epd format=epd order=random -srand 3 -rounds {} -maxmoves 200 -concurrency 2 -json",
        env!("CARGO_BIN_EXE_gamete"),
        engine("stockfish").display(),
        games / 2
    );
    let run = gamete_in(folder.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["games"], games / 2 * 2);
    let none = serde_json::json!({ "time_losses": 0, "illegal_moves": 0, "disconnects": 0, "stalls": 0 });
    for side in json["contestants"].as_array().expect("two") {
        assert_eq!(side["faults"], none, "{}: {}", side["name"], run.err);
    }
}

fn engines_are_quoted_in_comments() {
    let folder = folder_with_book();
    let words = format!(
        "match -engine cmd={0} name=A -engine cmd={0} name=B -each tc=10+0.1 option.Hash=1 -maxmoves 3 -rounds 1 \
        -concurrency 1 -pgnout file=x.pgn nps=true hashfull=true tbhits=true timeleft=true pv=true",
        engine("stockfish").display()
    );
    let run = gamete_in(folder.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let comments = comments(&read(folder.path(), "x.pgn"));
    assert!(comments.len() >= 10, "{comments:?}");
    for comment in comments {
        let keys: Vec<_> =
            comment.split(", ").filter_map(|part| part.split_once('=')).map(|(key, _)| key).collect();
        assert_eq!(keys, ["tl", "n", "sd", "nps", "hashfull", "tbhits", "pv"], "{comment}");
    }
}

/// Toga 3.0 reads `go nodes` and searches on until it is told to stop. Found with `-log`.
fn an_engine_that_ignores_its_limit_is_named_for_it() {
    let mover = test_engine("random-mover");
    let folder = folder_with_book();
    let words = format!(
        "match -engine cmd={} name=Toga option.OwnBook=false -engine cmd={} name=Mover -each nodes=100 -rounds 1 -concurrency 1 \
        -log file=x.log",
        engine("toga2").display(),
        mover.display()
    );
    let run = gamete_in(folder.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let warning = "White's connection stalls: does not obey \"go nodes 100\": ";
    let line = run.err.lines().find(|line| line.contains(warning)).unwrap_or_else(|| panic!("{}", run.err));
    assert!(line.ends_with("nodes and still no bestmove; give it another limit, as st= or tc="), "{line}");
    let log = read(folder.path(), "x.log");
    let go = log.find(" Toga <--- go nodes 100").expect("a question");
    let stop = log.find(" Toga <--- stop").expect("an end");
    assert!(!log[go..stop].contains(" Toga ---> bestmove"), "it stops only when it is told to");
}
