use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gamete_game::{Transcript, TranscriptWriter};
use indicatif::ProgressBar;

use super::{BoardGame, Resumed};
use crate::files::{self, Format, Output};

/// Files that are larger are not written anew after every move.
const MAX_BYTES: u64 = 16 << 20;

/// The file that a game is saved to, with the other games in it.
pub struct Record {
    path: PathBuf,
    before: Vec<u8>,
    game: Vec<u8>,
    after: Vec<u8>,
    written: bool,
}

impl Record {
    /// A file to save to. A game resumed from it will be replaced; what else is in it is kept, and a new
    /// game put behind.
    ///
    /// # Errors
    ///
    /// When the file is not for this game, or cannot be read or written.
    pub fn open<G: BoardGame>(path: &Path, resumed: Option<&Resumed<G>>) -> Result<Self> {
        let name = path.display();
        if Format::of_path(path).is_some_and(|format| format != G::FILES) {
            let (kind, ending) = match G::FILES {
                Format::Pgn => ("PGN", ".pgn"),
                Format::Pdn => ("PDN", ".pdn"),
                Format::Epd => ("EPD", ".epd"),
            };
            bail!("{name}: games of {} are saved as {kind}; name a file that ends in {ending}", G::NAME);
        }
        if path == Path::new("-") {
            bail!("{name}: a game is saved after every move, so it needs a file of its own");
        }
        // What cannot be written had better be known now.
        drop(Output::create(path)?);
        let before = if path.exists() { contents(path)? } else { Vec::new() };
        let mut record =
            Self { path: path.to_owned(), before, game: Vec::new(), after: Vec::new(), written: false };
        if let Some(resumed) = resumed
            && record.is_at(&resumed.path)
            && let Some([before, game, after]) = resumed.cut_out(&record.before)
        {
            record = Self { before, game, after, ..record };
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
    pub fn write<G: BoardGame>(&mut self, game: &Transcript<G>) -> Result<()> {
        let mut writer = TranscriptWriter::new(Vec::new(), G::Format::default());
        writer.write(game)?;
        self.game = writer.into_inner();
        let mut output = Output::create(&self.path)?;
        let written = output.write_all(&self.text()).and_then(|()| output.finish());
        written.with_context(|| format!("{}: cannot be written", self.path.display()))?;
        self.written = true;
        Ok(())
    }

    /// Keeps the game that was saved last and makes room for another one.
    pub fn start_next(&mut self) {
        self.before = self.text();
        self.game.clear();
        self.after.clear();
    }

    fn text(&self) -> Vec<u8> {
        let mut text = self.before.clone();
        // Games are set apart by an empty line.
        while !text.is_empty() && !text.ends_with(b"\n\n") && !text.ends_with(b"\n\r\n") {
            text.push(b'\n');
        }
        text.extend(&self.game);
        text.extend(&self.after);
        text
    }
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
