use std::collections::BTreeMap;
use std::path::Path;

use gamete_arena::{
    Adjudication, Contestant, GameName, GameOutcome, GameTask, JournalError, JournalGame, Limits, MatchHead,
    MatchJournal, ModelInfo, Player, Termination, Written,
};
use rusqlite::{Connection, params};

use super::{MatchStore, StoredMatch};
use crate::store::Total;

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

fn task() -> GameTask {
    let player = Player::new(ModelInfo::find("chess/material").unwrap());
    let contestant = Contestant::new(player, Limits::nodes(1));
    GameTask {
        game: GameName::Chess,
        start: "8/8/8/4k3/8/8/4P3/4K3 w - -".to_owned(),
        book: vec!["e4".to_owned()],
        white: contestant.clone(),
        black: contestant,
        adjudication: Adjudication::default(),
        seed: 1,
        details: false,
    }
}

fn head(configuration: &str) -> MatchHead {
    MatchHead { configuration: configuration.to_owned(), identity: "{}".to_owned(), seed: u64::MAX - 5 }
}

fn record(journal: &MatchStore, number: u64, words: &[&str]) {
    let (task, games): (_, Vec<_>) = (task(), words.iter().map(|word| game(word)).collect());
    let games: Vec<_> = (number..).zip(&games).map(|(number, game)| (number, &task, game)).collect();
    journal.record(&games).unwrap();
}

/// All that a journal says.
type Content = (Vec<JournalGame>, Option<MatchHead>, BTreeMap<String, String>, BTreeMap<u64, Written>);

fn content(path: &Path) -> Result<Content, JournalError> {
    let journal = MatchStore::open(path)?;
    let mut games = Vec::new();
    journal.games(&mut |game| games.push(game))?;
    let settings = journal.settings.borrow().clone();
    Ok((games, journal.head()?, settings, journal.written("x.pgn")?))
}

#[test]
fn what_was_written_is_there_when_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let journal = MatchStore::open(&path).unwrap();
    assert_eq!((journal.head().unwrap(), journal.is_empty()), (None, true));
    journal.set_head(&head("c")).unwrap();
    record(&journal, 6, &["x"]);
    record(&journal, 2, &["a", "b"]);
    record(&journal, 6, &["y"]);
    journal.set_written("x.pgn", &[(3, Written::new(0, b"abc")), (1, Written::new(3, b"d"))]).unwrap();
    drop(journal);
    let (games, found, _, written) = content(&path).unwrap();
    let games: Vec<_> = games.into_iter().map(|game| (game.number, game.outcome.moves[0].clone())).collect();
    let expected = [(2, "a"), (3, "b"), (6, "x")].map(|(number, word)| (number, word.to_owned()));
    assert_eq!(games, expected, "a result counts once");
    assert_eq!((found, written[&1]), (Some(head("c")), Written::new(3, b"d")));
    let journal = MatchStore::open(&path).unwrap();
    assert!(journal.written("y.pgn").unwrap().is_empty() && !journal.has_lost_places());
    drop(journal);
    let journal = MatchStore::open_fresh(&path).unwrap();
    journal.games(&mut |game| panic!("{game:?} is still there")).unwrap();
    assert!(journal.head().unwrap().is_none() && journal.has_lost_places());
    assert!(journal.written("x.pgn").unwrap().is_empty());
}

#[test]
fn a_match_is_read_while_it_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let journal = MatchStore::open(&path).unwrap();
    journal.set_head(&head("c")).unwrap();
    record(&journal, 0, &["a", "b"]);
    let found = StoredMatch::read(&path).unwrap();
    assert_eq!((found.games.len(), found.head), (2, Some(head("c"))));
    let opening = found.games[0].opening.clone().unwrap();
    assert_eq!((opening.start, opening.book), (task().start, task().book));
    assert_eq!(found.games[0].task, Some(task().journal_key()));
    record(&journal, 2, &["c"]);
    assert_eq!(StoredMatch::read(&path).unwrap().games.len(), 3);
    assert!(matches!(MatchStore::open(&path), Err(JournalError::Busy { .. })), "but not played twice");
    assert!(matches!(MatchStore::open_fresh(&path), Err(JournalError::Busy { .. })));
}

