use std::fs::File;
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use gamete_arena::files::{CreateError, Output};
use gamete_arena::{GameName, Playable};
use memmap2::Mmap;

use crate::sample::{is_for_testing, put_number, take_number};
use crate::{Manifest, Sample};

/// The first bytes of every corpus.
const MAGIC: [u8; 8] = *b"GaCorpus";

/// The version of the format, behind the first bytes. A file with a larger number was made by a newer program.
const VERSION: u32 = 1;

/// Bytes of the hash at the end, which is of all before it.
const HASH: usize = blake3::OUT_LEN;

/// Bytes before the manifest: the first bytes, the version, and the length of the manifest.
const HEADER: usize = MAGIC.len() + 8;

/// Why a corpus cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// It cannot be opened or read.
    #[error("{0}: cannot be read")]
    Read(String, #[source] io::Error),
    /// It is something else.
    #[error("{0}: this is no corpus; `gamete corpus make` makes one")]
    NotACorpus(String),
    /// It is of a newer version.
    #[error(
        "{path}: this corpus has format {found}, and this program reads {VERSION}; a newer one is needed"
    )]
    Version {
        /// The file.
        path: String,
        /// The version.
        found: u32,
    },
    /// It is not what was written.
    #[error("{0}: this corpus is damaged or cut short, as its hash shows; make it again")]
    Damaged(String),
    /// It is of another game.
    #[error("{path}: this corpus is of {found}, not of {wanted}")]
    WrongGame {
        /// The file.
        path: String,
        /// Its game.
        found: GameName,
        /// The game that was asked for.
        wanted: GameName,
    },
    /// Something else has that name.
    #[error("{0}: this file is there and is no corpus; name another one, or remove it")]
    Exists(String),
    /// It cannot be made.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// It cannot be written.
    #[error("{0}: cannot be written")]
    Write(String, #[source] io::Error),
}

/// A file of positions to learn from, mapped into memory. Its hash is checked when it is opened.
#[derive(Debug)]
pub struct Corpus {
    file: PathBuf,
    path: String,
    bytes: Mmap,
    manifest: Manifest,
    /// Where each record begins and ends.
    records: Vec<(usize, usize)>,
}

impl Corpus {
    /// Opens a corpus.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is none, or is damaged.
    pub fn open(path: &Path) -> Result<Self, CorpusError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| CorpusError::Read(name.clone(), error))?;
        let bytes = map(&file).map_err(|error| CorpusError::Read(name.clone(), error))?;
        let version = match bytes.split_first_chunk() {
            Some((magic, rest)) if *magic == MAGIC => {
                rest.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
            }
            _ => return Err(CorpusError::NotACorpus(name)),
        };
        match version {
            Some(found) if found > VERSION => return Err(CorpusError::Version { path: name, found }),
            _ => {}
        }
        match read_parts(&bytes) {
            Some((manifest, records)) => {
                Ok(Self { file: path.to_owned(), path: name, bytes, manifest, records })
            }
            None => Err(CorpusError::Damaged(name)),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.path
    }

    /// How it was made.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The hash of all that is in it.
    pub fn hash(&self) -> String {
        self.content_hash().to_hex().to_string()
    }

    fn content_hash(&self) -> blake3::Hash {
        let hash = self.bytes.last_chunk::<HASH>().expect("checked when it was opened");
        blake3::Hash::from_bytes(*hash)
    }

    /// How many samples it has.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Its samples, if it is of this game.
    ///
    /// # Errors
    ///
    /// When it is of another game.
    pub fn samples<G: Playable>(&self) -> Result<Samples<'_, G>, CorpusError> {
        match self.manifest.game {
            game if game == G::GAME_NAME => Ok(Samples { corpus: self, game: PhantomData }),
            found => Err(CorpusError::WrongGame { path: self.path.clone(), found, wanted: G::GAME_NAME }),
        }
    }
}

/// The samples of a corpus, in any order.
#[derive(Debug)]
pub struct Samples<'a, G> {
    corpus: &'a Corpus,
    game: PhantomData<fn() -> G>,
}

impl<G> Clone for Samples<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Samples<'_, G> {}

impl<'a, G: Playable> Samples<'a, G> {
    /// How the corpus was made.
    pub(crate) fn manifest(&self) -> &'a Manifest {
        self.corpus.manifest()
    }

    /// Where the corpus is.
    pub(crate) fn path(&self) -> &'a Path {
        &self.corpus.file
    }

    /// The hash of the corpus.
    pub(crate) fn hash(&self) -> blake3::Hash {
        self.corpus.content_hash()
    }

    /// What the corpus is called in messages.
    pub(crate) fn name(&self) -> &'a str {
        self.corpus.name()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.corpus.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.corpus.is_empty()
    }

    /// The sample with this number, from 0.
    ///
    /// # Errors
    ///
    /// When its record makes no sense, though the hash is right.
    ///
    /// # Panics
    ///
    /// When there are not so many.
    pub fn get(&self, number: usize) -> Result<Sample<G>, CorpusError> {
        let (start, end) = self.corpus.records[number];
        Sample::from_bytes(&self.corpus.bytes[start..end])
            .ok_or_else(|| CorpusError::Damaged(self.corpus.path.clone()))
    }

    /// All of them, one after the other.
    pub fn iter(self) -> impl Iterator<Item = Result<Sample<G>, CorpusError>> + 'a {
        (0..self.len()).map(move |number| self.get(number))
    }
}

