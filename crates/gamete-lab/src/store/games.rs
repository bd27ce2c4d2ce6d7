use gamete_arena::{GameName, Termination};
use serde::{Deserialize, Serialize};

use super::{Store, StoreError};

/// A game that was kept to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// In which generation it was played, from 1; 0 for games of a play-off.
    pub generation: u32,
    /// Which game.
    pub game: GameName,
    /// Who had White.
    pub white: String,
    /// Who had Black.
    pub black: String,
    /// The position it started from.
    pub start: String,
    /// All moves, those of the opening too.
    pub moves: Vec<String>,
    /// How it ended.
    pub termination: Termination,
}

impl Store {
    /// The games of a run that were kept, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn games(&self, run: i64) -> Result<Vec<GameRecord>, StoreError> {
        let mut select = self.check(
            self.connection.prepare_cached("SELECT record FROM game WHERE run = ?1 ORDER BY number"),
        )?;
        let rows = self.check(select.query_map([run], |row| row.get::<_, String>(0)))?;
        let mut games = Vec::new();
        for row in rows {
            games.push(self.content("a game", serde_json::from_str(&self.check(row)?))?);
        }
        Ok(games)
    }
}
