use serde::Serialize;

use super::{MatchGame, MatchView};

/// Everything that the journal of a match has, as `export --json` writes it.
#[derive(Debug, Serialize)]
pub struct MatchExport<'a> {
    /// What came of it.
    #[serde(flatten)]
    pub view: &'a MatchView,
    /// All that was asked for and decides which games are played.
    pub configuration: serde_json::Value,
    /// What programs, nets and books are by the hash of their content.
    pub identity: serde_json::Value,
    /// Every game.
    pub all_games: Vec<MatchGame>,
}

impl MatchView {
    /// Everything there is.
    pub fn export(&self) -> MatchExport<'_> {
        let json = |text: &str| serde_json::from_str(text).unwrap_or_default();
        let identity = self.stored.head.as_ref().map_or("", |head| head.identity.as_str());
        MatchExport {
            view: self,
            configuration: json(&self.configuration),
            identity: json(identity),
            all_games: self.match_games(),
        }
    }
}
