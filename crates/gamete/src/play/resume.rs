use std::io::BufRead;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gamete_arena::Playable;
use gamete_game::{ReadError, Transcript, TranscriptReader};
use indicatif::ProgressBar;

use crate::files;

/// A game of a file, to be played on.
pub struct Resumed<G: Playable> {
    /// The file.
    pub path: PathBuf,
    /// The game as far as it was played.
    pub game: Transcript<G>,
    /// Side variations of the game, which are left out.
    pub variations: u64,
    first_line: u64,
    next_line: Option<u64>,
}

impl<G: Playable> Resumed<G> {
    /// Reads the game with this number, from 1, or the last one.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or has no such game, or one that does not replay.
    pub fn load(path: &Path, number: Option<u64>) -> Result<Self> {
        let mut search = Search { number, games: 0, found: None };
        files::read(path, &ProgressBar::hidden(), |_, text| {
            search.read(text);
            Ok(())
        })?;
        let name = path.display();
        match (search.found, search.games, number) {
            (Some(found), ..) => {
                let game = found.game.with_context(|| name.to_string())?;
                let Found { variations, first_line, next_line, .. } = found;
                Ok(Self { path: path.to_owned(), game, variations, first_line, next_line })
            }
            (None, 0, _) => bail!("{name}: no games in it"),
            (None, 1, Some(number)) => bail!("{name}: there is no game {number}, only one game"),
            (None, games, number) => {
                bail!("{name}: there is no game {}, only 1 to {games}", number.unwrap_or(games))
            }
        }
    }

    /// The text of its file in three parts, of which the game is the second, if it has its lines to itself.
    pub fn cut_out(&self, text: &[u8]) -> Option<[Vec<u8>; 3]> {
        let lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
        let first = usize::try_from(self.first_line).ok()?.checked_sub(1)?;
        let next =
            self.next_line.map_or(Some(lines.len()), |line| usize::try_from(line).ok()?.checked_sub(1))?;
        let game = lines.get(first..next)?.concat();
        let mut games = TranscriptReader::new(game.as_slice(), G::Format::default());
        let same = games.next_game().is_some_and(|game| game.is_ok_and(|game| game == self.game));
        let alone = games.next_game().is_none();
        (same && alone).then(|| [lines[..first].concat(), game, lines[next..].concat()])
    }
}

struct Search<G: Playable> {
    number: Option<u64>,
    games: u64,
    found: Option<Found<G>>,
}

struct Found<G: Playable> {
    game: Result<Transcript<G>, ReadError>,
    variations: u64,
    first_line: u64,
    next_line: Option<u64>,
}

impl<G: Playable> Search<G> {
    fn read(&mut self, text: &mut dyn BufRead) {
        let mut games = TranscriptReader::new(text, G::Format::default());
        let mut variations = 0;
        while let Some(game) = games.next_game() {
            self.games += 1;
            if let (Some(found), Some(_)) = (&mut self.found, self.number) {
                found.next_line.get_or_insert(games.line());
                return;
            }
            if self.number.is_none_or(|number| number == self.games) {
                let variations = games.variations() - variations;
                self.found = Some(Found { game, variations, first_line: games.line(), next_line: None });
            }
            variations = games.variations();
        }
    }
}
