//! The landscape that the model of a tune has found so far.

use rusqlite::{OptionalExtension, params};

use super::matches::{damaged_setting, setting_checksum};
use super::{Store, StoreError};
use crate::model_slice::ModelLandscape;

/// The setting of an experiment that it is stored as.
const LANDSCAPE: &str = "landscape";

impl Store {
    /// Stores the present landscape in the place of an earlier one.
    pub(super) fn set_landscape(&self, experiment: &str, text: &str) -> Result<(), StoreError> {
        let insert =
            "INSERT OR REPLACE INTO setting (experiment, name, value, checksum) VALUES (?1, ?2, ?3, ?4)";
        let mut insert = self.check(self.connection.prepare_cached(insert))?;
        let values = params![experiment, LANDSCAPE, text, setting_checksum(LANDSCAPE, text)];
        self.check(insert.execute(values)).map(drop)
    }

    /// The landscape that the model of an experiment has found so far, if it has one.
    pub(crate) fn landscape(&self, experiment: &str) -> Result<Option<ModelLandscape>, StoreError> {
        let sql = "SELECT value, checksum FROM setting WHERE experiment = ?1 AND name = ?2";
        let found = self.connection.query_row(sql, [experiment, LANDSCAPE], |row| {
            Ok((row.get::<_, String>("value")?, row.get::<_, [u8; 32]>("checksum")?))
        });
        let Some((text, checksum)) = self.check(found.optional())? else { return Ok(None) };
        if checksum != setting_checksum(LANDSCAPE, &text) {
            return self.check(Err(damaged_setting(LANDSCAPE)));
        }
        self.content("a landscape", serde_json::from_str(&text)).map(Some)
    }
}
