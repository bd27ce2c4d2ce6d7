//! What turns the tables of each version of a lab into those of the next.

use gamete_optim::Genome;
use rusqlite::{Connection, params};

use super::individuals::insert_individuals;
use crate::individual::Individual;

/// From each version to the next; the first makes the tables from nothing. An entry that was released is never changed: a
/// new table or column is a new entry at the end.
pub(super) const MIGRATIONS: [fn(&Connection) -> rusqlite::Result<()>; 5] =
    [first_tables, verifications, individuals, matches, verification_terms];

/// The version of the tables. A lab with a larger number was made by a newer program.
pub(crate) const VERSION: i32 = MIGRATIONS.len() as i32;

/// Experiments with their runs, outcomes, generations and kept games.
fn first_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "
    CREATE TABLE experiment (
        id TEXT PRIMARY KEY, file TEXT NOT NULL, method TEXT NOT NULL, about TEXT NOT NULL, seed INTEGER NOT NULL,
        signature TEXT NOT NULL, created INTEGER NOT NULL, seconds REAL NOT NULL DEFAULT 0, result TEXT
    ) STRICT;
    CREATE TABLE run (
        number INTEGER PRIMARY KEY, experiment TEXT NOT NULL REFERENCES experiment ON DELETE CASCADE,
        path TEXT NOT NULL, UNIQUE (experiment, path)
    ) STRICT;
    CREATE TABLE outcome (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, number INTEGER NOT NULL, task INTEGER NOT NULL,
        answer TEXT NOT NULL, PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE generation (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, number INTEGER NOT NULL, summary TEXT NOT NULL,
        population TEXT NOT NULL, PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE game (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, number INTEGER NOT NULL, record TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    ",
    )
}

/// Games of champions against their baselines.
fn verifications(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "
    CREATE TABLE verification (
        experiment TEXT NOT NULL REFERENCES experiment ON DELETE CASCADE, champion TEXT NOT NULL,
        baseline TEXT NOT NULL, opponent TEXT NOT NULL, position INTEGER NOT NULL, contest INTEGER NOT NULL,
        planned INTEGER NOT NULL, PRIMARY KEY (experiment, champion, baseline)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE verification_pair (
        experiment TEXT NOT NULL, champion TEXT NOT NULL, baseline TEXT NOT NULL, pair INTEGER NOT NULL,
        result TEXT NOT NULL, PRIMARY KEY (experiment, champion, baseline, pair),
        FOREIGN KEY (experiment, champion, baseline) REFERENCES verification ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    ",
    )
}

/// A row for each individual, where a generation had all its genomes in one text.
fn individuals(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "
    CREATE TABLE individual (
        run INTEGER NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL, genome BLOB NOT NULL,
        fitness REAL, parents TEXT, UNIQUE (run, generation, number),
        FOREIGN KEY (run, generation) REFERENCES generation ON DELETE CASCADE
    ) STRICT;
    ALTER TABLE generation ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
    ",
    )?;
    split_populations(connection)?;
    connection.execute_batch("ALTER TABLE generation DROP COLUMN population")
}

fn split_populations(connection: &Connection) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT run, number, population FROM generation")?;
    let mut update = connection.prepare("UPDATE generation SET size = ?3 WHERE run = ?1 AND number = ?2")?;
    let mut rows = select.query([])?;
    let mut sizes = Vec::new();
    while let Some(row) = rows.next()? {
        let (run, number): (i64, i64) = (row.get("run")?, row.get("number")?);
        let text = row.get_ref("population")?.as_bytes()?;
        // A population that is damaged stays so: nobody is there, and that is not how many there are.
        let size = match serde_json::from_slice::<Vec<Genome>>(text) {
            Ok(genomes) => {
                let individuals: Vec<_> = genomes.into_iter().map(Individual::from).collect();
                insert_individuals(connection, run, number, &individuals)?;
                individuals.len() as i64
            }
            Err(_) => -1,
        };
        sizes.push((run, number, size));
    }
    for (run, number, size) in sizes {
        update.execute(params![run, number, size])?;
    }
    Ok(())
}

/// What a match remembers: settings, and where its encounters stand in game files. Checksums of what decides a run; rows of
/// earlier versions have none.
fn matches(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "
    ALTER TABLE experiment ADD COLUMN checksum BLOB;
    ALTER TABLE outcome ADD COLUMN checksum BLOB;
    CREATE TABLE setting (
        experiment TEXT NOT NULL REFERENCES experiment ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
        checksum BLOB NOT NULL, PRIMARY KEY (experiment, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE written (
        experiment TEXT NOT NULL REFERENCES experiment ON DELETE CASCADE, file TEXT NOT NULL,
        number INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL, hash BLOB NOT NULL,
        checksum BLOB NOT NULL, PRIMARY KEY (experiment, file, number)
    ) STRICT, WITHOUT ROWID;
    ",
    )
}

/// How the games of a verification are played, where that is not as ever.
fn verification_terms(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("ALTER TABLE verification ADD COLUMN terms TEXT;")
}
