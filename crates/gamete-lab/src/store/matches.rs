//! The rows of a match: one experiment of that name, whose outcomes are its games, with settings and places in game files.
//!
//! All of them have a checksum. What does not fit is the error of a damaged database, with what and where.

use std::collections::BTreeMap;

use gamete_arena::{GameOutcome, GameTask, JournalGame, OpeningText, Written};
use rusqlite::{Connection, OptionalExtension, ffi, params};
use serde::{Deserialize, Serialize};

use super::checksum::{Total, checksum};
use super::outcomes::insert_outcome;
use super::{ExperimentRow, experiments};

/// The name of the experiment in the store of a match, and its method.
pub(crate) const MATCH: &str = "match";

/// In the place of the hash of a task: a game of an earlier version, which did not know it.
const UNKNOWN: i64 = 0;

/// The setting that says how many games there are, with the exclusive or of their checksums.
const TOTAL: &str = "games";

/// The setting of a journal that was cleared after games went to files.
pub(crate) const LOST_PLACES: &str = "lost_places";

/// What is there was damaged.
pub(crate) fn damaged(what: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(what.into()))
}

/// Makes the rows of a match that has not begun, and gives the number of its run.
pub(crate) fn insert_match(connection: &Connection, created: u64) -> rusqlite::Result<i64> {
    let blank = ExperimentRow {
        id: MATCH.to_owned(),
        file: String::new(),
        method: MATCH.to_owned(),
        about: String::new(),
        seed: 0,
        signature: String::new(),
        created,
        seconds: 0.0,
        result: None,
    };
    let insert = "INSERT INTO experiment (id, file, method, about, seed, signature, created, checksum) \
                  VALUES (?1, '', ?1, '', 0, '', ?2, ?3)";
    connection.execute(insert, params![MATCH, created as i64, row_checksum(&blank)])?;
    connection.execute("INSERT INTO run (experiment, path) VALUES (?1, '')", [MATCH])?;
    let run = connection.last_insert_rowid();
    insert_setting(connection, TOTAL, &Total::default().to_string())?;
    Ok(run)
}

/// The experiment of a match.
pub(crate) fn match_row(connection: &Connection) -> rusqlite::Result<ExperimentRow> {
    let (row, checksum) =
        experiments::with_checksum(connection, MATCH)?.ok_or_else(|| damaged("there is no match in it"))?;
    if checksum.as_deref() != Some(&row_checksum(&row)) {
        return Err(damaged("the checksum of its configuration does not fit"));
    }
    Ok(row)
}

/// Writes down what a match is.
pub(crate) fn update_match(connection: &Connection, row: &ExperimentRow) -> rusqlite::Result<()> {
    let update = "UPDATE experiment SET file = ?2, signature = ?3, seed = ?4, checksum = ?5 WHERE id = ?1";
    let values = params![MATCH, row.file, row.signature, row.seed as i64, row_checksum(row)];
    connection.execute(update, values).map(drop)
}

/// Of all but the running time.
fn row_checksum(row: &ExperimentRow) -> [u8; 32] {
    let ExperimentRow { id, file, method, about, seed, signature, created, .. } = row;
    let numbers = [*seed, *created].map(u64::to_le_bytes).concat();
    let texts = [id, file, method, about, signature].map(String::as_bytes);
    checksum("experiment", &[texts[0], texts[1], texts[2], texts[3], texts[4], &numbers])
}

/// The run of a match.
pub(crate) fn match_run(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT number FROM run WHERE experiment = ?1 AND path = ''";
    let run = connection.query_row(sql, [MATCH], |row| row.get(0)).optional()?;
    run.ok_or_else(|| damaged("the run of its match is missing"))
}

/// Writes a setting down.
pub(crate) fn insert_setting(connection: &Connection, name: &str, value: &str) -> rusqlite::Result<()> {
    let insert = "INSERT OR REPLACE INTO setting (experiment, name, value, checksum) VALUES (?1, ?2, ?3, ?4)";
    let values = params![MATCH, name, value, setting_checksum(name, value)];
    connection.prepare_cached(insert)?.execute(values).map(drop)
}

/// All settings, and how many games there are.
pub(crate) fn settings(connection: &Connection) -> rusqlite::Result<(BTreeMap<String, String>, Total)> {
    let mut select = connection.prepare("SELECT name, value, checksum FROM setting")?;
    let mut rows = select.query([])?;
    let mut settings = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
        if row.get::<_, [u8; 32]>(2)? != setting_checksum(&name, &value) {
            return Err(damaged_setting(&name));
        }
        settings.insert(name, value);
    }
    let total = settings.get(TOTAL).and_then(|text| Total::parse(text));
    Ok((settings, total.ok_or_else(|| damaged_setting(TOTAL))?))
}

