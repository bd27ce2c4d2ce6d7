use std::io;
use std::path::{Path, PathBuf};

use crate::store::schema::has_our_header;

/// The files in a directory that are journals of matches by their first bytes, in the order of their names.
///
/// # Errors
///
/// When the directory cannot be read.
pub fn match_journals(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let is_database = path.extension().is_some_and(|ending| ending == "db");
        if is_database && path.is_file() && has_our_header(&path) {
            // Without the `./` that nobody typed.
            found.push(path.strip_prefix(".").map_or_else(|_| path.clone(), Path::to_owned));
        }
    }
    found.sort();
    Ok(found)
}
