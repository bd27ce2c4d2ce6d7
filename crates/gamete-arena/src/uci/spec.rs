use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How to start an engine, and what to tell it before its first game.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSpec {
    /// The program.
    pub cmd: PathBuf,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The directory it runs in, where `cmd` is looked for first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// What to call it, if not as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Names and values, in the order in which they are sent, but for the number of threads, which goes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Whether it is started anew for each game.
    #[serde(default)]
    pub restart: Restart,
}

/// Whether an engine is started anew for each game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Restart {
    /// As the protocol has it: an engine of UCI plays any number of games.
    #[default]
    Auto,
    /// Always.
    On,
    /// Only after a fault.
    Off,
}

impl EngineSpec {
    /// A program without arguments, as it comes.
    pub fn new(cmd: impl Into<PathBuf>) -> Self {
        Self {
            cmd: cmd.into(),
            args: Vec::new(),
            dir: None,
            name: None,
            options: Vec::new(),
            restart: Restart::default(),
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn with_args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds an option.
    #[must_use]
    pub fn with_option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// The program to run: `cmd` in `dir` if it is there, else `cmd` as the shell would find it.
    pub fn program(&self) -> PathBuf {
        let in_dir = self.dir.as_deref().map(|dir| dir.join(&self.cmd)).filter(|path| path.is_file());
        let path = in_dir.unwrap_or_else(|| self.cmd.clone());
        // The search path is for bare names; anything else must not depend on the directory it runs in.
        if path.components().count() < 2 { path } else { std::path::absolute(&path).unwrap_or(path) }
    }

    /// The first option whose value names a file of this machine, or a path to a folder: no other machine has the same there.
    pub fn option_with_file(&self) -> Option<(&str, &str)> {
        let folder = self.dir.clone().unwrap_or_default();
        let names_file = |value: &&str| {
            let path = folder.join(value);
            path.is_file() || (value.contains('/') && path.is_dir())
        };
        // Several folders are set apart like those of a search path.
        let is_here = |value: &str| {
            let parts = std::iter::once(value).chain(value.split([':', ';']));
            parts
                .map(|part| part.trim_matches(['"', '\'']))
                .filter(|part| !part.is_empty())
                .any(|part| names_file(&part))
        };
        let options = self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        options.into_iter().find(|(_, value)| is_here(value))
    }

    /// The name given, or that of the program.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            let stem = Path::new(&self.cmd).file_stem();
            stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_survives_being_written() {
        let mut spec =
            EngineSpec::new("stockfish").with_args(["--x", "a b"]).with_option("Move Overhead", "5");
        spec.restart = Restart::On;
        let text = toml::to_string(&spec).unwrap();
        assert_eq!(toml::from_str::<EngineSpec>(&text).unwrap(), spec);
        assert_eq!(toml::from_str::<EngineSpec>("cmd = 'x'").unwrap(), EngineSpec::new("x"));
        assert!(toml::from_str::<EngineSpec>("cmd = 'x'\nname_ = 'y'").is_err());
    }

    #[test]
    fn options_that_name_files_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.nnue"), "net").unwrap();
        let path = folder.path().display().to_string();
        let mut spec = EngineSpec::new("x").with_option("Hash", "1").with_option("Style", "normal:solid");
        assert_eq!(spec.option_with_file(), None);
        for value in [path.clone(), format!("/missing:{path}"), format!("{path}/a.nnue")] {
            let spec = spec.clone().with_option("Path", &value);
            assert_eq!(spec.option_with_file(), Some(("Path", value.as_str())));
        }
        spec = spec.with_option("EvalFile", "a.nnue");
        assert_eq!(spec.option_with_file(), None);
        spec.dir = Some(folder.path().to_owned());
        assert_eq!(spec.option_with_file(), Some(("EvalFile", "a.nnue")));
    }

    #[test]
    fn bare_names_are_left_to_the_search_path() {
        assert_eq!(EngineSpec::new("stockfish").program(), Path::new("stockfish"));
        assert!(EngineSpec::new("./stockfish").program().is_absolute());
        assert_eq!(EngineSpec::new("bin/my-engine.exe").title(), "my-engine");
    }
}
