use std::path::Path;

use rusqlite::params;

use super::*;
use crate::generation::Generation;
use crate::individual::Individual;
use crate::measure::Measure;

fn row(id: &str) -> ExperimentRow {
    ExperimentRow {
        id: id.to_owned(),
        file: String::new(),
        method: String::new(),
        about: String::new(),
        seed: 1,
        signature: String::new(),
        created: 0,
        seconds: 0.0,
        result: None,
    }
}

/// A generation in which nothing happened.
fn generation(number: u32) -> Generation {
    Generation {
        number,
        spread: Vec::new(),
        matches: crate::MatchCounts::default(),
        games: 0,
        draws: 0,
        faults: 0,
        plies: 0,
        seconds: 0.0,
        measures: Vec::new(),
        cross_table: None,
        tally: None,
    }
}

fn ids(store: &Store) -> Vec<String> {
    store.experiments().expect("rows").into_iter().map(|row| row.id).collect()
}

fn names(directory: &Path) -> Vec<String> {
    let files = std::fs::read_dir(directory).expect("a directory").flatten();
    let mut names: Vec<_> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The system tells of locks by the number of the file.
#[cfg(target_os = "linux")]
#[test]
fn whoever_looks_what_a_file_is_leaves_the_locks_of_this_process_on_it() {
    use std::os::unix::fs::MetadataExt;

    let lab = tempfile::tempdir().expect("a directory");
    // What the file says of itself is in it, and no more in the log, once it was closed.
    drop(Store::create(lab.path()).expect("a lab"));
    let store = Store::create(lab.path()).expect("the lab");
    assert!(ids(&store).is_empty());
    let file = lab.path().join(FILE_NAME);
    let number = format!(":{} ", std::fs::metadata(&file).expect("the file").ino());
    let locks = || {
        let all = std::fs::read_to_string("/proc/locks").unwrap_or_default();
        all.lines().filter(|line| line.contains(&number)).count()
    };
    let before = locks();
    assert!(before > 0, "a connection in use holds a lock");
    assert_eq!(found_in_header(&file), Found::Lab(VERSION));
    assert!(ids(&Store::open(lab.path()).expect("the lab")).is_empty());
    assert_eq!(locks(), before, "another process would take the log for its own and delete it");
}

#[test]
fn a_lab_that_another_program_holds_says_so() {
    let lab = tempfile::tempdir().expect("a directory");
    drop(Store::create(lab.path()).expect("a lab"));
    let file = lab.path().join(FILE_NAME);
    let other = Connection::open(&file).expect("the file");
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").expect("a lock");
    let Err(error) = Store::create_file(&file, Duration::from_millis(20)) else { panic!("it was opened") };
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    let told = error.to_string();
    assert!(
        told.starts_with(&file.display().to_string()) && told.contains("another program holds"),
        "{told}"
    );
    drop(other);
    Store::create_file(&file, Duration::from_millis(20)).expect("a lab");
}

#[test]
fn a_lab_can_be_read_without_its_log_and_without_writing() {
    let lab = tempfile::tempdir().expect("a directory");
    // A name that means something in a URI.
    let directory = lab.path().join("100% of #1?");
    Store::create(&directory).expect("a lab").insert(&row("one")).expect("a row");
    let store = Store::open_read_only(&directory.join(FILE_NAME)).expect("a lab");
    assert_eq!(ids(&store), ["one"]);
    assert!(store.insert(&row("two")).is_err());
    assert!(store._copy.is_none(), "it is read in place");
}

#[test]
fn what_is_only_in_the_log_of_a_killed_process_is_read_from_a_copy() {
    let lab = tempfile::tempdir().expect("a directory");
    let writer = Store::create(lab.path()).expect("a lab");
    writer.insert(&row("one")).expect("a row");
    // What a process leaves that is killed now, on a disk without the file of shared memory.
    let left = tempfile::tempdir().expect("a directory");
    for name in ["lab.sqlite", "lab.sqlite-wal"] {
        std::fs::copy(lab.path().join(name), left.path().join(name)).expect("a copy");
    }
    let reading = reading::copied(&left.path().join(FILE_NAME)).expect("a lab");
    let file = left.path().join(FILE_NAME);
    let store =
        Store { file, connection: reading.connection, _copy: reading.copy, counted: Default::default() };
    assert_eq!(ids(&store), ["one"]);
    assert_eq!(names(left.path()), ["lab.sqlite", "lab.sqlite-wal"], "nothing was written");
}

#[test]
fn many_at_once_make_one_new_lab() {
    const AT_ONCE: usize = 8;
    for round in 0..150 {
        let lab = tempfile::tempdir().expect("a directory");
        let barrier = std::sync::Barrier::new(AT_ONCE);
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    barrier.wait();
                    Store::create(lab.path()).unwrap_or_else(|error| panic!("round {round}: {error}"));
                });
            }
        });
    }
}

