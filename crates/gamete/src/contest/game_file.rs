use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek, SeekFrom, Write};

use anyhow::{Context, Result};
use gamete_arena::Journal;

use super::options::GameFileOptions;

/// A file that grows with a match. Where the match begins in it is in the journal, so that a run that goes on writes
/// its part anew and leaves alone what was there before.
pub struct GameFile {
    out: BufWriter<File>,
    name: String,
}

impl GameFile {
    /// Opens the file at the beginning of the match. `key` is its name in the journal.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn open(options: &GameFileOptions, journal: &Journal, key: &str) -> Result<Self> {
        let name = options.path.display().to_string();
        let failed = || format!("{name}: cannot be written");
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&options.path)
            .with_context(failed)?;
        let length = file.metadata().with_context(failed)?.len();
        let known = journal.setting(key)?.and_then(|text| text.parse::<u64>().ok());
        let begin = known.unwrap_or(if options.append { length } else { 0 }).min(length);
        journal.set(key, &begin.to_string())?;
        file.set_len(begin).with_context(failed)?;
        file.seek(SeekFrom::Start(begin)).with_context(failed)?;
        Ok(Self { out: BufWriter::new(file), name })
    }

    /// Writes the games of an encounter.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&mut self, text: &[u8]) -> Result<()> {
        let written = self.out.write_all(text).and_then(|()| self.out.flush());
        written.with_context(|| format!("{}: cannot be written", self.name))
    }
}
