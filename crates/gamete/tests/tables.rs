//! Matches that endgame tables decide.

mod common;
#[path = "common/needs.rs"]
mod needs;

use std::path::Path;
use std::process::Command;

use common::Run;
use needs::{needing, tables};

needing! {
    tables_decide_games: [tables()],
    tables_decide_games_of_a_tune: [tables()],
}

fn play(folder: &Path, words: &str) -> Run {
    gamete(folder, &format!("match {words}"))
}

fn gamete(folder: &Path, words: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.current_dir(folder).args(words.split_whitespace());
    Run::new(command.output().expect("a program to run"))
}

fn tables_decide_games() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("pawn.epd"), "8/8/8/4k3/8/8/4P3/4K3 w - -\n").expect("a file");
    let tables = tables().expect("tables that are there");
    let tables = tables.display();
    let words = "-engine model=chess/classic name=A -engine model=chess/material name=B -each nodes=300 \
        -openings file=pawn.epd order=sequential -srand 1";
    let run = play(folder.path(), &format!("{words} -tb {tables} -pgnout x.pgn"));
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert_eq!(run.out.matches(" by adjudication: SyzygyTB}").count(), 2, "{}", run.out);
    let pgn = std::fs::read_to_string(folder.path().join("x.pgn")).expect("games");
    assert_eq!(pgn.matches("[Termination \"adjudication\"]").count(), 2, "{pgn}");
    assert!(pgn.contains("by adjudication: SyzygyTB"), "{pgn}");
    let few = play(folder.path(), &format!("{words} -tb {tables} -tbpieces 2 -fresh"));
    assert!(!few.out.contains("SyzygyTB"), "{}", few.out);
}

fn tables_decide_games_of_a_tune() {
    let folder = tempfile::tempdir().expect("a folder");
    let positions = ["8/8/8/4k3/8/8/4P3/4K3 w - -", "8/8/8/4k3/8/8/3P4/3K4 w - -"];
    std::fs::write(folder.path().join("pawns.epd"), positions.join("\n")).expect("a file");
    let tables = tables().expect("tables that are there");
    let words = format!(
        "tune -engine model=chess/material -each nodes=300 -params auto:pawn -games 4 -verify games=2 -openings file=pawns.epd -name x -tb {}",
        tables.display()
    );
    let run = gamete(folder.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let games = gamete(folder.path(), "export x-1 --games -");
    assert!(games.out.contains("by adjudication: SyzygyTB"), "{} {}", games.out, games.err);
    let nowhere = gamete(folder.path(), &words.replace(&tables.display().to_string(), "nowhere"));
    assert!(nowhere.err.contains("-tb: nowhere: there is no such directory"), "{}", nowhere.err);
    let file = gamete(folder.path(), "show x-1 --file");
    assert!(file.out.contains("tables = \"both\""), "{}", file.out);
}
