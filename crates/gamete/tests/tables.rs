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
}

fn play(folder: &Path, words: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.current_dir(folder).arg("match").args(words.split_whitespace());
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