#[test]
fn outcomes_with_impossible_numbers_are_damage_and_not_memory() {
    let lab = tempfile::tempdir().expect("a directory");
    let store = Store::create(lab.path()).expect("a lab");
    store.insert(&row("one")).expect("a row");
    let run = store.run("one", "").expect("a run");
    let put = |number: i64| {
        let insert = "INSERT INTO outcome (run, number, task, answer) VALUES (?1, ?2, 0, '')";
        store.connection.execute(insert, params![run, number]).expect("an outcome")
    };
    put(1_000_000_000_000);
    assert_eq!(store.outcomes(run).expect("outcomes").len(), 1);
    put(-5);
    let error = store.outcomes(run).expect_err("damage").to_string();
    assert!(error.contains("an outcome of run 1 has the number -5"), "{error}");
}

#[test]
fn pairs_of_a_verification_with_impossible_numbers_are_damage() {
    let lab = tempfile::tempdir().expect("a directory");
    let store = Store::create(lab.path()).expect("a lab");
    store.insert(&row("one")).expect("a row");
    let sql =
        "INSERT INTO verification (experiment, champion, baseline, position, contest, opponent, planned)
               VALUES ('one', 'x', 'start', 0, 0, 'y', 1)";
    store.connection.execute(sql, []).expect("a match");
    for pair in [-1_i64, 1_000_000_000_000] {
        let sql = "INSERT INTO verification_pair (experiment, champion, baseline, pair, result)
                   VALUES ('one', 'x', 'start', ?1, 'ww')";
        store.connection.execute(sql, [pair]).expect("a pair");
        let error = store.verification("one").expect_err("damage").to_string();
        assert!(error.contains(&format!("a verification of one has a pair {pair}")), "{error}");
        store.connection.execute("DELETE FROM verification_pair", []).expect("no pair");
    }
}

#[test]
fn generations_with_impossible_numbers_and_dates_are_damage() {
    let lab = tempfile::tempdir().expect("a directory");
    let store = Store::create(lab.path()).expect("a lab");
    store.insert(&row("one")).expect("a row");
    let run = store.run("one", "").expect("a run");
    let entry =
        |number, population| Entry::Generation { run, summary: Box::new(generation(number)), population };
    store.write(&[entry(0, Vec::new()), entry(1, Vec::new())]).expect("generations");
    let damage = |error: Option<StoreError>, words: &str| {
        let error = error.expect("damage").to_string();
        assert!(error.contains(words), "{error}");
    };
    store.connection.execute("UPDATE generation SET number = -5 WHERE number = 1", []).expect("damage");
    damage(store.summaries(run).err(), "a generation of run 1 has the number -5");
    damage(store.generations(run).err(), "a generation of run 1 has the number -5");
    store.connection.execute("DELETE FROM generation WHERE number = -5", []).expect("no damage");
    store.write(&[entry(1, vec![vec![1.0].into()])]).expect("a generation");
    damage(store.generations(run).err(), "genomes of another length");
    for created in [i64::MIN, i64::MAX] {
        store.connection.execute("UPDATE experiment SET created = ?1", [created]).expect("damage");
        assert!(store.experiment("one").expect("a row").created <= 253_402_300_799);
    }
}

