//! What plays, beyond what was typed: the programs, nets and books behind the names.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::uci::EngineSpec;
use crate::{Competitor, Contestant, Player, first_signature, is_first_signature, signature};

/// What the contestants and the openings of a match are, by the content of files. A match never mixes two.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Identity {
    /// The contestants that are other programs, by name.
    engines: BTreeMap<String, Program>,
    /// How players of our own play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    /// The opening book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    book: Option<Content>,
}

/// Why it cannot be said that those play who played before.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// A file cannot be read.
    #[error("{path}: cannot be read")]
    Unreadable {
        /// Which one.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// The journal has an identity that cannot be understood.
    #[error("the journal is of a later version: {source}")]
    Later {
        /// What is not understood.
        source: serde_json::Error,
    },
    /// Others played before.
    #[error(
        "{path}: the journal was made {change}; put back what was there, name another -journal, or start over with -fresh"
    )]
    Changed {
        /// The journal.
        path: String,
        /// What is different, with what it was and what it is.
        change: String,
    },
    /// A program was replaced while it played.
    #[error(
        "{name} was replaced while the match ran: {before}, is now {now}; put it back and give the same command again, \
         or start over with -fresh"
    )]
    Replaced {
        /// The contestant.
        name: String,
        /// The file as it was.
        before: String,
        /// What it is now.
        now: String,
    },
}

/// Another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// What it calls itself.
    id_name: String,
    program: Content,
    /// Files that it was told of, in arguments, options or the script that starts it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<Content>,
}

/// A file, and what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    path: String,
    hash: String,
}

