use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The words after `gamete match` that play a match, and where they were typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchCommand {
    /// The words, without those that name the journal.
    pub words: Vec<String>,
    /// The directory that paths in them start from, seen from that of the journal.
    directory: String,
}

impl MatchCommand {
    /// The setting of a journal that it is in, as JSON.
    pub const SETTING: &'static str = "command";

    /// Words that were typed in the current directory, for this journal.
    pub fn new(words: Vec<String>, journal: &Path) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        let journal = journal.strip_prefix(&here).unwrap_or(journal);
        let folder = journal.parent().unwrap_or_else(|| Path::new(""));
        let is_below =
            folder.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let directory = if is_below {
            // So that a folder with a match in it can be moved.
            let normal = folder.components().filter(|part| matches!(part, Component::Normal(_)));
            normal.map(|_| "..").collect::<PathBuf>()
        } else {
            here
        };
        Self { words, directory: directory.display().to_string() }
    }

    /// The directory that paths in the words start from.
    pub fn directory(&self, journal: &Path) -> PathBuf {
        let folder = journal.parent().unwrap_or_else(|| Path::new(""));
        Path::new(".").join(folder).join(&self.directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_a_match_can_be_moved() {
        let directory = |journal: &str| MatchCommand::new(Vec::new(), Path::new(journal)).directory;
        assert_eq!(directory("a.db"), "");
        assert_eq!(directory("./sub/a.db"), "..");
        assert_eq!(directory("one/two/a.db"), "../..");
        assert!(Path::new(&directory("../a.db")).is_absolute());
        let here = std::env::current_dir().unwrap().join("sub/a.db");
        assert_eq!(directory(here.to_str().unwrap()), "..");
        let command = MatchCommand::new(Vec::new(), Path::new("sub/a.db"));
        assert_eq!(command.directory(Path::new("moved/sub/a.db")), Path::new("./moved/sub/.."));
    }
}