#[test]
fn games_are_counted_on_as_generations_come() {
    let lab = tempfile::tempdir().expect("a directory");
    let (writer, reader) =
        (Store::create(lab.path()).expect("a lab"), Store::open(lab.path()).expect("a lab"));
    let begin = || {
        writer.insert(&row("one")).expect("a row");
        writer.run("one", "").expect("a run")
    };
    let run = begin();
    let write = |number, games| {
        let summary = Generation { games, ..generation(number) };
        let entry = Entry::Generation { run, summary: Box::new(summary), population: Vec::new() };
        writer.write(&[entry]).expect("a generation");
    };
    let count = || reader.games_played(run).expect("a count");
    assert_eq!(count(), 0);
    write(0, 3);
    assert_eq!((count(), count()), (3, 3));
    write(1, 5);
    write(2, 7);
    assert_eq!((count(), count()), (15, 15));
    writer.delete("one").expect("nothing left");
    assert_eq!(count(), 0);
    assert_eq!(begin(), run, "the number is free again");
    write(0, 3);
    write(1, 1);
    write(2, 1);
    assert_eq!(count(), 5, "generations of another run");
}

#[test]
fn the_running_time_never_becomes_less() {
    let lab = tempfile::tempdir().expect("a directory");
    let store = Store::create(lab.path()).expect("a lab");
    store.insert(&row("one")).expect("a row");
    store.set_seconds("one", 5.0).expect("a time");
    store.set_seconds("one", 3.0).expect("a time");
    assert_eq!(store.seconds("one").expect("a time"), 5.0);
    let run = store.run("one", "").expect("a run");
    let summary = Generation { seconds: 19.0, ..generation(1) };
    let entry = Entry::Generation { run, summary: Box::new(summary), population: Vec::new() };
    store.write(&[entry]).expect("a generation");
    assert_eq!(store.seconds("one").expect("a time"), 19.0, "a generation of a lab that lost its time");
}

