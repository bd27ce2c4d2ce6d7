//! Journals of matches that version 0.1 made: they have tables of their own, which become those of a store.

use std::collections::BTreeMap;

use gamete_arena::GameOutcome;
use rusqlite::Connection;

use super::checksum::{Total, checksum};
use super::matches::{
    damaged, damaged_setting, insert_games, insert_match, insert_setting, insert_written, match_row,
    read_written, setting_checksum, update_match,
};
use super::schema::tables;

/// Says that a file is the journal of a match of version 0.1: "GaMt".
pub(super) const APPLICATION_ID: i32 = 0x4761_4d74;

/// The tables, by their names. SQLite keeps these texts, so that they tell which version made a file.
const TABLES: [(&str, &str); 3] = [
    (
        "setting",
        "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL) STRICT, WITHOUT ROWID",
    ),
    (
        "encounter",
        "CREATE TABLE encounter (number INTEGER PRIMARY KEY, games TEXT NOT NULL, checksum BLOB NOT NULL) STRICT",
    ),
    (
        "written",
        "CREATE TABLE written (file TEXT, number INTEGER, start INTEGER NOT NULL, length INTEGER NOT NULL, \
        hash BLOB NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (file, number)) STRICT, WITHOUT ROWID",
    ),
];

/// The tables before there were checksums.
const TABLES_WITHOUT_CHECKSUMS: [(&str, &str); 2] = [
    ("setting", "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"),
    ("encounter", "CREATE TABLE encounter (number INTEGER PRIMARY KEY, games TEXT NOT NULL) STRICT"),
];

/// The setting that says how many encounters there are, with the exclusive or of their checksums.
const TOTAL: &str = "encounters";

/// The setting with the games of encounters that were broken off.
const KEPT: &str = "kept games";

/// Turns the tables into those that `make_tables` makes, within a transaction of the caller. What was damaged is refused.
pub(super) fn migrate(
    connection: &Connection,
    make_tables: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(damaged(verdict));
    }
    let has_checksums = has_checksums(connection)?;
    let mut rename =
        "ALTER TABLE setting RENAME TO old_setting; ALTER TABLE encounter RENAME TO old_encounter;"
            .to_owned();
    if has_checksums {
        rename.push_str("ALTER TABLE written RENAME TO old_written;");
    }
    connection.execute_batch(&rename)?;
    make_tables(connection)?;
    let mut settings = read_settings(connection, has_checksums)?;
    let run = insert_match(connection, modified(connection).unwrap_or_default())?;
    let mut row = match_row(connection)?;
    row.file = settings.remove("configuration").unwrap_or_default();
    row.signature = settings.remove("identity").unwrap_or_default();
    row.seed = settings.remove("seed").and_then(|seed| seed.parse().ok()).unwrap_or_default();
    update_match(connection, &row)?;
    let each = games_each(&row.file);
    let kept = settings.remove(KEPT);
    let known = settings.remove(TOTAL);
    for (name, value) in &settings {
        insert_setting(connection, name, value)?;
    }
    let mut total = Total::default();
    let mut add = |number: u64, games: Vec<Option<GameOutcome>>| {
        if games.len() as u64 != each {
            return Err(damaged(format!(
                "encounter {}: it has {} games",
                number.wrapping_add(1),
                games.len()
            )));
        }
        let games = (number.wrapping_mul(each)..).zip(&games);
        let over = games.filter_map(|(number, game)| Some((number, None, game.as_ref()?)));
        total = insert_games(connection, run, total, over)?;
        Ok(())
    };
    let found = read_encounters(connection, has_checksums, &mut add)?;
    if has_checksums && known.as_deref().and_then(Total::parse) != Some(found) {
        return Err(damaged(format!("it has {} encounters, which are not those that it had", found.count)));
    }
    if let Some(kept) = kept {
        let kept: BTreeMap<u64, Vec<Option<GameOutcome>>> =
            serde_json::from_str(&kept).map_err(|error| damaged(format!("{KEPT}: {error}")))?;
        kept.into_iter().try_for_each(|(number, games)| add(number, games))?;
    }
    if has_checksums {
        for ((file, number), written) in read_written(connection, "old_written")? {
            insert_written(connection, &file, &[(number, written)])?;
        }
        connection.execute_batch("DROP TABLE old_written")?;
    }
    connection.execute_batch("DROP TABLE old_setting; DROP TABLE old_encounter;")
}

/// When the file was written last, as nobody knows when it was begun.
fn modified(connection: &Connection) -> Option<u64> {
    let time = std::fs::metadata(connection.path()?).and_then(|file| file.modified()).ok()?;
    Some(time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs())
}

/// Whether rows have checksums; an error where the tables are not as they were made.
fn has_checksums(connection: &Connection) -> rusqlite::Result<bool> {
    let tables = tables(connection)?;
    let has = |wanted: &[(&str, &str)]| {
        wanted.len() == tables.len()
            && wanted.iter().all(|&(name, sql)| tables.get(name).is_some_and(|known| known == sql))
    };
    match (has(&TABLES), has(&TABLES_WITHOUT_CHECKSUMS)) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err(damaged("its tables are not as they were made")),
    }
}

fn read_settings(connection: &Connection, has_checksums: bool) -> rusqlite::Result<BTreeMap<String, String>> {
    let checksum = if has_checksums { "checksum" } else { "NULL" };
    let mut select = connection.prepare(&format!("SELECT name, value, {checksum} FROM old_setting"))?;
    let mut rows = select.query([])?;
    let mut settings = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
        let known: Option<[u8; 32]> = row.get(2)?;
        if has_checksums && known != Some(setting_checksum(&name, &value)) {
            return Err(damaged_setting(&name));
        }
        settings.insert(name, value);
    }
    Ok(settings)
}

/// Games of an encounter, as the configuration has them.
fn games_each(configuration: &str) -> u64 {
    let json: serde_json::Value = serde_json::from_str(configuration).unwrap_or_default();
    json["games"].as_u64().unwrap_or(2).max(1)
}

/// Calls `add` with the games of every encounter, and gives how many there are.
fn read_encounters(
    connection: &Connection,
    has_checksums: bool,
    add: &mut impl FnMut(u64, Vec<Option<GameOutcome>>) -> rusqlite::Result<()>,
) -> rusqlite::Result<Total> {
    let known = if has_checksums { "checksum" } else { "NULL" };
    let mut select =
        connection.prepare(&format!("SELECT number, games, {known} FROM old_encounter ORDER BY number"))?;
    let mut rows = select.query([])?;
    let mut total = Total::default();
    while let Some(row) = rows.next()? {
        let (number, text): (_, String) = (row.get::<_, i64>(0)? as u64, row.get(1)?);
        let checksum = checksum("encounter", &[&number.to_le_bytes(), text.as_bytes()]);
        let wrong =
            |what: &dyn std::fmt::Display| damaged(format!("encounter {}: {what}", number.wrapping_add(1)));
        if has_checksums && row.get::<_, Option<[u8; 32]>>(2)? != Some(checksum) {
            return Err(wrong(&"its checksum does not fit"));
        }
        total = total.with(&checksum);
        add(number, serde_json::from_str(&text).map_err(|error| wrong(&error))?)?;
    }
    Ok(total)
}
