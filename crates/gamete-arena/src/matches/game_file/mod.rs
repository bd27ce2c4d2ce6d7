mod index;

use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::{JournalError, MatchJournal, Written};
use crate::files::open_locked;
use crate::task::TaskError;
use index::Index;

/// A file that grows with a match, and that others may write to as well.
///
/// What is in it is never cut or changed. The journal remembers where each encounter stands and what its text is; what
/// is there is left alone, what was moved is looked for, and what is missing is put at the end. Each time the file is
/// locked for as long as that takes.
pub struct GameFile<'a> {
    name: String,
    target: Target<'a>,
}

enum Target<'a> {
    /// A pipe or a device: nothing can be found in it again.
    Stream(File),
    Shared(SharedFile<'a>),
}

/// What a game file has in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameFileContent {
    /// Games with tags, an empty line behind each.
    Games,
    /// Positions, one a line.
    Positions,
}

impl<'a> GameFile<'a> {
    /// Opens the file. Nothing of what is in it changes before the first game is written; unless the match is to
    /// `append` to it, that of others goes then, once.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn open(
        path: &Path,
        append: bool,
        content: GameFileContent,
        journal: &'a dyn MatchJournal,
    ) -> Result<Self, GameFileError> {
        let name = path.display().to_string();
        let target = if is_stream(path) {
            let file = OpenOptions::new().write(true).open(path);
            Target::Stream(file.map_err(|error| cannot_be_written(&name, &error))?)
        } else {
            drop(open_locked(path).map_err(|error| cannot_be_written(&name, &error))?);
            Target::Shared(SharedFile::new(path, append, content, journal)?)
        };
        Ok(Self { name, target })
    }

    /// Writes the games of an encounter, unless they are there.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    pub fn write(&mut self, number: u64, text: &[u8]) -> Result<(), GameFileError> {
        let written = match &mut self.target {
            Target::Stream(file) => file.write_all(text).map_err(WriteError::from),
            Target::Shared(file) => file.write(number, text),
        };
        written.map_err(|error| match error {
            WriteError::File(error) => cannot_be_written(&self.name, &error),
            WriteError::Journal(error) => error.into(),
        })
    }
}

/// Whether what is written there is gone: a pipe or a device.
pub fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| !file.is_file() && !file.is_dir())
}

/// Why games cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum GameFileError {
    /// The file does not take them. The reason is in words alone: who reads our output may close it, but whoever closes this
    /// has broken it.
    #[error("{name}: cannot be written: {reason}")]
    File {
        /// The file.
        name: String,
        /// Why.
        reason: String,
    },
    /// A game has moves that cannot be played.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The journal cannot remember where they stand.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

fn cannot_be_written(name: &str, error: &io::Error) -> GameFileError {
    GameFileError::File { name: name.to_owned(), reason: error.to_string() }
}

enum WriteError {
    File(io::Error),
    Journal(JournalError),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl From<JournalError> for WriteError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

struct SharedFile<'a> {
    path: PathBuf,
    content: GameFileContent,
    journal: &'a dyn MatchJournal,
    /// The name of the file in the journal: it may be in another folder tomorrow.
    key: String,
    known: BTreeMap<u64, Written>,
    /// Where encounters were found.
    taken: HashSet<u64>,
    /// Whether the journal may have forgotten where encounters stand.
    search_all: bool,
    /// Whether the file is to be emptied before the first game, as was asked for.
    start_over: bool,
    index: Option<Index>,
}

impl<'a> SharedFile<'a> {
    fn new(
        path: &Path,
        append: bool,
        content: GameFileContent,
        journal: &'a dyn MatchJournal,
    ) -> Result<Self, JournalError> {
        let path = path.to_owned();
        let key = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = journal.written(&key)?;
        let search_all = append && journal.has_lost_places();
        let start_over = !append && known.is_empty();
        let taken = HashSet::new();
        Ok(Self { path, content, journal, key, known, taken, search_all, start_over, index: None })
    }

    fn write(&mut self, number: u64, text: &[u8]) -> Result<(), WriteError> {
        let mut file = open_locked(&self.path)?;
        if std::mem::take(&mut self.start_over) {
            file.set_len(0)?;
        }
        let end = file.metadata()?.len();
        if let Some(written) = self.known.get(&number).copied() {
            // Two encounters never share a place, however alike they are.
            if is_at(&file, end, &written) && self.taken.insert(written.start) {
                return Ok(());
            }
            if let Some(rest) = missing_part(&file, end, &written, text)? {
                return Ok(file.write_all(rest)?);
            }
        }
        if (self.known.contains_key(&number) || self.search_all)
            && let Some(start) = self.find(&file, text)?
        {
            return self.remember(&[(number, Written::new(start, text))]).map_err(Into::into);
        }
        self.append(&mut file, end, number, text)
    }