/// The tables of version 2 with a run of two generations, of which the second has a damaged population.
fn version_2(directory: &Path) {
    let connection = Connection::open(directory.join(FILE_NAME)).expect("a file");
    for migration in &migrations::MIGRATIONS[..2] {
        migration(&connection).expect("tables");
    }
    let summary = |number: u32| {
        format!(r#"{{"number":{number},"spread":[{{"mean":1.0,"sd":1.0,"min":0.0,"max":2.0}}],"#,)
            + r#""matches":{"won":0,"edged":0,"drawn":0},"games":0,"draws":0,"plies":0,"seconds":0.0}"#
    };
    let sql = "INSERT INTO experiment (id, file, method, about, seed, signature, created) VALUES ('one', '', '', '', 1, '', 0);
        INSERT INTO run (number, experiment, path) VALUES (7, 'one', '');
        PRAGMA application_id = 0x47614c62; PRAGMA user_version = 2;";
    connection.execute_batch(sql).expect("rows");
    let insert = "INSERT INTO generation (run, number, summary, population) VALUES (7, ?1, ?2, ?3)";
    for (number, population) in [(0, "[[0.1],[-2e300]]"), (1, "[[0.1],[")] {
        connection.execute(insert, params![number, summary(number), population]).expect("a generation");
    }
}

#[test]
fn populations_of_version_2_become_individuals() {
    let lab = tempfile::tempdir().expect("a directory");
    version_2(lab.path());
    let store = Store::open(lab.path()).expect("a lab");
    assert_eq!(store.generation(7, 0).expect("a lab").map(|one| one.measures), Some(Vec::new()));
    assert_eq!(store.individuals(7, 0).expect("individuals"), [vec![0.1].into(), vec![-2e300].into()]);
    assert_eq!(store.individuals(7, 2).expect("no generation"), []);
    let error = store.individuals(7, 1).expect_err("damage").to_string();
    assert!(error.contains("the population of generation 1 of run 7 is not all there"), "{error}");
    store.delete("one").expect("an experiment");
    let left: i64 = store
        .connection
        .query_row("SELECT count(*) FROM individual", [], |row| row.get(0))
        .expect("a number");
    assert_eq!(left, 0, "individuals go with their experiment");
}

#[test]
fn an_individual_is_read_as_it_was_written() {
    let lab = tempfile::tempdir().expect("a directory");
    let store = Store::create(lab.path()).expect("a lab");
    store.insert(&row("one")).expect("a row");
    let run = store.run("one", "").expect("a run");
    let spread = gamete_stats::Spread { mean: 0.0, sd: 0.0, min: 0.0, max: 0.0 };
    let summary = Generation {
        number: 3,
        spread: vec![spread; 2],
        matches: crate::MatchCounts::default(),
        games: 0,
        draws: 0,
        faults: 0,
        plies: 0,
        seconds: 0.0,
        measures: vec![Measure::of_best("hits", 7.0).out_of(9.0)],
        cross_table: None,
        tally: None,
    };
    let population = vec![
        Individual { genome: vec![0.1 + 0.2, -0.0], fitness: Some(-1.5), parents: vec![4, 0] },
        Individual::from(vec![f64::MIN_POSITIVE, f64::MAX]),
    ];
    let entry = |population| Entry::Generation { run, summary: Box::new(summary.clone()), population };
    store.write(&[entry(population.clone())]).expect("a generation");
    store.write(&[entry(Vec::new())]).expect("what is there stays");
    assert_eq!(store.individuals(run, 3).expect("individuals"), population);
    assert_eq!(store.last_population(run).expect("individuals"), Some(population));
    let generation = |number| store.generation(run, number).expect("a lab");
    assert_eq!((generation(3), generation(4)), (Some(summary.clone()), None));
    store.connection.execute("DELETE FROM individual WHERE number = 1", []).expect("damage");
    assert!(store.generations(run).is_err());
}

#[test]
fn a_lab_of_a_newer_version_is_refused_in_one_line() {
    let lab = tempfile::tempdir().expect("a directory");
    drop(Store::create(lab.path()).expect("a lab"));
    let connection = Connection::open(lab.path().join(FILE_NAME)).expect("a file");
    connection.pragma_update(None, "user_version", VERSION + 1).expect("a version");
    drop(connection);
    let error = Store::open(lab.path()).err().expect("a newer lab").to_string();
    assert!(error.contains("made by a newer Gamete") && error.lines().count() == 1, "{error}");
}

#[test]
fn a_pulse_counts_the_pairs_that_verify_and_tells_when_generations_ended() {
    let lab = tempfile::tempdir().expect("a directory");
    let store = Store::create(lab.path()).expect("a lab");
    for id in ["one", "two"] {
        store.insert(&row(id)).expect("a row");
    }
    let sql =
        "INSERT INTO verification (experiment, champion, baseline, position, contest, opponent, planned)
               VALUES ('two', 'x', 'start', 0, 0, 'y', 3)";
    store.connection.execute(sql, []).expect("a match");
    let sql = "INSERT INTO verification_pair (experiment, champion, baseline, pair, result)
               VALUES ('two', 'x', 'start', 0, 'ww'), ('two', 'x', 'start', 2, 'll')";
    store.connection.execute(sql, []).expect("pairs");
    let pairs: Vec<u64> = store.pulses().expect("pulses").iter().map(|pulse| pulse.pairs).collect();
    assert_eq!(pairs, [0, 2]);
    assert_eq!(store.pulse("two").expect("a lab").map(|pulse| pulse.pairs), Some(2));
    assert_eq!(store.pulse("three").expect("a lab"), None);

    let run = store.run("one", "").expect("a run");
    let summary = Box::new(Generation { seconds: 7.5, ..generation(0) });
    store.write(&[Entry::Generation { run, summary, population: Vec::new() }]).expect("a generation");
    assert_eq!(store.generation_end(run, 0).expect("a lab"), Some(7.5));
    assert_eq!(store.generation_end(run, 1).expect("a lab"), None);
    assert_eq!(store.last_kept(run).expect("a lab"), 0);
}
