//! Suites: files of positions with known best moves.

use std::io::BufRead;
use std::path::Path;

use gamete_chess::{Epd, EpdReader, Move};
use gamete_game::Game;

use crate::files::{self, FileError};
use crate::{GameName, Playable, Puzzle, grouped};

/// Positions with known best moves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suite {
    /// Those that can be solved or missed.
    pub positions: Vec<SuitePosition>,
    /// Positions without a best move and without a mistake, which are left out.
    pub unmarked: u64,
    /// Lines that are no positions, which are left out too.
    pub bad_lines: u64,
    /// What is wrong with the first [`MAX_PROBLEMS`](Self::MAX_PROBLEMS) of them, with file and line.
    pub problems: Vec<String>,
}

/// A position of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuitePosition {
    /// Its name in the file, if it has one.
    pub id: Option<String>,
    /// What is to be solved.
    pub puzzle: Puzzle,
}

/// Why a file is no suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Positions of this game have no format with best moves.
    #[error("there are no suites of {0}; suites are EPD files of {games}", games = GameName::with_suites())]
    Game(GameName),
    /// It is no suite but something much larger.
    #[error("{0}: more than {max} positions", max = grouped(&Suite::MAX_POSITIONS.to_string()))]
    TooLarge(String),
    /// There is nothing in it.
    #[error("{0}: no positions with bm or am in it")]
    Empty(String),
}

/// Receives the positions of a text, and what is wrong with a line that is none.
pub type OnPosition<'a> = dyn FnMut(Result<SuitePosition, String>) -> Result<(), SuiteError> + 'a;

/// Reads a text of positions with best moves.
pub type SuiteReader = fn(&mut dyn BufRead, &mut OnPosition<'_>) -> Result<(), SuiteError>;

impl Suite {
    /// More than any suite has; a bound on the memory that a file of nonsense takes.
    pub const MAX_POSITIONS: usize = 1_000_000;

    /// More bad lines than this are counted but not described.
    pub const MAX_PROBLEMS: usize = 20;

    /// The suite of a file, decompressed if need be.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or there is nothing to solve in it.
    pub fn load(game: GameName, path: &Path) -> Result<Self, SuiteError> {
        let mut suite = Self::default();
        files::read(path, |_| {}, |name, text| suite.read(game, name, text))?;
        suite.non_empty(&path.display().to_string())
    }

    /// Adds the positions of a text with this name.
    ///
    /// # Errors
    ///
    /// When there are no suites of this game, or there are too many positions.
    pub fn read(&mut self, game: GameName, name: &str, text: &mut dyn BufRead) -> Result<(), SuiteError> {
        let read = dispatch!(game, G => G::EXTRAS.read_suite).ok_or(SuiteError::Game(game))?;
        read(text, &mut |position| {
            match position {
                Ok(position) if position.puzzle.best.is_empty() && position.puzzle.avoid.is_empty() => {
                    self.unmarked += 1;
                }
                Ok(position) => self.positions.push(position),
                Err(problem) => {
                    self.bad_lines += 1;
                    if self.problems.len() < Self::MAX_PROBLEMS {
                        self.problems.push(format!("{name}: {problem}"));
                    }
                }
            }
            if self.positions.len() > Self::MAX_POSITIONS {
                return Err(SuiteError::TooLarge(name.to_owned()));
            }
            Ok(())
        })
    }

    /// The same suite, if there is anything to solve in it.
    ///
    /// # Errors
    ///
    /// When there is not; the `name` of the file is for the message.
    pub fn non_empty(self, name: &str) -> Result<Self, SuiteError> {
        if self.positions.is_empty() { Err(SuiteError::Empty(name.to_owned())) } else { Ok(self) }
    }

    /// A hash of what is to be solved: not of names, remarks and compression.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for SuitePosition { puzzle: Puzzle { fen, best, avoid }, .. } in &self.positions {
            hasher.update(format!("{fen} bm {}; am {};\n", best.join(" "), avoid.join(" ")).as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Reads EPD.
pub(crate) fn read_epd_suite(
    text: &mut dyn BufRead,
    on_position: &mut OnPosition<'_>,
) -> Result<(), SuiteError> {
    for epd in EpdReader::new(text) {
        on_position(epd.map(|epd| SuitePosition::from(&epd)).map_err(|error| error.to_string()))?;
    }
    Ok(())
}

impl From<&Epd> for SuitePosition {
    fn from(epd: &Epd) -> Self {
        let texts = |moves: Option<&[Move]>| {
            moves.unwrap_or_default().iter().map(|&mv| epd.position.move_text(mv)).collect()
        };
        let (best, avoid) = (texts(epd.best_moves()), texts(epd.avoid_moves()));
        Self {
            id: epd.id().map(str::to_owned),
            puzzle: Puzzle { fen: epd.position.to_string(), best, avoid },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPD: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id \"mate\";\n\
        no position\n\
        6k1/5ppp/8/8/8/8/8/R3K3 w - - id \"nothing to solve\";\n\
        6k1/5ppp/8/8/8/8/8/R3K3 w - - am Ra7 Kd1;\n";

    fn suite(text: &str) -> Suite {
        let mut suite = Suite::default();
        suite.read(GameName::Chess, "a.epd", &mut text.as_bytes()).expect("a suite");
        suite
    }

    #[test]
    fn positions_with_marks_are_kept_and_others_counted() {
        let suite = suite(EPD);
        let [mate, mistake] = &suite.positions[..] else { panic!("{suite:?}") };
        assert_eq!((mate.id.as_deref(), &mate.puzzle.best[..]), (Some("mate"), &["Ra8#".to_owned()][..]));
        assert_eq!((mistake.id.as_deref(), mistake.puzzle.avoid.len()), (None, 2));
        assert_eq!((suite.unmarked, suite.bad_lines), (1, 1));
        assert!(suite.problems[0].starts_with("a.epd: line 2: "), "{:?}", suite.problems);
    }

    #[test]
    fn the_hash_is_of_what_is_to_be_solved() {
        let hash = suite(EPD).hash();
        assert_eq!(suite(&EPD.replace("mate", "another name")).hash(), hash);
        assert_eq!(suite(&EPD.replace("no position\n", "")).hash(), hash);
        assert_ne!(suite(&EPD.replace("am Ra7 Kd1", "am Ra7")).hash(), hash);
        assert_ne!(suite(&EPD.replace("am Ra7", "bm Ra7")).hash(), hash);
    }

    #[test]
    fn compressed_files_are_suites_too_and_what_is_none_is_refused() {
        use std::io::Write;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.epd.gz");
        let mut output = files::Output::create(&path).expect("a file to write");
        output.write_all(EPD.as_bytes()).expect("written");
        output.finish().expect("complete");
        assert_eq!(Suite::load(GameName::Chess, &path).expect("a suite").positions, suite(EPD).positions);
        let error = Suite::load(GameName::Checkers, &path).expect_err("another game").to_string();
        assert_eq!(error, "there are no suites of checkers; suites are EPD files of chess");
        let path = folder.path().join("b.epd");
        std::fs::write(&path, "# nothing\n").expect("written");
        let error = Suite::load(GameName::Chess, &path).expect_err("an empty file").to_string();
        assert!(error.ends_with("b.epd: no positions with bm or am in it"), "{error}");
    }
}
