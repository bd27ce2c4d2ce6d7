use std::path::{Path, PathBuf};

use gamete_game::{Color, Game, Outcome};
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Chess, fen::Fen};
use shakmaty_syzygy::Wdl;

/// Syzygy endgame tables, which know who wins.
#[derive(Debug)]
pub struct Tablebase {
    tables: shakmaty_syzygy::Tablebase<Chess>,
}

/// Why there is no tablebase.
#[derive(Debug, thiserror::Error)]
pub enum TablebaseError {
    /// There is nothing of that name, or it is not a directory.
    #[error("{}: there is no such directory", .0.display())]
    NoDirectory(PathBuf),
    /// There is nothing in it that would tell who wins.
    #[error("{}: no tables in it; they are files like KQvK.rtbw", .0.display())]
    NoTables(PathBuf),
    /// It cannot be read, or a table is damaged.
    #[error("{}: {source}", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// No directory was named.
    #[error("no directory of tables was named")]
    Nothing,
}

/// What a tablebase says of the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TablebaseValue {
    /// It loses.
    Loss,
    /// It would lose, but for the rule of fifty moves.
    BlessedLoss,
    /// It draws.
    Draw,
    /// It would win, but for the rule of fifty moves.
    CursedWin,
    /// It wins.
    Win,
}

/// Games are decided by a tablebase as soon as it knows them.
///
/// Only positions right after a capture or a move of a pawn are looked up, and none with castling rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TablebaseRule {
    /// The most pieces of positions to look up, kings among them; all there are tables for if nothing is said.
    pub max_pieces: Option<u32>,
    /// Whether wins count that take more than fifty moves without a capture or a move of a pawn.
    pub ignore_fifty_moves: bool,
    /// Which games.
    pub decides: TablebaseDecides,
}

/// Which games a tablebase decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TablebaseDecides {
    /// All it knows.
    #[default]
    Both,
    /// Those that somebody wins.
    WinLoss,
    /// Those that nobody wins.
    Draw,
}

/// What Syzygy tables say of a position of at most so many pieces that they can be asked about.
pub(crate) fn syzygy_value(
    position: &gamete_chess::Position,
    tables: &Tablebase,
    max_pieces: Option<u32>,
) -> Option<TablebaseValue> {
    let pieces = position.board().occupied().len();
    let too_many = pieces > tables.max_pieces() || max_pieces.is_some_and(|most| pieces > most);
    if position.reversible_plies() > 0 || too_many {
        return None;
    }
    let position: Chess =
        position.to_string().parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()?;
    // There is no answer where somebody may castle, or a table is missing or damaged.
    Some(match tables.tables.probe_wdl_after_zeroing(&position).ok()? {
        Wdl::Loss => TablebaseValue::Loss,
        Wdl::BlessedLoss => TablebaseValue::BlessedLoss,
        Wdl::Draw => TablebaseValue::Draw,
        Wdl::CursedWin => TablebaseValue::CursedWin,
        Wdl::Win => TablebaseValue::Win,
    })
}

impl Tablebase {
    /// The tables of some directories.
    ///
    /// # Errors
    ///
    /// When one of them is none, or has no tables.
    pub fn open<P: AsRef<Path>>(directories: impl IntoIterator<Item = P>) -> Result<Self, TablebaseError> {
        let mut tables = shakmaty_syzygy::Tablebase::new();
        let mut count = 0;
        for directory in directories {
            let path = directory.as_ref();
            let failed = |source| TablebaseError::Io { path: path.to_owned(), source };
            if !path.is_dir() {
                return Err(TablebaseError::NoDirectory(path.to_owned()));
            }
            tables.add_directory(path).map_err(failed)?;
            let knows_winners = |entry: &Result<std::fs::DirEntry, _>| {
                entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|name| name == "rtbw"))
            };
            if !path.read_dir().map_err(failed)?.any(|entry| knows_winners(&entry)) {
                return Err(TablebaseError::NoTables(path.to_owned()));
            }
            count += 1;
        }
        if count == 0 { Err(TablebaseError::Nothing) } else { Ok(Self { tables }) }
    }

    /// The most pieces of any table, kings among them.
    pub fn max_pieces(&self) -> u32 {
        self.tables.max_pieces() as u32
    }
}

impl TablebaseRule {
    /// The outcome of a game by what the tables say of the side to move, if it is theirs to decide.
    pub fn outcome(&self, value: TablebaseValue, turn: Color) -> Option<Outcome> {
        let outcome = match value {
            TablebaseValue::Win => Outcome::Win(turn),
            TablebaseValue::Loss => Outcome::Win(!turn),
            TablebaseValue::CursedWin if self.ignore_fifty_moves => Outcome::Win(turn),
            TablebaseValue::BlessedLoss if self.ignore_fifty_moves => Outcome::Win(!turn),
            TablebaseValue::CursedWin | TablebaseValue::BlessedLoss | TablebaseValue::Draw => Outcome::Draw,
        };
        let is_asked_for = match self.decides {
            TablebaseDecides::Both => true,
            TablebaseDecides::WinLoss => outcome != Outcome::Draw,
            TablebaseDecides::Draw => outcome == Outcome::Draw,
        };
        is_asked_for.then_some(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_say_what_a_value_is_worth() {
        use TablebaseValue::{BlessedLoss, CursedWin, Draw, Loss, Win};
        let [white, black] = Color::ALL.map(Outcome::Win);
        let outcomes = |rule: TablebaseRule| {
            [Win, CursedWin, Draw, BlessedLoss, Loss].map(|value| rule.outcome(value, Color::White))
        };
        let draw = Some(Outcome::Draw);
        let rule = TablebaseRule::default();
        assert_eq!(outcomes(rule), [Some(white), draw, draw, draw, Some(black)]);
        let ignoring = TablebaseRule { ignore_fifty_moves: true, ..rule };
        assert_eq!(outcomes(ignoring), [Some(white), Some(white), draw, Some(black), Some(black)]);
        let wins = TablebaseRule { decides: TablebaseDecides::WinLoss, ..rule };
        assert_eq!(outcomes(wins), [Some(white), None, None, None, Some(black)]);
        let draws = TablebaseRule { decides: TablebaseDecides::Draw, ..ignoring };
        assert_eq!(outcomes(draws), [None, None, draw, None, None]);
        assert_eq!(rule.outcome(Loss, Color::Black), Some(white));
    }

    #[test]
    fn directories_without_tables_are_named() {
        let error = |path: &Path| Tablebase::open([path]).expect_err("no tables").to_string();
        assert_eq!(error(Path::new("nowhere/at/all")), "nowhere/at/all: there is no such directory");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("KQvK.txt"), "").expect("a file");
        let empty = error(folder.path());
        assert!(empty.ends_with(": no tables in it; they are files like KQvK.rtbw"), "{empty}");
        std::fs::write(folder.path().join("KQvK.rtbw"), "not a table").expect("a file");
        assert!(Tablebase::open([folder.path()]).is_err(), "a damaged table");
        assert!(matches!(Tablebase::open::<&Path>([]), Err(TablebaseError::Nothing)));
    }
}
