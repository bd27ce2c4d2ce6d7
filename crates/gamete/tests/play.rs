//! Games in the terminal, from first move to saved file, as scripts play them.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Run, gamete_reading};
use gamete_checkers::Pdn;
use gamete_chess::Pgn;
use gamete_game::{Color, Format, Outcome, Thought, Transcript, TranscriptReader};
use tempfile::TempDir;

/// Runs `gamete play` with options and with lines to read.
fn play(options: &[&str], lines: &[&str]) -> Run {
    let args = ["play"].iter().chain(options);
    gamete_reading(args, lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes())
}

/// The same, with nothing wrong.
fn conversation(options: &[&str], lines: &[&str]) -> String {
    let run = play(options, lines);
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""), "{}", run.out);
    run.out
}

fn problem(options: &[&str]) -> String {
    let run = play(options, &[]);
    assert_eq!((run.status, run.err.lines().count()), (Some(1), 1), "{options:?}: {}{}", run.out, run.err);
    run.err.trim_end().trim_start_matches("error: ").to_owned()
}

fn folder_with(name: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    if !text.is_empty() {
        std::fs::write(&path, text).expect("written");
    }
    (folder, path)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable name")
}

/// The games of a file, each of which replays.
fn games<F: Format + Default>(path: &Path) -> Vec<Transcript<F::Game>> {
    let bytes = std::fs::read(path).expect("a saved file");
    TranscriptReader::new(bytes.as_slice(), F::default()).map(|game| game.expect("a good game")).collect()
}

const BOTH: [&str; 4] = ["--white", "human", "--black", "human"];

fn both<'a>(more: &[&'a str]) -> Vec<&'a str> {
    BOTH.iter().chain(more).copied().collect()
}

#[test]
fn two_people_play_to_mate() {
    let (_folder, path) = folder_with("game.pgn", "");
    let out = conversation(&both(&["--save", text(&path)]), &["f3", "e7e5", "g4", "Qh4#"]);
    assert!(out.contains("Game over: 0-1, Black wins (checkmate)\n"), "{out}");
    assert!(out.ends_with(&format!("Saved to {}\n", path.display())), "{out}");
    assert!(
        out.contains("8  r  n  b [.] k  b  n  r ") && out.contains("4     .     .     .  P [q]"),
        "{out}"
    );
    let games = games::<Pgn>(&path);
    assert_eq!((games.len(), games[0].plies.len()), (1, 4));
    assert_eq!(games[0].outcome, Some(Outcome::Win(Color::Black)));
    let tag = |name| games[0].tags.get(name).unwrap_or_default();
    assert_eq!([tag("Event"), tag("White"), tag("Black")], ["Gamete game", "Human", "Human"]);
    assert_eq!([tag("Result"), tag("Termination"), tag("TimeControl")], ["0-1", "normal", "-"]);
    let date = tag("Date").split('.').map(str::parse::<u32>).collect::<Result<Vec<_>, _>>();
    assert!(date.is_ok_and(|date| date[0] > 2000 && date[1] <= 12 && date[2] <= 31));
}

#[test]
fn two_people_play_checkers() {
    let (_folder, path) = folder_with("game.pdn", "");
    let fen = ["--fen", "B:W18,27:B15", "--save", text(&path)];
    let out =
        conversation(&both(&fen), &["15-19", "15x22", "27-23", "moves", "22-26", "23-19", "26-31", "quit"]);
    assert!(out.contains("Move 1, Black to move (Human), must jump"), "{out}");
    assert!(out.contains("\"15-19\" is illegal: a jump is compulsory; legal: 15x22"), "{out}");
    assert!(out.contains("Legal moves (2): 22-26, 22-25"), "{out}");
    let games = games::<Pdn>(&path);
    assert_eq!((games[0].plies.len(), games[0].outcome), (5, None));
    assert_eq!(games[0].tags.get("FEN"), Some("B:W18,27:B15"));
    let out = conversation(&both(&["--fen", "W:W18:B15"]), &["18x11"]);
    assert!(out.contains("Game over: 1-0, White wins (no moves left)"), "{out}");
}