    /// Writes an encounter at the end, but before later ones of ours that are there: they come out of their turn when a
    /// match is interrupted.
    fn append(&mut self, file: &mut File, end: u64, number: u64, text: &[u8]) -> Result<(), WriteError> {
        let mut start = end;
        let mut later = Vec::new();
        while let Some((number, written)) = self.later_at(file, end, number, start) {
            later.push((number, written));
            start = written.start;
        }
        let mut rest = vec![0; (end - start) as usize];
        file.read_exact_at(&mut rest, start)?;
        let mut bytes = self.separator(file, start)?;
        let place = start + bytes.len() as u64;
        bytes.extend(text);
        let moved_by = bytes.len() as u64;
        bytes.extend(&rest);
        let moved = |written: Written| Written { start: written.start + moved_by, ..written };
        let mut records = vec![(number, Written::new(place, text))];
        records.extend(later.into_iter().map(|(number, written)| (number, moved(written))));
        // Before the file is touched, so that a part of it will be known as ours.
        self.remember(&records)?;
        if !rest.is_empty() {
            file.set_len(start)?;
        }
        if let Err(error) = file.write_all(&bytes) {
            // What little arrived helps nobody.
            if file.metadata().is_ok_and(|now| now.len() <= start + bytes.len() as u64) {
                let _ = file.set_len(start).and_then(|()| file.write_all(&rest));
            }
            return Err(error.into());
        }
        Ok(())
    }

    /// A later encounter than `number` that stands right before `place`.
    fn later_at(&self, file: &File, end: u64, number: u64, place: u64) -> Option<(u64, Written)> {
        let mut later = self.known.range(number + 1..).map(|(&number, &written)| (number, written));
        later.find(|(_, written)| written.length > 0 && written.end() == place && is_at(file, end, written))
    }

    fn find(&mut self, file: &File, text: &[u8]) -> io::Result<Option<u64>> {
        if self.index.is_none() {
            self.index = Some(Index::read(file, self.content)?);
        }
        let places = self.index.as_ref().map_or(&[][..], |index| index.places(text));
        let free = places.iter().copied().filter(|place| !self.taken.contains(place));
        let mut here = vec![0; text.len()];
        for place in free {
            if file.read_exact_at(&mut here, place).is_ok() && here == text {
                self.taken.insert(place);
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn remember(&mut self, records: &[(u64, Written)]) -> Result<(), JournalError> {
        self.journal.set_written(&self.key, records)?;
        self.known.extend(records.iter().copied());
        Ok(())
    }

    /// What sets a record apart from what stands before it.
    fn separator(&self, file: &File, start: u64) -> io::Result<Vec<u8>> {
        let length = start.min(TAIL);
        let mut tail = vec![0; length as usize];
        file.read_exact_at(&mut tail, start - length)?;
        Ok(separator(&tail, self.content))
    }
}

/// As much of what stands before a record as is looked at.
const TAIL: u64 = 1 << 16;

fn separator(tail: &[u8], content: GameFileContent) -> Vec<u8> {
    let mut text = Vec::new();
    match content {
        _ if tail.is_empty() || tail.ends_with(b"\n\n") || tail.ends_with(b"\n\r\n") => {}
        GameFileContent::Positions if tail.ends_with(b"\n") => {}
        GameFileContent::Positions => text.push(b'\n'),
        GameFileContent::Games => {
            // Somebody's game may have been broken off, even within a comment.
            let game = tail.windows(8).rposition(|window| window == b"\n[Event ").unwrap_or(0);
            let open = tail[game..].iter().fold(false, |open, byte| match byte {
                b'{' => true,
                b'}' => false,
                _ => open,
            });
            text.extend(open.then_some(b'}'));
            text.extend(if tail.ends_with(b"\n") && !open { &b"\n"[..] } else { b"\n\n" });
        }
    }
    text
}

fn is_at(file: &File, end: u64, written: &Written) -> bool {
    if written.end() > end {
        return false;
    }
    let mut text = vec![0; written.length as usize];
    file.read_exact_at(&mut text, written.start).is_ok() && Written::new(written.start, &text) == *written
}

/// What is missing of a record of ours that the file breaks off in.
fn missing_part<'t>(
    file: &File,
    end: u64,
    written: &Written,
    text: &'t [u8],
) -> io::Result<Option<&'t [u8]>> {
    if Written::new(written.start, text) != *written || !(written.start..written.end()).contains(&end) {
        return Ok(None);
    }
    let (part, rest) = text.split_at((end - written.start) as usize);
    let mut here = vec![0; part.len()];
    file.read_exact_at(&mut here, written.start)?;
    Ok((here == part).then_some(rest))
}

#[cfg(test)]
mod tests;
