//! Tests that need what is not part of the project: collections of games, Debian's engines, a broker, endgame tables.
//!
//! Where it is missing, they are reported as ignored by whatever runs the tests, and not as passed.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// Where something is, or why it is not there.
pub type Need = Result<PathBuf, String>;

/// A file of the collection of games and positions beside the project.
pub fn data(name: &str) -> Need {
    let root = std::env::var_os("GAMETE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = root.join(name);
    if path.exists() {
        return Ok(path);
    }
    Err(format!("{} is not there; set GAMETE_DATA to where it is", path.display()))
}

/// An engine of Debian's.
pub fn debian_engine(name: &str) -> Need {
    let found = ["/usr/games", "/usr/bin", "/usr/local/bin"].map(|folder| Path::new(folder).join(name));
    let path = found.into_iter().find(|path| path.exists());
    path.ok_or_else(|| format!("there is no {name}; `make engines` installs it"))
}

/// A NATS broker.
pub fn nats_server() -> Need {
    let found =
        ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map(|folder| Path::new(folder).join("nats-server"));
    let path = found.into_iter().find(|path| path.exists());
    path.ok_or_else(|| "there is no nats-server; `make broker` installs it".to_owned())
}

/// Endgame tables of up to four pieces.
pub fn tables() -> Need {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/syzygy");
    let path = std::env::var_os("GAMETE_SYZYGY").map_or(default, Into::into);
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("{} is not there; `make tables` gets it", path.display()))
    }
}

/// A test, ignored if anything that it needs is missing.
pub fn trial(name: &str, needs: &[Need], test: fn()) -> (Trial, Option<String>) {
    let missing = needs.iter().find_map(|need| need.as_ref().err());
    let run = move || {
        test();
        Ok(())
    };
    let trial = Trial::test(name, run).with_ignored_flag(missing.is_some());
    (trial, missing.map(|reason| format!("ignored: {name}: {reason}")))
}

/// Runs the tests of a file as cargo's own harness does.
pub fn run(trials: impl IntoIterator<Item = (Trial, Option<String>)>) -> ExitCode {
    let arguments = Arguments::from_args();
    let (trials, reasons): (Vec<_>, Vec<_>) = trials.into_iter().unzip();
    // `--list --ignored` is how to ask for the reasons alone.
    if !arguments.list || arguments.ignored {
        reasons.iter().flatten().for_each(|reason| eprintln!("{reason}"));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The tests of a file, each with what it needs.
macro_rules! needing {
    ($($test:ident: [$($need:expr),+ $(,)?]),+ $(,)?) => {
        fn main() -> std::process::ExitCode {
            needs::run([$(needs::trial(stringify!($test), &[$($need),+], $test)),+])
        }
    };
}
pub(crate) use needing;