#[test]
fn a_person_plays_a_computer_in_both_games() {
    for (options, lines, file) in
        [(["--depth", "1"], ["e4", "Nf3"], "game.pgn"), (["--depth", "1"], ["11-15", "12-16"], "game.pdn")]
    {
        let (_folder, path) = folder_with(file, "");
        let game = if file.ends_with("pgn") { "chess" } else { "checkers" };
        let options = [&options[..], &["--game", game, "--save", text(&path)]].concat();
        let run = play(&options, &[lines[0], "moves"]);
        assert!(run.out.contains(&format!("1. {}\n", lines[0])), "{}", run.out);
        assert!(run.out.contains(" plays 1... ") && run.out.contains(", depth 1, "), "{}", run.out);
        let saved = std::fs::read_to_string(&path).expect("saved though nobody said so");
        let comment = saved.split_once('{').and_then(|(_, rest)| rest.split_once('}')).expect("a comment").0;
        assert!(
            comment.replace('\n', " ").parse::<Thought>().is_ok_and(|thought| thought.depth == 1),
            "{saved}"
        );
        assert!(saved.contains("[Termination \"unterminated\"]"), "{saved}");
    }
    let out = conversation(&["--white", "chess/material", "--depth", "1"], &["quit"]);
    assert!(out.contains("chess/material (White) against Human (Black)"), "{out}");
    assert!(out.contains("   h  g  f  e  d  c  b  a\n"), "Black sits below: {out}");
}

#[test]
fn two_computers_play_to_the_end_in_both_games() {
    for (player, depth, file) in [("chess/classic", "1", "c.pgn"), ("checkers/material", "2", "c.pdn")] {
        let (_folder, path) = folder_with(file, "");
        let options = ["--white", player, "--black", player, "--depth", depth, "--save", text(&path)];
        let out = conversation(&options, &[]);
        assert!(out.contains("Game over: "), "{out}");
        let ended = if file.ends_with("pgn") {
            let games = games::<Pgn>(&path);
            games.len() == 1 && games[0].outcome.is_some()
        } else {
            let games = games::<Pdn>(&path);
            games.len() == 1 && games[0].outcome.is_some()
        };
        assert!(ended, "{out}");
    }
    let out = conversation(
        &["--white", "chess/classic", "--black", "chess/classic", "--nodes", "50", "--moves", "3"],
        &[],
    );
    assert_eq!(out.matches(" plays ").count(), 6, "{out}");
    assert!(out.ends_with("Stopped after 3 moves of each side, as --moves says: no result, *\n"), "{out}");
}

