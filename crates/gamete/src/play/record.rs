use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gamete_arena::Playable;
use gamete_arena::files::open_locked;
use gamete_game::{Transcript, TranscriptWriter};
use indicatif::ProgressBar;

use super::Resumed;
use crate::files::{self, Format, Output};

/// Files that are larger are not written anew after every move.
const MAX_BYTES: u64 = 16 << 20;

/// The file that a game is saved to. The other games in it may be changed by others at any time: each time the file is
/// read anew, and nothing but our game is replaced.
pub struct Record {
    path: PathBuf,
    /// The game as it stands in the file, and where it stood last.
    saved: Option<(usize, Vec<u8>)>,
    written: bool,
}

impl Record {
    /// A file to save to. A game resumed from it will be replaced; what else is in it is kept, and a new
    /// game put behind.
    ///
    /// # Errors
    ///
    /// When the file is not for this game, or cannot be read or written.
    pub fn open<G: Playable>(path: &Path, resumed: Option<&Resumed<G>>) -> Result<Self> {
        let name = path.display();
        if Format::of_path(path).is_some_and(|format| format != Format::Games(G::GAME_NAME)) {
            let (game, ending) = (G::NAME, G::FILE_ENDING);
            let kind = ending.to_uppercase();
            bail!("{name}: games of {game} are saved as {kind}; name a file that ends in .{ending}");
        }
        if path == Path::new("-") {
            bail!("{name}: a game is saved after every move, so it needs a file of its own");
        }
        // What cannot be written had better be known now.
        drop(Output::create(path)?);
        let mut record = Self { path: path.to_owned(), saved: None, written: false };
        let text = record.contents()?;
        if let Some(resumed) = resumed
            && record.is_at(&resumed.path)
            && let Some([before, game, _]) = resumed.cut_out(&text)
        {
            record.saved = Some((before.len(), game));
        }
        Ok(record)
    }

    /// Where the game is saved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this is the file at `path`.
    pub fn is_at(&self, path: &Path) -> bool {
        let same = |here: PathBuf| path.canonicalize().is_ok_and(|there| here == there);
        self.path == path || self.path.canonicalize().is_ok_and(same)
    }

    /// Whether anything has been saved.
    pub fn is_written(&self) -> bool {
        self.written
    }

    /// Saves the game as it stands.
    ///
    /// # Errors
    ///
    /// When the file cannot be written; the old one is then still there.
    pub fn write<G: Playable>(&mut self, game: &Transcript<G>) -> Result<()> {
        let mut writer = TranscriptWriter::new(Vec::new(), G::Format::default());
        writer.write(game)?;
        let game = writer.into_inner();
        let failed = || format!("{}: cannot be written", self.path.display());
        // Nobody else saves to it until this is done.
        let _lock = if self.is_file() { Some(open_locked(&self.path).with_context(failed)?) } else { None };
        let mut text = self.contents()?;
        let place = match self.saved.as_ref().and_then(|(place, old)| find(&text, old, *place).zip(Some(old)))
        {
            Some((place, old)) => {
                text.splice(place..place + old.len(), game.iter().copied());
                place
            }
            None => {
                // Games are set apart by an empty line.
                while !text.is_empty() && !text.ends_with(b"\n\n") && !text.ends_with(b"\n\r\n") {
                    text.push(b'\n');
                }
                text.extend(&game);
                text.len() - game.len()
            }
        };
        let mut output = Output::create(&self.path)?;
        output.write_all(&text).and_then(|()| output.finish()).with_context(failed)?;
        self.saved = Some((place, game));
        self.written = true;
        Ok(())
    }

    /// Keeps the game that was saved last and makes room for another one.
    pub fn start_next(&mut self) {
        self.saved = None;
    }

    /// Whether it is a file, or will be one.
    fn is_file(&self) -> bool {
        self.path.metadata().map_or(true, |file| file.is_file())
    }

    fn contents(&self) -> Result<Vec<u8>> {
        if self.path.is_file() { contents(&self.path) } else { Ok(Vec::new()) }
    }
}

/// Where a game stands in a text: at `place`, or nearest to it if others have changed what is before.
fn find(text: &[u8], game: &[u8], place: usize) -> Option<usize> {
    if text.get(place..).is_some_and(|rest| rest.starts_with(game)) {
        return Some(place);
    }
    let starts = (0..text.len()).filter(|&start| start == 0 || text[start - 1] == b'\n');
    starts.filter(|&start| text[start..].starts_with(game)).min_by_key(|start| start.abs_diff(place))
}

fn contents(path: &Path) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    files::read(path, &ProgressBar::hidden(), |name, reader| {
        reader
            .take(MAX_BYTES + 1)
            .read_to_end(&mut text)
            .with_context(|| format!("{name}: cannot be read"))?;
        if text.len() as u64 > MAX_BYTES {
            bail!("{name}: has more than {} MB of games already; save to another file", MAX_BYTES >> 20);
        }
        Ok(())
    })?;
    Ok(text)
}
