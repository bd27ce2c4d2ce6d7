use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::params;

use super::super::journal::JournalError;
use super::{Journal, TOTAL, Total, encounter_checksum, setting_checksum};

/// Says that a file is ours: "GaMt".
const APPLICATION_ID: i32 = 0x4761_4d74;

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

/// Whether a file that SQLite cannot read was a journal.
pub(super) fn has_our_header(path: &Path) -> bool {
    let mut header = [0; 72];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.starts_with(b"SQLite format 3\0") && header[68..] == APPLICATION_ID.to_be_bytes()
}

impl Journal {
    /// Makes sure that the file is a journal, in one piece and of this version, or makes it one if it is empty.
    pub(super) fn set_up(&self) -> Result<(), JournalError> {
        let connection = &self.connection;
        let number = |sql| self.error(connection.query_row(sql, [], |row| row.get::<_, i64>(0)));
        self.error(connection.pragma_update(None, "cell_size_check", true))?;
        let (ours, pages) =
            (number("PRAGMA application_id")? == i64::from(APPLICATION_ID), number("PRAGMA page_count")?);
        if !ours && number("SELECT count(*) FROM sqlite_master")? > 0 {
            return Err(JournalError::NoJournal { path: self.name() });
        }
        // The lock is held as long as the program runs, so that two runs never share a journal.
        self.error(connection.pragma_update(None, "locking_mode", "EXCLUSIVE"))?;
        self.error(connection.pragma_update(None, "journal_mode", "WAL"))?;
        self.error(connection.pragma_update(None, "synchronous", "NORMAL"))?;
        if pages > 1 {
            let verdict = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
            let verdict: String = self.error(verdict)?;
            if verdict != "ok" {
                return Err(JournalError::Damaged { path: self.name(), place: verdict });
            }
        }
        let tables = self.tables()?;
        let has = |wanted: &[(&str, &str)]| {
            wanted.len() == tables.len()
                && wanted.iter().all(|&(name, sql)| tables.get(name).is_some_and(|known| known == sql))
        };
        if tables.is_empty() && pages <= 1 {
            self.in_transaction(|| self.create_tables())
        } else if has(&TABLES) {
            Ok(())
        } else if has(&TABLES_WITHOUT_CHECKSUMS) {
            self.in_transaction(|| self.add_checksums())
        } else {
            Err(JournalError::Damaged {
                path: self.name(),
                place: "its tables are not as they were made".to_owned(),
            })
        }
    }

    fn tables(&self) -> Result<BTreeMap<String, String>, JournalError> {
        let sql = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL";
        let mut select = self.error(self.connection.prepare(sql))?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        self.error(self.error(rows)?.collect())
    }

    fn create_tables(&self) -> Result<(), JournalError> {
        self.error(self.connection.pragma_update(None, "application_id", APPLICATION_ID))?;
        for (_, sql) in TABLES {
            self.error(self.connection.execute_batch(sql))?;
        }
        self.set(TOTAL, &Total::default().to_string())
    }

    /// Takes over what an earlier version wrote, as it is.
    fn add_checksums(&self) -> Result<(), JournalError> {
        let connection = &self.connection;
        self.error(connection.execute_batch(
            "ALTER TABLE setting RENAME TO old_setting; ALTER TABLE encounter RENAME TO old_encounter;",
        ))?;
        self.create_tables()?;
        let mut total = Total::default();
        {
            let mut select = self.error(connection.prepare("SELECT name, value FROM old_setting"))?;
            let mut insert = self.error(
                connection.prepare("INSERT INTO setting (name, value, checksum) VALUES (?1, ?2, ?3)"),
            )?;
            let mut rows = self.error(select.query([]))?;
            while let Some(row) = self.error(rows.next())? {
                let (name, value): (String, String) = (self.error(row.get(0))?, self.error(row.get(1))?);
                self.error(insert.execute(params![name, value, setting_checksum(&name, &value)]))?;
            }
            let mut select = self.error(connection.prepare("SELECT number, games FROM old_encounter"))?;
            let mut insert = self.error(
                connection.prepare("INSERT INTO encounter (number, games, checksum) VALUES (?1, ?2, ?3)"),
            )?;
            let mut rows = self.error(select.query([]))?;
            while let Some(row) = self.error(rows.next())? {
                let (number, games): (i64, String) = (self.error(row.get(0))?, self.error(row.get(1))?);
                let checksum = encounter_checksum(number as u64, &games);
                total = total.with(&checksum);
                self.error(insert.execute(params![number, games, checksum]))?;
            }
        }
        self.error(connection.execute_batch("DROP TABLE old_setting; DROP TABLE old_encounter;"))?;
        self.set(TOTAL, &total.to_string())
    }
}
