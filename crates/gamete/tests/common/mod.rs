//! What the tests of the program share.
#![allow(dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An engine that is built with the tests of the arena.
///
/// # Panics
///
/// When it is not there.
pub fn test_engine(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_gamete")).with_file_name(name);
    assert!(path.exists(), "{} is not there; `cargo build -p gamete-arena --bins` makes it", path.display());
    path
}

/// An engine that answers when there is a file `gate` beside it, with a move that nobody may play, or crashes if the file says `crash`.
#[cfg(unix)]
pub fn gate_engine(folder: &Path) {
    let script = "#!/bin/sh
while read -r line; do
    case \"$line\" in
        uci) echo id name Gate; echo uciok ;;
        isready) echo readyok ;;
        go*) while [ ! -e gate ]; do sleep 0.02; done; grep -q crash gate && exit 1; echo bestmove a1a1 ;;
        quit) exit 0 ;;
    esac
done
";
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("engine.sh");
    std::fs::write(&path, script).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

/// In a PGN file, the comments of the moves that were thought about, without line breaks.
pub fn comments(pgn: &str) -> Vec<String> {
    let text = pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    let comments = text.split('{').skip(1).map(|part| part.split('}').next().expect("an end").to_owned());
    comments.filter(|comment| comment != "book").collect()
}

/// Whether the long version of a test was asked for.
pub fn is_full() -> bool {
    std::env::var_os("GAMETE_FULL").is_some()
}

/// What the program did.
pub struct Run {
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    /// The standard output.
    pub out: String,
    /// The standard error.
    pub err: String,
}

/// Runs the program.
pub fn gamete<I: IntoIterator<Item = S>, S: AsRef<std::ffi::OsStr>>(args: I) -> Run {
    Run::new(Command::new(env!("CARGO_BIN_EXE_gamete")).args(args).output().expect("a program to run"))
}

/// A folder of its own for a test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A match in a folder of its own, so that its journal is not in the way.
pub fn match_command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.current_dir(folder).arg("match").args(words.split_whitespace());
    command
}

/// Plays a match to its end.
pub fn run_match(folder: &Path, words: &str) -> Run {
    Run::new(match_command(folder, words).output().expect("a program to run"))
}

/// Runs the program with something to read.
pub fn gamete_reading<I: IntoIterator<Item = S>, S: AsRef<std::ffi::OsStr>>(args: I, input: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().expect("a program to run");
    // A program that is done need not read to the end.
    let _ = program.stdin.take().expect("a pipe").write_all(input);
    Run::new(program.wait_with_output().expect("a program that ends"))
}

impl Run {
    /// Of a program that has ended.
    pub fn new(output: Output) -> Self {
        Self {
            status: output.status.code(),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
}