#[test]
fn a_match_is_read_where_nothing_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    {
        let journal = MatchStore::open(&path).unwrap();
        journal.set_head(&head("c")).unwrap();
        record(&journal, 0, &["a"]);
    }
    let before = std::fs::read(&path).unwrap();
    let store = crate::Store::open_read_only(&path).unwrap();
    assert_eq!(StoredMatch::of_store(&path, &store).unwrap().games.len(), 1);
    drop(store);
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let text = "[Event \"x\"] and so on, for long enough to be looked at as a database file by anybody";
    std::fs::write(&path, text).unwrap();
    for open in [MatchStore::open, MatchStore::open_fresh] {
        assert!(matches!(open(&path), Err(JournalError::NoJournal { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    let path = folder.path().join("b.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
    assert!(matches!(MatchStore::open_fresh(&path), Err(JournalError::NoJournal { .. })));
    let lab = lab(folder.path());
    let path = folder.path().join("lab.sqlite");
    for open in [MatchStore::open, MatchStore::open_fresh] {
        assert!(matches!(open(&path), Err(JournalError::NoJournal { .. })), "a lab is no match");
    }
    assert!(matches!(MatchStore::delete(&path), Err(JournalError::NoJournal { .. })));
    assert_eq!(lab.experiments().unwrap().len(), 1);
    let path = folder.path().join("new");
    std::fs::create_dir(&path).unwrap();
    for open in [MatchStore::open, MatchStore::open_fresh] {
        let new = open(&path.join("lab.sqlite"));
        assert!(
            matches!(new, Err(JournalError::NoJournal { .. })),
            "a journal of that name could not be resumed"
        );
    }
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
}

/// A lab with one experiment.
fn lab(folder: &Path) -> crate::Store {
    let lab = crate::Store::create(folder).unwrap();
    lab.insert(&crate::ExperimentRow {
        id: "one".to_owned(),
        file: String::new(),
        method: "kendall-whitwell".to_owned(),
        about: String::new(),
        seed: 1,
        signature: String::new(),
        created: 0,
        seconds: 0.0,
        result: None,
    })
    .unwrap();
    lab
}

#[test]
fn a_copy_of_a_lab_is_never_removed() {
    for (sql, is_known) in [
        ("", true),
        ("CREATE INDEX mine ON outcome (task)", true),
        ("DROP TABLE written", true),
        ("ALTER TABLE experiment RENAME TO other", false),
        ("DELETE FROM experiment; CREATE INDEX mine ON outcome (task)", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        drop(lab(folder.path()));
        let path = folder.path().join("backup.db");
        std::fs::rename(folder.path().join("lab.sqlite"), &path).unwrap();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        for error in [MatchStore::open_fresh(&path).err().unwrap(), MatchStore::delete(&path).unwrap_err()] {
            match error {
                JournalError::NoJournal { .. } => assert!(is_known, "{sql}"),
                JournalError::Unproven { .. } => assert!(!is_known, "{sql}"),
                other => panic!("{sql}: {other}"),
            }
        }
        let tables = "SELECT count(*) FROM sqlite_schema";
        let left: i64 = Connection::open(&path).unwrap().query_row(tables, [], |row| row.get(0)).unwrap();
        assert!(left > 5, "{sql}");
    }
}

#[test]
fn a_journal_is_deleted_unless_it_is_being_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let journal = MatchStore::open(&path).unwrap();
    record(&journal, 0, &["a"]);
    assert!(matches!(MatchStore::delete(&path), Err(JournalError::Busy { .. })));
    drop(journal);
    MatchStore::delete(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(matches!(MatchStore::delete(&path), Err(JournalError::NoJournal { .. })));
}

#[test]
fn a_damaged_journal_is_started_over_and_searches_its_game_files() {
    for sql in [
        "UPDATE written SET start = start + 1",
        "UPDATE experiment SET seed = 7",
        "DELETE FROM setting",
        "CREATE INDEX mine ON outcome (task)",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        {
            let journal = MatchStore::open(&path).unwrap();
            record(&journal, 0, &["a"]);
            journal.set_written("x.pgn", &[(0, Written::new(0, b"abc"))]).unwrap();
            journal.connection.execute_batch(sql).unwrap();
        }
        let fresh = MatchStore::open_fresh(&path).unwrap();
        assert!(fresh.is_empty() && fresh.has_lost_places(), "{sql}");
        drop(fresh);
        assert!(MatchStore::open(&path).unwrap().has_lost_places(), "{sql}");
    }
}

#[test]
fn a_match_runs_only_while_it_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    drop(MatchStore::open(&path).unwrap());
    assert_eq!(StoredMatch::read(&path).unwrap().seconds, 0.0);
    record(&MatchStore::open(&path).unwrap(), 0, &["a"]);
    assert!(StoredMatch::read(&path).unwrap().seconds > 0.0);
}

#[test]
fn a_flipped_bit_is_an_error_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, damaged) = (folder.path().join("a.db"), folder.path().join("b.db"));
    {
        let journal = MatchStore::open(&path).unwrap();
        journal.set_head(&head("{\"contestants\":[\"A\",\"B\"],\"nodes\":5}")).unwrap();
        journal.set("terms", "12345").unwrap();
        for number in 0..40 {
            record(&journal, 2 * number, &[&"e4".repeat(40), "d4"]);
            journal.set_written("x.pgn", &[(number, Written::new(number * 10, b"0123456789"))]).unwrap();
        }
    }
    let whole = content(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (mut errors, mut harmless, mut fresh_starts) = (0, 0, 0);
    // Some bytes, and the bits in turn; with `GAMETE_FULL` all of them.
    let step = if std::env::var_os("GAMETE_FULL").is_some() { 1 } else { 331 };
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
                    match MatchStore::open_fresh(&damaged) {
                        Ok(fresh) => {
                            assert!(fresh.has_lost_places(), "byte {place}");
                            fresh.games(&mut |game| panic!("{game:?}")).unwrap();
                            fresh_starts += 1;
                        }
                        Err(JournalError::Unproven { .. }) => assert!(damaged.exists(), "byte {place}"),
                        Err(error) => panic!("byte {place}: {error}"),
                    }
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
    assert!(errors > 40 && fresh_starts > 0, "{errors} errors, {harmless} without effect");
}

/// The journal after something was done to its tables.
fn tampered(sql: &str) -> JournalError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    {
        let journal = MatchStore::open(&path).unwrap();
        journal.set_head(&head("c")).unwrap();
        record(&journal, 4, &["Nf3", "b", "c"]);
        journal.set_written("x.pgn", &[(0, Written::new(0, b"abc"))]).unwrap();
        journal.connection.execute_batch(sql).unwrap();
    }
    let error = content(&path).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{sql}: {error}");
    assert!(error.to_string().ends_with("name another -journal, or start over with -fresh"), "{error}");
    error
}

#[test]
fn what_is_damaged_is_named() {
    for (sql, what) in [
        ("UPDATE outcome SET answer = replace(answer, 'Nf3', 'Nc3')", "game 5: its checksum does not fit"),
        ("UPDATE outcome SET checksum = NULL WHERE number = 5", "game 6: "),
        ("UPDATE outcome SET task = task + 1 WHERE number = 6", "game 7: its checksum does not fit"),
        ("DELETE FROM outcome WHERE number = 5", "it has 2 games instead of 3"),
        (
            "UPDATE written SET file = 'y.pgn'",
            "encounter 1: where it stands in a game file has another checksum",
        ),
        ("UPDATE experiment SET seed = 7", "the checksum of its configuration does not fit"),
        ("DELETE FROM run", "the run of its match is missing"),
        ("DELETE FROM setting", "the checksum of its setting \"games\" does not fit"),
        ("CREATE INDEX mine ON outcome (task)", "its tables are not as they were made"),
    ] {
        let error = tampered(sql).to_string();
        assert!(error.contains(&format!("the journal is damaged: {what}")), "{sql}: {error}");
    }
}

/// A journal as version 0.1 made it, and the games of an encounter that was broken off.
fn version_0_1(path: &Path, with_checksums: bool) {
    let old = Connection::open(path).unwrap();
    let games = serde_json::to_string(&[game("e4"), game("d4")]).unwrap();
    let kept = serde_json::to_string(&BTreeMap::from([(6, [None, Some(game("kept"))])])).unwrap();
    let configuration = r#"{"contestants":[],"games":2}"#;
    if !with_checksums {
        old.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x47614d74;
             CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
             CREATE TABLE IF NOT EXISTS encounter (number INTEGER PRIMARY KEY, games TEXT NOT NULL) STRICT;
             INSERT INTO setting VALUES ('seed', '7'), ('pgn', '0');",
        )
        .unwrap();
        old.execute("INSERT INTO setting VALUES ('kept games', ?1)", [&kept]).unwrap();
        old.execute("INSERT INTO setting VALUES ('configuration', ?1)", [configuration]).unwrap();
        old.execute("INSERT INTO encounter VALUES (4, ?1)", [&games]).unwrap();
        return;
    }
    old.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x47614d74;
         CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL) STRICT, WITHOUT ROWID;
         CREATE TABLE encounter (number INTEGER PRIMARY KEY, games TEXT NOT NULL, checksum BLOB NOT NULL) STRICT;
         CREATE TABLE written (file TEXT, number INTEGER, start INTEGER NOT NULL, length INTEGER NOT NULL, hash BLOB NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (file, number)) STRICT, WITHOUT ROWID;",
    )
    .unwrap();
    let checksum = crate::store::checksum_of("encounter", &[&4_u64.to_le_bytes(), games.as_bytes()]);
    old.execute("INSERT INTO encounter VALUES (4, ?1, ?2)", params![games, checksum]).unwrap();
    let total = Total::default().with(&checksum).to_string();
    let settings = [
        ("seed", "7"),
        ("kept games", &kept),
        ("configuration", configuration),
        ("encounters", &total),
        ("pgn", "0"),
    ];
    for (name, value) in settings {
        let checksum = crate::store::checksum_of("setting", &[name.as_bytes(), value.as_bytes()]);
        old.execute("INSERT INTO setting VALUES (?1, ?2, ?3)", params![name, value, checksum]).unwrap();
    }
}

