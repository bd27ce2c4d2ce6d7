use gamete_arena::GameName;
use serde::{Deserialize, Serialize};

/// How a corpus was made, and what is in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Which game.
    pub game: GameName,
    /// The program that made it.
    pub program: String,
    /// The files that it was made from.
    pub files: Vec<SourceFile>,
    /// Where all that is random came from.
    pub seed: u64,
    /// How it was made: settings by name, as the command line has them.
    pub settings: Vec<(String, String)>,
    /// How many positions there are to learn from.
    pub train: u64,
    /// How many there are to see what was learned.
    pub test: u64,
    /// How many positions were asked for, where a mentor failed or was broken off before it had scored them all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<u64>,
    /// How many games were finished, where a player failed or was broken off before all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<u64>,
}

impl Manifest {
    /// A setting that it was made with.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// A file that a corpus was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// Its name, without the folder.
    pub name: String,
    /// The hash of what is in it, decompressed.
    pub hash: String,
    /// How many games or lines it has.
    pub entries: u64,
    /// How many of them gave positions.
    pub used: u64,
}
