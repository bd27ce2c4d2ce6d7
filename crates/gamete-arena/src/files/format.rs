use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::COMPRESSED;

/// What game files say, by the ending of their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// Games of chess.
    Pgn,
    /// Positions, one a line.
    Epd,
    /// Games of checkers.
    Pdn,
}

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Pgn, Self::Epd, Self::Pdn];

    /// The format of a file, from its name with any compression taken off.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "pgn" => Some(Self::Pgn),
            "epd" | "fen" => Some(Self::Epd),
            "pdn" => Some(Self::Pdn),
            _ => None,
        }
    }

    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Epd => "epd",
            Self::Pdn => "pdn",
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// There is no such format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {0:?}; there are pgn, epd and pdn")]
pub struct UnknownFormat(pub String);

impl FromStr for FileFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let format = Self::ALL.into_iter().find(|format| format.as_str() == name);
        format.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_does_not_hide_the_format() {
        let of = |name: &str| FileFormat::of_path(Path::new(name));
        assert_eq!(of("8moves_v3.pgn.zip"), Some(FileFormat::Pgn));
        assert_eq!(of("books/Noob.EPD.zst"), Some(FileFormat::Epd));
        assert_eq!(of("start.fen"), Some(FileFormat::Epd));
        assert_eq!(of("games.pdn"), Some(FileFormat::Pdn));
        assert_eq!(of("games.zip"), None);
        assert_eq!(of("games"), None);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for format in FileFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let unknown = "abc".parse::<FileFormat>().unwrap_err();
        assert_eq!(unknown.to_string(), "unknown format \"abc\"; there are pgn, epd and pdn");
    }
}