impl Program {
    /// Looks at the files of a program, before it is started.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn find(spec: &EngineSpec) -> Result<Option<Self>, IdentityError> {
        // One that is not there is told of when it is started.
        let Some(path) = resolve(&spec.program()) else { return Ok(None) };
        let files = named_files(spec, &path);
        let read = |path: &PathBuf| Content::read(path);
        let files = files.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Some(Self { id_name: String::new(), program: Content::read(&path)?, files }))
    }

    /// Adds what a program calls itself, when it has ended. Files that it has changed are what it writes, and not what
    /// it is.
    pub fn after_start(mut self, id_name: &str) -> Self {
        id_name.clone_into(&mut self.id_name);
        self.files.retain(|file| hash(Path::new(&file.path)).is_ok_and(|now| now == file.hash));
        self
    }

    /// A short name for what is in its files, wherever they are.
    pub fn content(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for file in std::iter::once(&self.program).chain(&self.files) {
            hasher.update(file.hash.as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The name with the file: `Stockfish 16 (/usr/games/stockfish, 1a2b3c4d)`.
    fn describe(&self) -> String {
        format!("{} ({})", self.id_name, self.program.describe())
    }

    fn change(&self, now: &Self) -> Option<String> {
        if self.id_name != now.id_name || self.program.hash != now.program.hash {
            return Some(format!("was {}, is now {}", self.describe(), now.describe()));
        }
        self.files.iter().find_map(|file| {
            let is_now = match now.files.iter().find(|other| other.path == file.path) {
                Some(other) if other.hash == file.hash => return None,
                Some(other) => short(&other.hash).to_owned(),
                None => "missing, or changed by the engine".to_owned(),
            };
            Some(format!("was started with {}, which is now {is_now}", file.describe()))
        })
    }
}

impl Content {
    fn read(path: &Path) -> Result<Self, IdentityError> {
        let name = path.display().to_string();
        match hash(path) {
            Ok(hash) => Ok(Self { path: name, hash }),
            Err(source) => Err(IdentityError::Unreadable { path: name, source }),
        }
    }

    fn describe(&self) -> String {
        format!("{}, {}", self.path, short(&self.hash))
    }
}

impl Identity {
    /// What plays in a match, given the programs in it by the names of the contestants, and the file of its book.
    ///
    /// # Errors
    ///
    /// When the book cannot be read.
    pub fn new<E>(
        contestants: &[Contestant<E>],
        engines: BTreeMap<String, Program>,
        book: Option<&Path>,
    ) -> Result<Self, IdentityError> {
        let player = |contestant: &Contestant<E>| match &contestant.competitor {
            Competitor::Player(player) => Some(player.clone()),
            Competitor::Engine(_) => None,
        };
        let players: Vec<Player> = contestants.iter().filter_map(player).collect();
        // What comes through a pipe can be read but once.
        let book = book.filter(|book| book.is_file());
        Ok(Self {
            engines,
            signature: (!players.is_empty()).then(|| signature(&players)),
            book: book.map(Content::read).transpose()?,
        })
    }

    /// As journals have it.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }

    /// What the program of a contestant is, if it has one that is known.
    pub fn program(&self, contestant: &str) -> Option<&Program> {
        self.engines.get(contestant)
    }

    /// Checks that a journal was made by the same, given what it has, and gives that.
    pub(super) fn check(&self, known: &str, journal: &Path) -> Result<Self, IdentityError> {
        let known: Self = serde_json::from_str(known).map_err(|source| IdentityError::Later { source })?;
        match known.change(self) {
            Some(change) => Err(IdentityError::Changed { path: journal.display().to_string(), change }),
            None => Ok(known),
        }
    }

    fn change(&self, now: &Self) -> Option<String> {
        let engine = |(name, before): (&String, &Program)| {
            Some(format!("by other engines: {name} {}", before.change(now.engines.get(name)?)?))
        };
        if let Some(change) = self.engines.iter().find_map(engine) {
            return Some(change);
        }
        if let (Some(before), Some(now)) = (&self.signature, &now.signature) {
            let now = if is_first_signature(before) { &first_signature() } else { now };
            if before != now {
                return Some(format!(
                    "by another build of Gamete, whose players play otherwise: the signature was {before}, is now {now}"
                ));
            }
        }
        let (before, now) = (self.book.as_ref()?, now.book.as_ref()?);
        let changed = before.hash != now.hash;
        changed.then(|| {
            let is_now = short(&now.hash);
            format!("with another opening book: {}, which is now {is_now}", before.describe())
        })
    }
}

/// Notices when the program of a contestant is replaced while a match runs.
#[derive(Debug, Default)]
pub struct ProgramWatch {
    programs: Vec<(String, Content, Option<Stamp>)>,
}

/// Length, number and time of change of a file. As long as they are the same, so is the file.
type Stamp = (u64, u64, i64, i64);

fn stamp(path: &str) -> Option<Stamp> {
    let file = Path::new(path).metadata().ok()?;
    Some((file.len(), file.ino(), file.mtime(), file.mtime_nsec()))
}

impl ProgramWatch {
    /// Watches the programs of a match.
    ///
    /// # Errors
    ///
    /// When one has been replaced since it was looked at.
    pub fn new(identity: &Identity) -> Result<Self, IdentityError> {
        // The stamp comes before the hash, so that no change falls between the two.
        let watch = |(name, program): (&String, &Program)| {
            let stamp = stamp(&program.program.path);
            check_hash(name, &program.program)?;
            Ok((name.clone(), program.program.clone(), stamp))
        };
        Ok(Self { programs: identity.engines.iter().map(watch).collect::<Result<_, _>>()? })
    }

    /// Checks that the programs are what they were: one that fails is started anew.
    ///
    /// # Errors
    ///
    /// When one is not.
    pub fn check(&self) -> Result<(), IdentityError> {
        let mut changed = self.programs.iter().filter(|(_, program, before)| stamp(&program.path) != *before);
        changed.try_for_each(|(name, program, _)| check_hash(name, program))
    }
}

fn check_hash(name: &str, program: &Content) -> Result<(), IdentityError> {
    let now = hash(Path::new(&program.path)).ok();
    if now.as_ref() == Some(&program.hash) {
        return Ok(());
    }
    let now = now.as_deref().map_or("gone", short).to_owned();
    Err(IdentityError::Replaced { name: name.to_owned(), before: program.describe(), now })
}

/// Enough of a hash to tell two files apart.
fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}

fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// The file behind the name of a program, as the system finds it.
fn resolve(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.canonicalize().ok().filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| is_executable(path));
    found?.canonicalize().ok()
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The files that an engine is told of, each once.
fn named_files(spec: &EngineSpec, program: &Path) -> Vec<PathBuf> {
    let folder = spec.dir.clone().unwrap_or_default();
    let mut files = Vec::new();
    let mut add = |path: PathBuf| {
        if let Ok(path) = path.canonicalize()
            && path.is_file()
            && path != program
            && !files.contains(&path)
        {
            files.push(path);
        }
    };
    for word in spec.args.iter().chain(spec.options.iter().map(|(_, value)| value)) {
        let word = word.trim_matches(['"', '\'']);
        // `--net=x.nnue` names a file too.
        let value = word.split_once('=').map(|(_, value)| value);
        [Some(word), value]
            .into_iter()
            .flatten()
            .filter(|word| !word.is_empty())
            .for_each(|word| add(folder.join(word)));
    }
    for path in programs_of_script(program, &folder) {
        add(path);
    }
    files
}

/// Longer files are no scripts that start an engine.
const MAX_SCRIPT: u64 = 1 << 16;

/// The programs that a script names, if the file is one. What it writes to is none of them.
fn programs_of_script(path: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_SCRIPT).read_to_end(&mut text));
    if read.is_err() || !text.starts_with(b"#!") {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&text);
    // Which interpreter there is, is a matter of the system.
    let words =
        text.lines().skip(1).flat_map(|line| line.split([' ', '\t', '"', '\'', ';', '`', '(', ')', '=']));
    let mut found = Vec::new();
    for word in words.filter(|word| word.contains('/')) {
        // `$(dirname $0)/engine` and `$HERE/engine` are beside the script.
        let beside = word.rsplit('/').next().map(|name| path.with_file_name(name));
        let there = [Some(folder.join(word)), beside].into_iter().flatten().find(|path| is_executable(path));
        found.extend(there);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.canonicalize().unwrap()
    }

    #[test]
    fn all_files_that_an_engine_is_told_of_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let script =
            "#!/bin/sh\nHERE=$(dirname \"$0\")\nexec \"$HERE/engine\" /usr \"$@\" 2>> /tmp/log.txt\n";
        let script = write(folder, "run.sh", script, 0o755);
        let engine = write(folder, "engine", "x", 0o755);
        let net = write(folder, "a.nnue", "net", 0o644);
        let book = write(folder, "b.bin", "book", 0o644);
        let mut spec =
            EngineSpec::new(&script).with_args(["--net=a.nnue", "-q"]).with_option("Book", "b.bin");
        spec.dir = Some(folder.to_owned());
        assert_eq!(named_files(&spec, &script), [net, book, engine.clone()]);
        assert_eq!(named_files(&EngineSpec::new(&engine), &engine), Vec::<PathBuf>::new());
        assert!(resolve(Path::new("sh")).is_some_and(|path| path.is_absolute()));
        assert_eq!(resolve(Path::new("nobody-has-this")), None);
    }

    #[test]
    fn a_change_is_told_with_what_was_and_what_is() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let engine = write(folder, "engine", "one", 0o755);
        let (net, log) = (write(folder, "net", "one", 0o644), write(folder, "log", "one", 0o644));
        let spec = EngineSpec::new(&engine)
            .with_option("EvalFile", net.to_str().unwrap())
            .with_option("Log", log.to_str().unwrap());
        let look = |id_name: &str| {
            let program = Program::find(&spec).unwrap().unwrap();
            // It writes to its log.
            std::fs::write(&log, format!("{id_name}{:?}", std::time::Instant::now())).unwrap();
            program.after_start(id_name)
        };
        let before = look("E 1");
        assert_eq!(before.files.len(), 1);
        assert_eq!(before.change(&look("E 1")), None);
        let content = before.content();
        assert_eq!(look("E 1").content(), content);
        let changed = before.change(&look("E 2")).unwrap();
        assert!(changed.starts_with("was E 1 (") && changed.contains(", is now E 2 ("), "{changed}");
        std::fs::write(&net, "two").unwrap();
        let changed = before.change(&look("E 1")).unwrap();
        assert!(changed.starts_with("was started with ") && changed.contains("which is now "), "{changed}");
        assert_ne!(look("E 1").content(), content);
        std::fs::write(&engine, "two").unwrap();
        assert!(before.change(&look("E 1")).unwrap().starts_with("was E 1 ("));
    }
}
