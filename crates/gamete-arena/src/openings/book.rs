use std::collections::HashSet;
use std::fmt;
use std::num::NonZeroU64;
use std::path::Path;

use gamete_game::{BoardGame, Game, OpeningList};

use super::read::read_openings;
use super::{BookError, BookErrorKind, BookPlace, Opening, OpeningOrder, Openings};
use crate::Playable;
use crate::files::{self, FileFormat};

/// What the openings of a book may take in memory, so that a small file that unpacks to a large one does no harm.
const MAX_BYTES: usize = 1 << 30;

/// Openings to start games from, at least one; nobody has won or drawn in any of them.
#[derive(Clone)]
pub struct Book<G: Game> {
    name: String,
    source: Source<G>,
}

#[derive(Clone)]
enum Source<G: Game> {
    Listed(Vec<Opening<G>>),
    /// Too many to be kept, and all of them different.
    Computed {
        count: usize,
        opening: fn(usize) -> (G, Vec<G::Move>),
    },
}

impl<G: Game> Book<G> {
    /// Nothing but the position that games start from.
    pub fn start_position() -> Self {
        Self { name: "the start position".to_owned(), source: Source::Listed(vec![Opening::new(G::start())]) }
    }

    /// A book of these openings.
    ///
    /// # Errors
    ///
    /// When there are none, or a game is over before it begins.
    pub fn new(name: impl Into<String>, openings: Vec<Opening<G>>) -> Result<Self, BookError> {
        let name = name.into();
        for (index, opening) in openings.iter().enumerate() {
            check(&name, BookPlace::Opening(index + 1), opening)?;
        }
        Self::listed(name, openings)
    }

    fn listed(name: String, openings: Vec<Opening<G>>) -> Result<Self, BookError> {
        if openings.is_empty() {
            return Err(BookError::Empty(name));
        }
        Ok(Self { name, source: Source::Listed(openings) })
    }

    /// What to call it: the name of its file, if it has one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many openings there are, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a book is never empty")]
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Listed(openings) => openings.len(),
            Source::Computed { count, .. } => *count,
        }
    }

    /// The opening with this index, from 0.
    ///
    /// # Panics
    ///
    /// When there are not so many.
    pub fn opening(&self, index: usize) -> Opening<G> {
        match &self.source {
            Source::Listed(openings) => openings[index].clone(),
            Source::Computed { count, opening } => {
                assert!(index < *count, "opening {index} of {count}");
                let (start, moves) = opening(index);
                Opening { start, moves }
            }
        }
    }

    /// The openings in the order of the book.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Opening<G>> + '_ {
        (0..self.len()).map(|index| self.opening(index))
    }

    /// How many different positions the openings lead to.
    pub fn distinct(&self) -> usize {
        match &self.source {
            Source::Listed(openings) => {
                let keys = openings.iter().map(|opening| opening.position().key());
                keys.collect::<HashSet<_>>().len()
            }
            Source::Computed { count, .. } => *count,
        }
    }

    /// The openings as the pairs of a tournament play them; see [`Openings`].
    #[must_use]
    pub fn ordered(self, order: OpeningOrder, seed: u64, start: NonZeroU64) -> Openings<G> {
        Openings::new(self, order, seed, start)
    }
}

impl<G: Playable> Book<G> {
    /// The openings that a game is known for.
    pub fn of_list(list: &OpeningList<G>) -> Self {
        let source = Source::Computed { count: list.count, opening: list.opening };
        Self { name: list.name.to_owned(), source }
    }

    /// Reads a file, compressed or not, of positions or games.
    ///
    /// The name of the file says what it is unless `format` does. Games are cut after so many `plies`, or not at all.
    ///
    /// # Errors
    ///
    /// With the place, when anything in the file is not an opening; and when nothing is in it.
    pub fn load(path: &Path, format: Option<FileFormat>, plies: Option<usize>) -> Result<Self, BookError> {
        let (mut openings, mut bytes) = (Vec::new(), 0);
        let format = format.or_else(|| FileFormat::of_path(path));
        files::read(
            path,
            |_| (),
            |name, text| {
                // A zip archive may hold what its own name does not tell.
                let format = format.or_else(|| FileFormat::of_path(Path::new(name)));
                let format = format.ok_or_else(|| BookError::UnknownFormat(name.to_owned()))?;
                read_openings(text, name, format, plies, &mut |place, opening| {
                    check(name, place, &opening)?;
                    bytes += size_of::<Opening<G>>() + opening.moves.len() * size_of::<G::Move>();
                    if bytes > MAX_BYTES {
                        return Err(BookError::TooLarge(name.to_owned()));
                    }
                    openings.push(opening);
                    Ok(())
                })
            },
        )?;
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string());
        if openings.is_empty() {
            return Err(BookError::Empty(path.display().to_string()));
        }
        Self::listed(name, openings)
    }
}

impl Book<gamete_chess::Position> {
    /// The 960 start positions of Chess960 (FRC), by their numbers.
    pub fn chess960() -> Self {
        Self::of_list(&gamete_chess::Position::SHUFFLED_STARTS.expect("those of Chess960"))
    }
}

impl Book<gamete_checkers::Position> {
    /// The 156 three-move ballots that are accepted, in the order of their official numbers.
    pub fn three_move_ballots() -> Self {
        Self::of_list(&gamete_checkers::Position::OPENINGS.expect("the ballots"))
    }
}

impl<G: Game> fmt::Debug for Book<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book").field("name", &self.name).field("len", &self.len()).finish_non_exhaustive()
    }
}

fn check<G: Game>(name: &str, place: BookPlace, opening: &Opening<G>) -> Result<(), BookError> {
    match opening.ending() {
        None => Ok(()),
        Some(ending) => {
            Err(BookError::Entry { name: name.to_owned(), place, kind: BookErrorKind::Over(ending.reason) })
        }
    }
}
