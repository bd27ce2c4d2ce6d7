use serde_json::json;

use super::*;
use crate::Termination;

fn game(word: &str) -> GameOutcome {
    GameOutcome {
        moves: vec![word.to_owned()],
        thoughts: vec![None],
        termination: Termination::Interrupted,
        details: Vec::new(),
        fault: None,
        timing: None,
    }
}

#[test]
fn what_was_written_is_there_when_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let journal = Journal::open(&path).unwrap();
    journal.set("configuration", &json!({ "nodes": 5 }).to_string()).unwrap();
    journal.record(3, &[game("x")]).unwrap();
    journal.record(1, &[game("a"), game("b")]).unwrap();
    journal.record(3, &[game("y")]).unwrap();
    journal.set_written("x.pgn", &[(3, Written::new(0, b"abc")), (1, Written::new(3, b"d"))]).unwrap();
    drop(journal);
    let journal = Journal::open(&path).unwrap();
    let mut numbers = Vec::new();
    journal.read(|number, games| numbers.push((number, games.len(), games[0].moves[0].clone()))).unwrap();
    assert_eq!(numbers, [(1, 2, "a".to_owned()), (3, 1, "x".to_owned())], "a result counts once");
    assert_eq!(journal.written("x.pgn").unwrap()[&1], Written::new(3, b"d"));
    assert!(journal.written("y.pgn").unwrap().is_empty());
    assert!(!journal.has_lost_places());
    drop(journal);
    let journal = Journal::open_fresh(&path).unwrap();
    journal.set("configuration", &json!({ "nodes": 6 }).to_string()).unwrap();
    journal.read(|number, _| panic!("{number} is still there")).unwrap();
    assert!(journal.has_lost_places() && journal.written("x.pgn").unwrap().is_empty());
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let text = "[Event \"x\"] and so on, for long enough to be looked at as a database file by anybody";
    std::fs::write(&path, text).unwrap();
    for open in [Journal::open, Journal::open_fresh] {
        assert!(matches!(open(&path), Err(JournalError::NoJournal { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    let path = folder.path().join("b.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
    assert!(matches!(Journal::open_fresh(&path), Err(JournalError::NoJournal { .. })));
    let path = folder.path().join("c.db");
    let first = Journal::open(&path).unwrap();
    first.set("a", "b").unwrap();
    assert!(matches!(Journal::open_fresh(&path), Err(JournalError::Busy { .. })));
}

/// All that a journal says.
type Content = (Vec<(u64, Vec<GameOutcome>)>, BTreeMap<String, String>, BTreeMap<u64, Written>);

fn content(path: &Path) -> Result<Content, JournalError> {
    let journal = Journal::open(path)?;
    let mut encounters = Vec::new();
    journal.read(|number, games| encounters.push((number, games)))?;
    let settings = journal.settings.borrow().clone();
    Ok((encounters, settings, journal.written("x.pgn")?))
}

#[test]
fn a_flipped_bit_is_an_error_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, damaged) = (folder.path().join("a.db"), folder.path().join("b.db"));
    {
        let journal = Journal::open(&path).unwrap();
        journal.set("configuration", &json!({ "contestants": ["A", "B"], "nodes": 5 }).to_string()).unwrap();
        journal.set("seed", "12345").unwrap();
        for number in 0..40 {
            journal.record(number, &[game(&"e4".repeat(40)), game("d4")]).unwrap();
            journal.set_written("x.pgn", &[(number, Written::new(number * 10, b"0123456789"))]).unwrap();
        }
    }
    let whole = content(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (mut errors, mut harmless) = (0, 0);
    // Some bytes, and the bits in turn; with `GAMETE_FULL` all of them.
    let step = if std::env::var_os("GAMETE_FULL").is_some() { 1 } else { 131 };
    let places = (0..bytes.len()).filter(|&place| place % step == 0 || place < 100);
    for (turn, place) in places.enumerate() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << (turn % 8);
        std::fs::write(&damaged, &bytes).unwrap();
        match content(&damaged) {
            Ok(found) => {
                assert!(found == whole, "bit {} of byte {place} made another journal", turn % 8);
                harmless += 1;
            }
            Err(JournalError::Damaged { place: why, .. }) => {
                assert!(!why.is_empty());
                errors += 1;
                if errors % 20 == 0 {
                    Journal::open_fresh(&damaged).unwrap().read(|number, _| panic!("{number}")).unwrap();
                }
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                errors += 1;
            }
        }
        for ending in ["-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(folder.path().join(format!("b.db{ending}")));
        }
    }
    assert!(errors > 40, "{errors} errors, {harmless} without effect");
}

#[test]
fn a_place_in_another_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let journal = Journal::open(&path).unwrap();
    journal.set_written("x.pgn", &[(0, Written::new(0, b"abc"))]).unwrap();
    journal.connection.execute("UPDATE written SET file = 'y.pgn'", []).unwrap();
    assert!(matches!(journal.written("x.pgn"), Err(JournalError::Damaged { .. })));
}

#[test]
fn a_damaged_encounter_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    {
        let journal = Journal::open(&path).unwrap();
        journal.record(6, &[game("Nf3")]).unwrap();
    }
    let mut bytes = std::fs::read(&path).unwrap();
    let place = bytes.windows(3).position(|window| window == b"Nf3").unwrap();
    bytes[place + 2] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = content(&path).unwrap_err().to_string();
    assert!(error.contains("the journal is damaged: encounter 7: its checksum does not fit"), "{error}");
    assert!(error.ends_with("name another -journal, or start over with -fresh"), "{error}");
}

#[test]
fn encounters_that_are_gone_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    {
        let journal = Journal::open(&path).unwrap();
        for number in 0..3 {
            journal.record(number, &[game("a")]).unwrap();
        }
        journal.connection.execute("DELETE FROM encounter WHERE number = 1", []).unwrap();
    }
    let error = content(&path).unwrap_err().to_string();
    assert!(error.contains("it has 2 encounters instead of 3"), "{error}");
}

#[test]
fn a_journal_of_before_checksums_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let games = serde_json::to_string(&[game("e4")]).unwrap();
    {
        let old = Connection::open(&path).unwrap();
        old.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x47614d74;
             CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
             CREATE TABLE IF NOT EXISTS encounter (number INTEGER PRIMARY KEY, games TEXT NOT NULL) STRICT;
             INSERT INTO setting VALUES ('seed', '7'), ('pgn', '0');",
        )
        .unwrap();
        old.execute("INSERT INTO encounter VALUES (4, ?1)", [&games]).unwrap();
    }
    for _ in 0..2 {
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.setting("seed").as_deref(), Some("7"));
        assert!(journal.has_lost_places() && journal.len() == 1);
        let mut known = Vec::new();
        journal.read(|number, games| known.push((number, games))).unwrap();
        assert_eq!(known, [(4, vec![game("e4")])]);
    }
}
