//! Features beside the corpus that they are of, so that they are extracted once.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use gamete_arena::files::Output;
use gamete_arena::{ModelInfo, Playable, Rng};

use crate::bytes::Reader;
use crate::lookahead::{look_ahead, quiet_leaf};
use crate::{ExtractError, Leaf, Part, Samples};

/// The first bytes of every file of features, with the version of what is in the file and of how it is extracted. Files of another one
/// are not used, and those of an older one are removed.
const MAGIC: [u8; 8] = *b"GaFeat04";

/// What stood there before versions did.
const OLDEST_MAGIC: [u8; 8] = *b"GaFeatur";

/// What all of them begin with.
const ANY_MAGIC: &[u8] = b"GaFeat";

/// Bytes of a hash.
const HASH: usize = blake3::OUT_LEN;

/// Bytes before the content: the first bytes, the hash of the corpus, and the key.
const HEADER: usize = MAGIC.len() + 2 * HASH;

/// A smaller part of a corpus is extracted in a moment, and nothing is kept of it.
const MIN_SAMPLES: u64 = 1_000;

/// A place for the features of a part of a corpus under a model.
#[derive(Debug)]
pub(crate) struct Cache {
    corpus: PathBuf,
    corpus_hash: blake3::Hash,
    key: blake3::Hash,
}

impl Cache {
    /// The place for what is made of the samples of a part; `kind` says what that is. None if it is not worth keeping.
    ///
    /// # Errors
    ///
    /// When the model is of another game.
    pub fn find<G: Playable>(
        samples: Samples<'_, G>,
        part: Part,
        model: &'static ModelInfo,
        leaf: Leaf,
        kind: &str,
    ) -> Result<Option<Self>, ExtractError> {
        let manifest = samples.manifest();
        let count = if part == Part::Train { manifest.train } else { manifest.test };
        if count < MIN_SAMPLES {
            return Ok(None);
        }
        Self::new(samples, part, model, leaf, kind).map(Some)
    }

    fn new<G: Playable>(
        samples: Samples<'_, G>,
        part: Part,
        model: &'static ModelInfo,
        leaf: Leaf,
        kind: &str,
    ) -> Result<Self, ExtractError> {
        let corpus_hash = samples.hash();
        let mut hasher = blake3::Hasher::new();
        hasher.update(corpus_hash.as_bytes());
        let names: Vec<&str> = model.weights.iter().map(|weight| weight.name).collect();
        let facts = (MAGIC, kind, part, leaf, model.name, model.divisor, names);
        hasher.update(format!("{facts:?}").as_bytes());
        hash_definition::<G>(model, leaf, &mut hasher)?;
        Ok(Self { corpus: samples.path().to_owned(), corpus_hash, key: hasher.finalize() })
    }

    /// The name of the file.
    fn path(&self) -> PathBuf {
        beside(&self.corpus, &self.key.to_hex()[..16])
    }