#[test]
fn a_journal_of_version_0_1_is_taken_over() {
    for with_checksums in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        version_0_1(&path, with_checksums);
        for _ in 0..2 {
            let (games, head, settings, _) = content(&path).unwrap();
            let found: Vec<_> =
                games.iter().map(|game| (game.number, game.outcome.moves[0].as_str())).collect();
            assert_eq!(found, [(8, "e4"), (9, "d4"), (13, "kept")]);
            assert_eq!((games[0].task, games[0].opening.clone()), (None, None));
            let head = head.unwrap();
            assert_eq!((head.seed, head.configuration.as_str()), (7, r#"{"contestants":[],"games":2}"#));
            assert!(settings.contains_key("pgn") && !settings.contains_key("kept games"));
        }
        assert!(StoredMatch::read(&path).is_ok());
        assert!(MatchStore::open_fresh(&path).unwrap().has_lost_places());
    }
}

#[test]
fn a_damaged_journal_of_version_0_1_is_refused_and_left_as_it_is() {
    for (sql, what) in [
        ("UPDATE encounter SET games = replace(games, 'e4', 'c4')", "encounter 5: its checksum does not fit"),
        ("DELETE FROM encounter", "it has 0 encounters"),
        (
            "UPDATE setting SET value = '8' WHERE name = 'seed'",
            "the checksum of its setting \"seed\" does not fit",
        ),
        ("CREATE TABLE mine (x)", "its tables are not as they were made"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        version_0_1(&path, true);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = content(&path).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { .. }) && error.to_string().contains(what), "{error}");
        assert!(std::fs::read(&path).unwrap() == before, "{sql}");
        assert!(MatchStore::open_fresh(&path).unwrap().is_empty());
    }
}
