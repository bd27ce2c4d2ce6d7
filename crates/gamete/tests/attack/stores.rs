//! Flipped bits and missing bytes in journals and labs: the same result, or an error in words.

use std::path::Path;

use gamete_arena::Rng;

use crate::Siege;
use crate::target::{Ended, Target};

fn run(folder: &Path, words: &str) -> Ended {
    Target::start(folder, words.split_whitespace(), Vec::new()).finish(400)
}

/// Damages a file somewhere, and says how.
fn damage(path: &Path, rng: &mut Rng) -> String {
    let mut bytes = std::fs::read(path).expect("a store");
    let at = rng.below(bytes.len() as u64) as usize;
    let what = match rng.below(10) {
        0 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        1 => {
            let end = bytes.len().min(at + 1 + rng.below(600) as usize);
            bytes[at..end].fill(0);
            format!("zeros from {at} to {end}")
        }
        _ => {
            let bit = rng.below(8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at}")
        }
    };
    std::fs::write(path, bytes).expect("a store");
    what
}

/// Copies all files of a folder, and of those below.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn damaged_journals_never_change_a_match() {
    const WORDS: &str = "match -engine model=chess/classic -engine model=chess/material -each depth=1 -rounds 6 -variant \
                         fischerandom -srand 5 -json -journal x.db";
    let original = tempfile::tempdir().expect("a folder");
    let whole = run(original.path(), WORDS);
    whole.assert_success();
    let again = format!("{WORDS} -pgnout x.pgn");
    let reference = tempfile::tempdir().expect("a folder");
    copy(original.path(), reference.path());
    let expected = run(reference.path(), &again);
    expected.assert_success();
    let pgn = std::fs::read(reference.path().join("x.pgn")).expect("games");
    let mut refused = 0;
    Siege::new("journals", 30).each(|number, rng| {
        let folder = tempfile::tempdir().expect("a folder");
        copy(original.path(), folder.path());
        let what = damage(&folder.path().join("x.db"), rng);
        for words in ["list", "show x.db", "export x.db --csv", "report x.db -o r.html"] {
            run(folder.path(), words).assert_answered();
        }
        let ended = run(folder.path(), &again);
        ended.assert_answered();
        if ended.status.success() {
            assert_eq!(ended.out(), expected.out(), "round {number}: {what}");
            let found = std::fs::read(folder.path().join("x.pgn")).expect("games");
            assert!(found == pgn, "round {number}: other games after {what}");
        } else {
            refused += 1;
            assert!(ended.err().contains("x.db"), "round {number}: {what}: {}", ended.err());
        }
    });
    eprintln!("journals: {refused} refused");
}

#[test]
fn damaged_labs_never_change_an_experiment() {
    const WORDS: &str = "evolve --lab lab --set population=5 --set generations=3 --verify 2 --json";
    let facts = |ended: &Ended| {
        let json: serde_json::Value = serde_json::from_slice(&ended.out).expect("JSON");
        format!("{} {} {}", json["digest"], json["games"], json["champion"])
    };
    let original = tempfile::tempdir().expect("a folder");
    let whole = run(original.path(), WORDS);
    whole.assert_success();
    let id = serde_json::from_slice::<serde_json::Value>(&whole.out).expect("JSON")["id"]
        .as_str()
        .expect("a name")
        .to_owned();
    let mut refused = 0;
    Siege::new("labs", 20).each(|number, rng| {
        let folder = tempfile::tempdir().expect("a folder");
        copy(original.path(), folder.path());
        let path = folder.path().join("lab/lab.sqlite");
        let what = damage(&path, rng);
        for words in ["list", "show ID", "export ID", "report ID -o r.html"] {
            let words = format!("{} --lab lab", words.replace("ID", &id));
            run(folder.path(), &words).assert_answered();
        }
        let ended = run(folder.path(), WORDS);
        ended.assert_answered();
        if ended.status.success() {
            assert_eq!(facts(&ended), facts(&whole), "round {number}: {what}");
        } else {
            refused += 1;
        }
    });
    eprintln!("labs: {refused} refused");
}
