use std::path::PathBuf;

use super::GameFileContent as Content;
use super::*;
use crate::MemoryJournal;

/// A folder, and the journals of two matches that write to a file in it.
struct Folder {
    directory: tempfile::TempDir,
    a: MemoryJournal,
    b: MemoryJournal,
}

impl Folder {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { directory, a: MemoryJournal::default(), b: MemoryJournal::default() }
    }

    fn join(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

fn record(number: u64) -> Vec<u8> {
    format!("[Event \"m\"]\n[Round \"{number}\"]\n\n1. e4 {{{number}}} *\n\n").into_bytes()
}

/// Writes encounters in this order, as one run of a match does.
fn run(folder: &Folder, journal: &str, append: bool, numbers: &[u64]) {
    let journal = if journal == "a.db" { &folder.a } else { &folder.b };
    let mut file = GameFile::open(&folder.join("x.pgn"), append, Content::Games, journal).unwrap();
    for &number in numbers {
        file.write(number, &record(number)).unwrap();
    }
}

fn text(folder: &Folder) -> String {
    std::fs::read_to_string(folder.join("x.pgn")).unwrap()
}

fn records(numbers: &[u64]) -> String {
    numbers.iter().map(|&number| String::from_utf8(record(number)).unwrap()).collect()
}

#[test]
fn what_is_there_is_left_alone_and_what_is_missing_is_written() {
    let folder = &Folder::new();
    run(folder, "a.db", true, &[0, 1, 2]);
    let whole = records(&[0, 1, 2]);
    assert_eq!(text(folder), whole);
    run(folder, "a.db", true, &[0, 1, 2, 3]);
    assert_eq!(text(folder), records(&[0, 1, 2, 3]));
    // Somebody adds a game before ours and removes one of them.
    let edited = format!("[Event \"x\"]\n\n*\n\n{}", records(&[0, 2, 3]));
    std::fs::write(folder.join("x.pgn"), &edited).unwrap();
    run(folder, "a.db", true, &[0, 1, 2, 3]);
    assert_eq!(text(folder), edited.clone() + &records(&[1]));
    run(folder, "a.db", true, &[0, 1, 2, 3, 4]);
    assert_eq!(text(folder), edited + &records(&[1, 4]));
}

#[test]
fn games_out_of_their_turn_are_put_in_order_unless_others_follow() {
    let folder = &Folder::new();
    run(folder, "a.db", true, &[0, 1, 3, 5]);
    run(folder, "a.db", true, &[0, 1, 2, 3, 4, 5]);
    assert_eq!(text(folder), records(&[0, 1, 2, 3, 4, 5]));
    run(folder, "a.db", true, &[0, 1, 2, 3, 4, 5]);
    assert_eq!(text(folder), records(&[0, 1, 2, 3, 4, 5]));
    let folder = &Folder::new();
    run(folder, "a.db", true, &[0, 2]);
    let others = text(folder) + "[Event \"x\"]\n\n*\n\n";
    std::fs::write(folder.join("x.pgn"), &others).unwrap();
    run(folder, "a.db", true, &[0, 1, 2]);
    assert_eq!(text(folder), others + &records(&[1]));
}

#[test]
fn a_record_that_was_broken_off_is_completed() {
    let whole = records(&[0, 1]);
    for length in records(&[0]).len()..whole.len() {
        let folder = &Folder::new();
        run(folder, "a.db", true, &[0, 1]);
        File::options().write(true).open(folder.join("x.pgn")).unwrap().set_len(length as u64).unwrap();
        run(folder, "a.db", true, &[0, 1]);
        assert_eq!(text(folder), whole, "cut at {length}");
    }
    // Another match cannot complete it, but what it writes is a game.
    let folder = &Folder::new();
    run(folder, "a.db", true, &[0, 1]);
    let broken = &whole[..whole.rfind('}').unwrap()];
    std::fs::write(folder.join("x.pgn"), broken).unwrap();
    run(folder, "b.db", true, &[7]);
    assert_eq!(text(folder), format!("{broken}}}\n\n{}", records(&[7])));
    run(folder, "a.db", true, &[0, 1]);
    assert_eq!(text(folder), format!("{broken}}}\n\n{}", records(&[7, 1])));
}

#[test]
fn the_same_games_of_two_matches_are_both_there() {
    let folder = &Folder::new();
    run(folder, "a.db", true, &[0, 1]);
    run(folder, "b.db", true, &[0, 1]);
    assert_eq!(text(folder), records(&[0, 1, 0, 1]));
    for journal in ["a.db", "b.db", "a.db"] {
        run(folder, journal, true, &[0, 1]);
        assert_eq!(text(folder), records(&[0, 1, 0, 1]));
    }
    // Moved, they are still two.
    let moved = format!("; a remark\n\n{}", text(folder));
    std::fs::write(folder.join("x.pgn"), &moved).unwrap();
    run(folder, "b.db", true, &[0, 1]);
    assert_eq!(text(folder), moved);
}

#[test]
fn a_file_is_started_over_once_and_only_when_a_game_is_written() {
    let folder = &Folder::new();
    std::fs::write(folder.join("x.pgn"), "old").unwrap();
    run(folder, "a.db", false, &[]);
    assert_eq!(text(folder), "old");
    run(folder, "a.db", false, &[0]);
    assert_eq!(text(folder), records(&[0]));
    run(folder, "b.db", true, &[5]);
    run(folder, "a.db", false, &[0, 1]);
    assert_eq!(text(folder), records(&[0, 5, 1]));
    folder.a.clear();
    run(folder, "a.db", true, &[0, 1]);
    assert_eq!(text(folder), records(&[0, 5, 1]), "the same games of a match that was started over");
    folder.a.clear();
    run(folder, "a.db", false, &[0, 1]);
    assert_eq!(text(folder), records(&[0, 1]));
}

#[test]
fn texts_are_set_apart() {
    let before = |tail: &str, content| String::from_utf8(separator(tail.as_bytes(), content)).unwrap();
    for (tail, games, positions) in [
        ("", "", ""),
        ("x\n\n", "", ""),
        ("x\r\n\r\n", "", ""),
        ("x\n", "\n", ""),
        ("x", "\n\n", "\n"),
        ("\n[Event \"x\"]\n\n1. e4 {so", "}\n\n", "\n"),
        ("{\n[Event \"x\"]\n\n1. e4 {so} *", "\n\n", "\n"),
    ] {
        assert_eq!(before(tail, Content::Games), games, "{tail:?}");
        assert_eq!(before(tail, Content::Positions), positions, "{tail:?}");
    }
}