/// Refuses the name of a file that is something else than a corpus, or that cannot be written.
///
/// # Errors
///
/// When it is there, or cannot be made.
pub fn check_output(path: &Path) -> Result<(), CorpusError> {
    let mut magic = [0; MAGIC.len()];
    match File::open(path).and_then(|mut file| file.read_exact(&mut magic)) {
        Ok(()) if magic == MAGIC => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        _ => return Err(CorpusError::Exists(path.display().to_string())),
    }
    Ok(Output::create(path).map(drop)?)
}

/// Writes a corpus, in the place of an old one if it has the same name. The manifest's numbers of positions are made true.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write_corpus<G: Playable>(
    path: &Path,
    mut manifest: Manifest,
    samples: &[Sample<G>],
) -> Result<(), CorpusError> {
    check_output(path)?;
    let test = samples.iter().filter(|sample| sample.part == crate::Part::Test).count();
    (manifest.train, manifest.test) = ((samples.len() - test) as u64, test as u64);
    let text = serde_json::to_vec(&manifest).expect("plain data");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
    for sample in samples {
        let record = sample.to_bytes();
        put_number(&mut bytes, record.len() as u64);
        bytes.extend(record);
    }
    let hash = blake3::hash(&bytes);
    bytes.extend(hash.as_bytes());
    let mut output = Output::create(path)?;
    let failed = |error| CorpusError::Write(path.display().to_string(), error);
    output.write_all(&bytes).map_err(failed)?;
    output.finish().map_err(failed)
}

/// The manifest, and where each record is; none if the hash is wrong or something makes no sense.
fn read_parts(bytes: &[u8]) -> Option<(Manifest, Vec<(usize, usize)>)> {
    let (content, hash) = bytes.split_last_chunk::<HASH>()?;
    if blake3::hash(content) != *hash {
        return None;
    }
    let mut rest = content.get(HEADER - 4..)?;
    let (length, behind) = rest.split_first_chunk()?;
    rest = behind;
    let manifest = rest.split_off(..u32::from_le_bytes(*length) as usize)?;
    let manifest: Manifest = serde_json::from_slice(manifest).ok()?;
    let mut records = Vec::new();
    while !rest.is_empty() {
        let length = usize::try_from(take_number(&mut rest)?).ok()?;
        let start = content.len() - rest.len();
        rest.split_off(..length)?;
        records.push((start, start + length));
    }
    let test = records.iter().filter(|&&(start, end)| is_for_testing(&content[start..end])).count();
    let counts = [records.len() - test, test].map(|count| count as u64);
    (counts == [manifest.train, manifest.test]).then_some((manifest, records))
}

/// A file as memory.
#[expect(unsafe_code, reason = "the compiler cannot know that nobody changes the file")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapping is private and read-only. Corpora are never changed in place: they are written under another
    // name and then renamed. Who changes or shortens one by other means while it is read gets wrong numbers or SIGBUS.
    unsafe { Mmap::map(file) }
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;
    use gamete_game::Game;

    use super::*;
    use crate::Part;
    use crate::testing::manifest;

    fn samples() -> Vec<Sample<Position>> {
        let start = Position::start();
        let sample = |(index, &mv): (usize, &_)| {
            let mut position = start.clone();
            position.play(mv);
            let part = if index < 12 { Part::Train } else { Part::Test };
            let choices = vec![position.moves()[index]];
            Sample { position, source: index as u32, part, choices, outcome: None, score: Some(index as i32) }
        };
        start.moves().iter().enumerate().map(sample).collect()
    }

    #[test]
    fn a_corpus_is_read_as_it_is_written_and_has_the_same_bytes_each_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["one.corpus", "two.corpus"].map(|name| folder.path().join(name));
        for path in &paths {
            write_corpus(path, manifest::<Position>(), &samples()).expect("written");
        }
        let [one, two] = paths.map(|path| Corpus::open(&path).expect("a corpus"));
        assert_eq!((one.hash(), one.len()), (two.hash(), 20));
        assert_eq!((one.manifest().train, one.manifest().test), (12, 8));
        let read: Result<Vec<_>, _> = one.samples::<Position>().expect("chess").iter().collect();
        assert_eq!(read.expect("samples"), samples());
        let error = one.samples::<gamete_checkers::Position>().expect_err("another game").to_string();
        assert!(error.ends_with("this corpus is of chess, not of checkers"), "{error}");
    }

    #[test]
    fn whatever_is_wrong_with_a_file_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.corpus");
        write_corpus(&path, manifest::<Position>(), &samples()).expect("written");
        let good = std::fs::read(&path).expect("bytes");
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("written");
            Corpus::open(&path).expect_err("a bad file")
        };
        for index in 0..good.len() {
            let mut bad = good.clone();
            bad[index] ^= 1;
            match error(&bad) {
                CorpusError::NotACorpus(_) => assert!(index < 8),
                CorpusError::Damaged(_) | CorpusError::Version { .. } => assert!(index >= 8),
                other => panic!("{other}"),
            }
            assert!(matches!(error(&good[..index]), CorpusError::NotACorpus(_) | CorpusError::Damaged(_)));
        }
        // Counts that are not those of the samples, under a hash that is right.
        let place = good.windows(12).position(|bytes| bytes == b"\"train\":12,\"").expect("a count");
        let mut hostile = good[..good.len() - HASH].to_vec();
        hostile[place + 9] = b'9';
        hostile.extend(blake3::hash(&hostile).as_bytes().to_vec());
        assert!(matches!(error(&hostile), CorpusError::Damaged(_)));
        let mut newer = good;
        newer[8] = 9;
        assert!(matches!(error(&newer), CorpusError::Version { found: 9, .. }));
        std::fs::remove_file(&path).expect("removed");
        assert!(matches!(Corpus::open(&path), Err(CorpusError::Read(..))));
    }
}