    /// What is kept there, if it is there and in order.
    pub fn load<T>(&self, read: impl FnOnce(&mut Reader<'_>) -> Option<T>) -> Option<T> {
        let bytes = fs::read(self.path()).ok()?;
        let (content, hash) = bytes.split_last_chunk::<HASH>()?;
        let content = content.strip_prefix(self.header().as_slice())?;
        if blake3::hash(&bytes[..bytes.len() - HASH]) != *hash {
            return None;
        }
        let mut reader = Reader::new(content);
        read(&mut reader).filter(|_| reader.is_empty())
    }

    /// Keeps something there, where that is possible, and takes away what was kept of another corpus of the same name or by an older
    /// version.
    pub fn store(&self, content: &[u8]) {
        let mut bytes = self.header();
        bytes.extend(content);
        let hash = blake3::hash(&bytes);
        bytes.extend(hash.as_bytes());
        let written = Output::create(&self.path())
            .ok()
            .and_then(|mut output| output.write_all(&bytes).and_then(|()| output.finish()).ok());
        if written.is_some() {
            self.remove_stale();
        }
    }

    fn header(&self) -> Vec<u8> {
        [&MAGIC[..], self.corpus_hash.as_bytes(), self.key.as_bytes()].concat()
    }

    /// Removes the features of what this corpus was before it was made anew, and those that only an older version could use.
    fn remove_stale(&self) {
        let prefix = beside(&self.corpus, "");
        let (Some(folder), Some(prefix)) = (prefix.parent(), prefix.file_name()) else { return };
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_ours = entry.file_name().as_encoded_bytes().starts_with(prefix.as_encoded_bytes());
            if is_ours && is_stale(&entry.path(), self.corpus_hash) {
                // Who may not remove it leaves it there.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The name of a file of features of a corpus.
fn beside(corpus: &Path, key: &str) -> PathBuf {
    let mut name = corpus.as_os_str().to_owned();
    name.push(format!(".features-{key}"));
    name.into()
}

/// Whether a file has features of another corpus or of an older version.
fn is_stale(path: &Path, corpus: blake3::Hash) -> bool {
    use std::io::Read;
    let mut header = [0; HEADER];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    let (magic, rest) = header.split_at(MAGIC.len());
    let is_older = magic == OLDEST_MAGIC || magic < &MAGIC[..];
    read.is_ok() && magic.starts_with(ANY_MAGIC) && (is_older || &rest[..HASH] != corpus.as_bytes())
}

/// Hashes what the features of a model are in the positions of some random games, so that features that are defined
/// otherwise are not taken for these.
fn hash_definition<G: Playable>(
    model: &'static ModelInfo,
    leaf: Leaf,
    hasher: &mut blake3::Hasher,
) -> Result<(), ExtractError> {
    let mut rng = Rng::new(1);
    for _ in 0..GAMES {
        let mut position = G::start();
        for _ in 0..PLIES {
            let moves = position.moves();
            if moves.is_empty() || position.ending().is_some() {
                break;
            }
            position.play(moves[rng.below(moves.len() as u64) as usize]);
            for value in &position.features(model)?.0 {
                hasher.update(&value.to_le_bytes());
            }
            match leaf {
                Leaf::Static => (),
                Leaf::Quiet => drop(hasher.update(quiet_leaf(&position).to_string().as_bytes())),
                // One ply of it takes a moment, and all of it longer than the features of many a corpus.
                Leaf::Search(_) => drop(hasher.update(format!("{:?}", look_ahead(&position, 1)).as_bytes())),
            }
        }
    }
    Ok(())
}

/// Random games whose positions stand for all.
const GAMES: u32 = 6;

/// The longest of them, in plies.
const PLIES: u32 = 100;

#[cfg(test)]
mod tests {
    use gamete_chess::Position;

    use super::*;
    use crate::bytes::put;
    use crate::testing::random_corpus;

    fn numbers(reader: &mut Reader<'_>) -> Option<Vec<u16>> {
        reader.take()
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.filter(|path| path.to_string_lossy().contains(".features-")).collect()
    }

    #[test]
    fn what_is_kept_is_found_again_and_what_is_damaged_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = ModelInfo::find("chess/material").expect("a model");
        let corpus = random_corpus::<Position>(folder.path(), 10, 1);
        let cache = |leaf, part| {
            let samples = corpus.samples::<Position>().expect("samples");
            Cache::new(samples, part, model, leaf, "test").expect("a place")
        };
        let one = cache(Leaf::Static, Part::Train);
        let load = |cache: &Cache| cache.load(numbers);
        assert_eq!(load(&one), None);
        let mut content = Vec::new();
        put(&mut content, &[7_u16, 8, 9]);
        one.store(&content);
        assert_eq!(load(&one), Some(vec![7, 8, 9]));
        assert_eq!(load(&cache(Leaf::Static, Part::Train)), Some(vec![7, 8, 9]), "the same place again");
        assert_eq!(load(&cache(Leaf::Quiet, Part::Train)), None);
        assert_eq!(load(&cache(Leaf::Static, Part::Test)), None);
        let good = fs::read(one.path()).expect("a file");
        for index in 0..good.len() {
            let mut bad = good.clone();
            bad[index] ^= 1;
            fs::write(one.path(), &bad).expect("written");
            assert_eq!(load(&one), None, "byte {index}");
            fs::write(one.path(), &good[..index]).expect("written");
            assert_eq!(load(&one), None, "cut at {index}");
        }
        one.store(&content);
        assert_eq!(load(&one), Some(vec![7, 8, 9]), "made again");
    }

    #[test]
    fn features_of_a_corpus_that_is_made_anew_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = ModelInfo::find("chess/material").expect("a model");
        let store = |seed, leaf| {
            let corpus = random_corpus::<Position>(folder.path(), 10, seed);
            let samples = corpus.samples::<Position>().expect("samples");
            Cache::new(samples, Part::Train, model, leaf, "test").expect("a place").store(&[1]);
        };
        store(1, Leaf::Static);
        store(1, Leaf::Quiet);
        assert_eq!(files(folder.path()).len(), 2);
        fs::write(folder.path().join("a.corpus.features-mine"), "mine").expect("written");
        store(2, Leaf::Static);
        assert_eq!(files(folder.path()).len(), 2, "the new ones, and what is not ours");
    }

    #[test]
    fn features_of_older_versions_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = ModelInfo::find("chess/material").expect("a model");
        let corpus = random_corpus::<Position>(folder.path(), 10, 1);
        let samples = || corpus.samples::<Position>().expect("samples");
        let cache = |leaf| Cache::new(samples(), Part::Train, model, leaf, "test").expect("a place");
        for (magic, is_kept) in [(*b"GaFeatur", false), (*b"GaFeat03", false), (*b"GaFeat99", true)] {
            let other = folder.path().join("a.corpus.features-0123456789abcdef");
            let mut bytes = cache(Leaf::Quiet).header();
            bytes[..magic.len()].copy_from_slice(&magic);
            fs::write(&other, bytes).expect("written");
            cache(Leaf::Static).store(&[1]);
            assert_eq!(other.exists(), is_kept, "{magic:?}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = ModelInfo::find("chess/material").expect("a model");
        let corpus = random_corpus::<Position>(folder.path(), 10, 1);
        let samples = corpus.samples::<Position>().expect("samples");
        let mut cache = Cache::new(samples, Part::Train, model, Leaf::Static, "test").expect("a place");
        cache.corpus = folder.path().join("no such folder/a.corpus");
        cache.store(&[1]);
        assert_eq!(cache.load(numbers), None);
    }
}