#[test]
fn moves_are_taken_back_by_the_round() {
    let out = conversation(&["--depth", "1"], &["undo", "e4", "undo", "fen"]);
    assert!(out.contains("There is nothing to take back.") && out.contains("Taken back: 2 moves"), "{out}");
    assert!(out.ends_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"), "{out}");
    let out = conversation(&BOTH, &["f3", "e5", "g4", "Qh4", "e4", "undo", "undo", "moves", "fen"]);
    assert!(out.contains("The game is over; \"undo\"") && out.contains("Taken back: 1 move\n"), "{out}");
    assert!(out.ends_with(" w KQkq - 0 2\n"), "{out}");
    let out = conversation(&BOTH, &["e4", "resign", "undo", "fen"]);
    assert!(
        out.contains("Game over: 1-0, White wins (Black resigned)\nThe game goes on, Black to move."),
        "{out}"
    );
}

#[test]
fn draws_are_offered_and_answered() {
    let out = conversation(&BOTH, &["e4", "draw", "no", "draw", "yes"]);
    assert!(out.contains("Black offers a draw. White, do you accept?"), "{out}");
    assert!(out.contains("White declines; Black to move."), "{out}");
    assert!(out.contains("Game over: 1/2-1/2, a draw (by agreement)"), "{out}");
    let queen_up = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1";
    let out = conversation(&["--depth", "2", "--fen", queen_up], &["draw"]);
    assert!(out.contains("chess/classic accepts: it sees itself at -"), "{out}");
    let queen_down = "q3k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let out = conversation(&["--depth", "2", "--fen", queen_down], &["draw"]);
    assert!(out.contains("chess/classic declines: it sees itself at +"), "{out}");
}

#[test]
fn advice_can_be_asked_for() {
    let mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    let out =
        conversation(&["--depth", "2", "--fen", mate], &["hint", "eval", "help", "Ra7+", "hello", "Kd5"]);
    assert!(out.contains("Hint: Ra8#  +M1, depth 2: Ra8#\n"), "{out}");
    assert!(
        out.contains("evaluation by chess/classic, for White:\n") && out.contains("\n  rook_value "),
        "{out}"
    );
    assert!(out.contains("  total ") && out.contains("  save [FILE] "), "{out}");
    assert!(out.contains("\"hello\" is not a move, nor a command"), "{out}");
    let out = conversation(&["--game", "checkers", "--depth", "3"], &["hint", "eval", "flip"]);
    assert!(out.contains("Hint: ") && out.contains("evaluation by checkers/material"), "{out}");
    assert!(out.contains("        w32       w31") && out.contains("        b1        b2"), "{out}");
}

#[test]
fn games_are_saved_on_demand_and_behind_each_other() {
    let (_folder, path) = folder_with("games.pgn", "[Event \"old\"]\n\n1. d4 (1. c4) d5 1/2-1/2\n");
    let save = format!("save {}", path.display());
    let out = conversation(&BOTH, &["e4", "save", &save, "e5", "new", "c4", "resign"]);
    assert!(out.contains("Say where: \"save FILE\""), "{out}");
    let saved = std::fs::read_to_string(&path).expect("saved");
    assert!(
        saved.starts_with("[Event \"old\"]\n\n1. d4 (1. c4) d5 1/2-1/2\n\n[Event \"Gamete game\"]\n"),
        "{saved}"
    );
    let plies: Vec<_> = games::<Pgn>(&path).iter().map(|game| game.plies.len()).collect();
    assert_eq!(plies, [2, 2, 1]);

    let run = play(&BOTH, &["save /nowhere/at/all.pgn", "save game.pdn", "e4"]);
    assert_eq!((run.status, run.err.lines().count()), (Some(1), 2), "{}", run.err);
    assert!(run.err.contains("game.pdn: games of chess are saved as PGN; name a file that ends in .pgn"));
    assert!(run.out.contains("1. e4\n"), "the game goes on: {}", run.out);
    let run = play(&BOTH, &["save /nowhere/at/all.pgn", "e4", &save]);
    assert_eq!(run.status, Some(0), "saved in the end: {}", run.err);
}

#[test]
fn a_game_that_is_killed_is_not_lost() {
    let (_folder, path) = folder_with("game.pgn", "");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command
        .args(["play", "--depth", "1", "--save", text(&path)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut program = command.spawn().expect("a program to run");
    program.stdin.as_mut().expect("a pipe").write_all(b"e4\n").expect("read");
    let mut out = BufReader::new(program.stdout.take().expect("a pipe")).lines();
    assert!(out.any(|line| line.is_ok_and(|line| line.starts_with("Move 2, "))));
    program.kill().expect("a program that still runs");
    program.wait().expect("a program that ends");
    assert_eq!(games::<Pgn>(&path)[0].plies.len(), 2);
}

#[test]
fn two_sessions_that_save_to_one_file_keep_both_games() {
    let (_folder, path) = folder_with("games.pgn", "[Event \"old\"]\n\n1. d4 {a} (1. c4) d5 1/2-1/2\n");
    let old = std::fs::read_to_string(&path).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(["play", "--save", text(&path)]).args(BOTH).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut first = command.spawn().expect("a program to run");
    let mut out = BufReader::new(first.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let mut input = first.stdin.take().expect("a pipe");
    input.write_all(b"e4\n").expect("read");
    assert!(out.any(|line| line.contains("Black to move")));
    // Another session plays a whole game meanwhile, and somebody takes the first remark out.
    conversation(&both(&["--save", text(&path)]), &["f3", "e5", "g4", "Qh4"]);
    let edited = std::fs::read_to_string(&path).expect("games").replace(" {a}", "");
    std::fs::write(&path, edited).expect("written");
    input.write_all(b"c5\nNf3\nresign\n").expect("read");
    assert!(out.any(|line| line.starts_with("Game over: ")));
    drop(input);
    assert!(first.wait().expect("a program that ends").success());
    let plies: Vec<_> = games::<Pgn>(&path).iter().map(|game| game.plies.len()).collect();
    assert_eq!(plies, [2, 3, 4]);
    let saved = std::fs::read_to_string(&path).expect("games");
    assert!(saved.starts_with(&old.replace(" {a}", "")), "{saved}");
}

#[test]
fn a_saved_game_goes_on() {
    let old = "[Event \"first\"]\n\n1. d4 *\n\n[Event \"Cup\"]\n[White \"Anna\"]\n[Black \"Otto\"]\n[WhiteElo \"2000\"]\n\
        [Result \"1-0\"]\n\n{so} 1. e4 {+0.30/9 0.100s} e5 $2 {bad} 1-0\n\n[Event \"last\"]\n\n1. c4 *\n";
    let (_folder, path) = folder_with("games.pgn", old);
    let resume = both(&["--resume", text(&path), "--game-number", "2", "--save", text(&path)]);
    let out = conversation(&resume, &["Nf3", "undo", "Nf3"]);
    assert!(out.contains("The file gives the result 1-0; the game goes on after its last move."), "{out}");
    assert!(out.contains("[p]"), "the last move of the file is marked: {out}");
    let saved = std::fs::read_to_string(&path).expect("saved");
    assert!(saved.starts_with("[Event \"first\"]\n\n1. d4 *\n\n[Event \"Cup\"]\n"), "{saved}");
    assert!(
        saved.contains("{so} 1. e4 {+0.30/9 0.100s} 1... e5 $2 {bad} 2. Nf3 *\n\n[Event \"last\"]"),
        "{saved}"
    );
    assert!(saved.contains("[White \"Anna\"]") && saved.contains("[WhiteElo \"2000\"]"), "{saved}");
    assert_eq!(games::<Pgn>(&path).len(), 3);

    conversation(&both(&["--resume", text(&path), "--save", text(&path)]), &["quit"]);
    assert_eq!(std::fs::read_to_string(&path).expect("saved"), saved, "nothing was played");
    conversation(&both(&["--resume", text(&path), "--save", text(&path)]), &["new", "h4"]);
    let plies: Vec<_> = games::<Pgn>(&path).iter().map(|game| game.plies.len()).collect();
    assert_eq!(plies, [1, 3, 1, 1]);

    let (_folder, path) = folder_with("game.pdn", "");
    let options = ["--game", "checkers", "--white", "human", "--depth", "1", "--save", text(&path)];
    conversation(&options, &["22-18"]);
    let out = conversation(&["--resume", text(&path), "--depth", "1"], &["undo"]);
    assert!(out.contains("Human (White) against checkers/material (Black)"), "as the file says: {out}");
}

#[test]
fn a_compressed_file_is_resumed_and_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.pgn.zst");
    conversation(&both(&["--save", text(&path)]), &["e4"]);
    conversation(&both(&["--resume", text(&path), "--save", text(&path)]), &["e5"]);
    let bytes = zstd::decode_all(std::fs::read(&path).expect("saved").as_slice()).expect("zstd data");
    assert!(String::from_utf8_lossy(&bytes).ends_with("\n1. e4 e5 *\n\n"));
}

#[test]
fn odd_input_does_no_harm() {
    let mut input = b"\n\n  \n\xff\xfe\n\0\n".to_vec();
    input.extend(vec![b'x'; 100_000]);
    input.extend(b"\n\xc3\xa9\n1.\n-\nn\nsave \n1. e4");
    let run = gamete_reading(["play", "--white", "human", "--black", "human"], &input);
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""), "{}", run.out);
    assert!(run.out.contains("1. e4\n") && run.out.len() < 5_000, "{}", run.out);
}

#[test]
fn whatever_is_wrong_is_said_in_a_line() {
    assert_eq!(problem(&["--depth", "0"]), "--depth 0: must be from 1 to 127 (plies)");
    assert_eq!(problem(&["--depth", "500"]), "--depth 500: must be from 1 to 127 (plies)");
    assert_eq!(problem(&["--nodes", "0"]), "--nodes 0: must be at least 1 (positions)");
    assert_eq!(problem(&["--movetime", "0"]), "--movetime 0: must be from 1 to 86400000 (milliseconds)");
    assert_eq!(problem(&["--hash", "0"]), "--hash 0: must be from 1 to 65536 (megabytes)");
    assert_eq!(problem(&["--fen", "8/8 w"]), "FEN \"8/8 w\": the FEN has 2 ranks instead of 8");
    assert!(problem(&["--fen", "B:W33:B1"]).starts_with("FEN \"B:W33:B1\": "));
    assert_eq!(
        problem(&["--white", "chess/clasic"]),
        "--white chess/clasic: unknown model \"chess/clasic\"; did you mean \"chess/classic\"?"
    );
    assert!(
        problem(&["--black", "nobody.toml"]).contains("\"nobody.toml\" is neither a player file nor a model")
    );
    assert_eq!(
        problem(&["--game", "chess", "--white", "checkers/material"]),
        "White: checkers/material plays checkers, not chess; `gamete models --game chess` lists who does"
    );
    assert!(problem(&["--white", "chess/classic", "--black", "checkers/material"]).starts_with("Black: "));
    assert!(
        problem(&["--save", "/nowhere/at/all.pgn"]).starts_with("/nowhere/at/all.pgn: cannot be written: ")
    );
    assert!(problem(&["--save", "game.pdn"]).starts_with("game.pdn: games of chess are saved as PGN"));
    assert!(problem(&["--save", "-"]).starts_with("-: "));
    assert!(problem(&["--save", "."]).starts_with(".: this is a directory"));
}

#[test]
fn a_file_that_cannot_be_resumed_is_named() {
    let resume = |name: &str, content: &str, more: &[&str]| {
        let (folder, path) = folder_with(name, content);
        let options = [&["--resume", text(&path)], more].concat();
        problem(&options).replace(&format!("{}/", folder.path().display()), "")
    };
    assert!(resume("none.pgn", "", &[]).starts_with("none.pgn: cannot be opened: "));
    assert_eq!(resume("empty.pgn", "\n", &[]), "empty.pgn: no games in it");
    assert_eq!(
        resume("bad.pgn", "1. e4 e5 *\n\n1. e4 Ke4 *\n", &[]),
        "bad.pgn: game 2, line 3: illegal move: 1... \"Ke4\""
    );
    let two = "1. e4 e5 *\n\n1. d4 d5 *\n";
    assert_eq!(resume("two.pgn", two, &["--game-number", "3"]), "two.pgn: there is no game 3, only 1 to 2");
    assert!(
        resume("two.pgn", two, &["--game-number", "0"]).starts_with("--game-number 0: must be at least 1")
    );
    assert!(resume("two.txt", two, &[]).starts_with("two.txt: cannot tell the game from the name"));
    assert!(resume("two.pgn", two, &["--game", "checkers"]).contains("holds games of chess by its name"));
    assert!(resume("two.epd", two, &[]).contains("has positions, not games"));
    assert_eq!(
        resume("two.zst", two, &["--game", "chess"]),
        "two.zst: not compressed, though it is called .zst"
    );
}

#[test]
fn another_program_plays_a_side() {
    let program = format!("cmd={} args=uci option.Move Overhead=7 name=Other", env!("CARGO_BIN_EXE_gamete"));
    let options = ["play", "--black", &program, "--depth", "2", "--moves", "3"];
    let run = gamete_reading(options, b"e4\nundo\nd4\nnf3\ndraw\nnew\nc4\n");
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""), "{}", run.out);
    assert!(run.out.starts_with("chess: Human (White) against Other (Black)\n"), "{}", run.out);
    assert!(run.out.matches("Other plays 1... ").count() == 3, "{}", run.out);
    assert!(run.out.contains("Other plays 2... ") && run.out.contains("depth 2, "), "{}", run.out);
    assert!(run.out.contains("Other accepts: ") || run.out.contains("Other declines: "), "{}", run.out);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.pgn");
    let options = ["--depth", "2", "--moves", "2", "--save", text(&path)];
    let both = ["play", "--white", &program, "--black", "chess/material"].into_iter().chain(options);
    let both = gamete_reading(both, b"");
    assert_eq!((both.status, both.err.as_str()), (Some(0), ""), "{}", both.out);
    let saved = std::fs::read_to_string(&path).expect("saved");
    assert!(saved.contains("[White \"Other\"]") && saved.contains("/2 "), "{saved}");
    let wrong = problem(&["--game", "checkers", "--white", &program]);
    assert_eq!(
        wrong,
        "White: Other plays chess, not checkers; `gamete models --game checkers` lists who does"
    );
}
