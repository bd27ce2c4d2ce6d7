use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::COMPRESSED;
use crate::GameName;
use crate::games::listed;

/// What game files say, by the ending of their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum FileFormat {
    /// Games, in the format of their game.
    Games(GameName),
    /// Positions, one a line.
    Positions,
}

impl FileFormat {
    /// Games of chess.
    pub const PGN: Self = Self::Games(GameName::Chess);

    /// Games of checkers.
    pub const PDN: Self = Self::Games(GameName::Checkers);

    /// Positions.
    pub const EPD: Self = Self::Positions;

    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        // In the middle, where it has always been listed.
        let [first, others @ ..] = GameName::ALL else { unreachable!("there are games") };
        let games = |game: &GameName| Self::Games(*game);
        [games(first), Self::Positions].into_iter().chain(others.iter().map(games))
    }

    /// The format of a file, from its name with any compression taken off.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "epd" | "fen" => Some(Self::Positions),
            ending => GameName::of_file_ending(ending).map(Self::Games),
        }
    }

    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Games(game) => game.file_ending(),
            Self::Positions => "epd",
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<FileFormat> for &'static str {
    fn from(format: FileFormat) -> Self {
        format.as_str()
    }
}

impl TryFrom<String> for FileFormat {
    type Error = UnknownFormat;

    fn try_from(name: String) -> Result<Self, UnknownFormat> {
        name.parse()
    }
}

/// There is no such format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {0:?}; there are {formats}", formats = listed(FileFormat::all().map(FileFormat::as_str), "and"))]
pub struct UnknownFormat(pub String);

impl FromStr for FileFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let format = Self::all().find(|format| format.as_str() == name);
        format.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_does_not_hide_the_format() {
        let of = |name: &str| FileFormat::of_path(Path::new(name));
        assert_eq!(of("8moves_v3.pgn.zip"), Some(FileFormat::PGN));
        assert_eq!(of("books/Noob.EPD.zst"), Some(FileFormat::EPD));
        assert_eq!(of("start.fen"), Some(FileFormat::EPD));
        assert_eq!(of("games.pdn"), Some(FileFormat::PDN));
        assert_eq!(of("games.zip"), None);
        assert_eq!(of("games"), None);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for format in FileFormat::all() {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let unknown = "abc".parse::<FileFormat>().unwrap_err();
        let known = unknown.to_string();
        assert!(known.starts_with("unknown format \"abc\"; there are pgn, epd"), "{known}");
    }
}