pub(super) fn damaged_setting(name: &str) -> rusqlite::Error {
    damaged(format!("the checksum of its setting {name:?} does not fit"))
}

pub(super) fn setting_checksum(name: &str, value: &str) -> [u8; 32] {
    checksum("setting", &[name.as_bytes(), value.as_bytes()])
}

/// A game as it is stored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredGame {
    #[serde(default)]
    opening: Option<OpeningText>,
    outcome: GameOutcome,
}

/// A game as it is written.
#[derive(Serialize)]
struct GameToStore<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<OpeningToStore<'a>>,
    outcome: &'a GameOutcome,
}

#[derive(Serialize)]
struct OpeningToStore<'a> {
    start: &'a str,
    book: &'a [String],
}

/// Writes games down, those that are new, within a transaction of the caller. Gives how many there are then.
pub(crate) fn insert_games<'a>(
    connection: &Connection,
    run: i64,
    mut total: Total,
    games: impl IntoIterator<Item = (u64, Option<&'a GameTask>, &'a GameOutcome)>,
) -> rusqlite::Result<Total> {
    let before = total;
    for (number, task, outcome) in games {
        let opening = task.map(|task| OpeningToStore { start: &task.start, book: &task.book });
        let answer = super::json(&GameToStore { opening, outcome });
        let key = task.map_or(UNKNOWN, GameTask::journal_key);
        let inserted = insert_outcome(connection, run, number, key, &answer)?;
        total = inserted.map_or(total, |checksum| total.with(&checksum));
    }
    if total != before {
        insert_setting(connection, TOTAL, &total.to_string())?;
    }
    Ok(total)
}

/// Calls `read` with every game, in order.
pub(crate) fn read_games(
    connection: &Connection,
    run: i64,
    expected: Total,
    mut read: impl FnMut(JournalGame),
) -> rusqlite::Result<()> {
    let sql = "SELECT number, task, answer, checksum FROM outcome WHERE run = ?1 ORDER BY number";
    let mut select = connection.prepare(sql)?;
    let mut rows = select.query([run])?;
    let mut total = Total::default();
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(0)? as u64;
        let wrong =
            |what: &dyn std::fmt::Display| damaged(format!("game {}: {what}", number.wrapping_add(1)));
        let (task, answer): (i64, String) =
            (row.get(1).map_err(|error| wrong(&error))?, row.get(2).map_err(|error| wrong(&error))?);
        let checksum: [u8; 32] = row.get(3).map_err(|error| wrong(&error))?;
        if checksum != super::checksum::of_outcome(number, task, &answer) {
            return Err(wrong(&"its checksum does not fit"));
        }
        total = total.with(&checksum);
        let StoredGame { opening, outcome } = serde_json::from_str(&answer).map_err(|error| wrong(&error))?;
        read(JournalGame { number, task: (task != UNKNOWN).then_some(task), opening, outcome });
    }
    if total != expected {
        return Err(damaged(format!("it has {} games instead of {}", total.count, expected.count)));
    }
    Ok(())
}

/// Writes down where encounters stand in a file.
pub(crate) fn insert_written(
    connection: &Connection,
    file: &str,
    records: &[(u64, Written)],
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO written (experiment, file, number, start, length, hash, checksum) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = connection.prepare_cached(sql)?;
    for (number, written) in records {
        let Written { start, length, hash } = *written;
        let checksum = written_checksum(file, *number, written);
        insert.execute(params![MATCH, file, *number as i64, start as i64, length as i64, hash, checksum])?;
    }
    Ok(())
}

/// Which encounters stand where, by file and number, in a table of that form.
pub(crate) fn read_written(
    connection: &Connection,
    table: &str,
) -> rusqlite::Result<BTreeMap<(String, u64), Written>> {
    let sql = format!("SELECT file, number, start, length, hash, checksum FROM {table}");
    let mut select = connection.prepare(&sql)?;
    let mut rows = select.query([])?;
    let mut known = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (file, number): (String, _) = (row.get(0)?, row.get::<_, i64>(1)? as u64);
        let (start, length) = (row.get::<_, i64>(2)? as u64, row.get::<_, i64>(3)? as u64);
        let written = Written { start, length, hash: row.get(4)? };
        if row.get::<_, [u8; 32]>(5)? != written_checksum(&file, number, &written) {
            let encounter = number.wrapping_add(1);
            let what = "where it stands in a game file has another checksum";
            return Err(damaged(format!("encounter {encounter}: {what}")));
        }
        known.insert((file, number), written);
    }
    Ok(known)
}

fn written_checksum(file: &str, number: u64, written: &Written) -> [u8; 32] {
    let numbers = [number, written.start, written.length].map(u64::to_le_bytes);
    checksum("written", &[file.as_bytes(), &numbers.concat(), &written.hash])
}
