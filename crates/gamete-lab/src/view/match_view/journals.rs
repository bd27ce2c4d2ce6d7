use std::io;
use std::path::{Path, PathBuf};

use crate::store::FILE_NAME;
use crate::store::schema::{Found, found_in_header};

/// Whether a file is the journal of a match, or a lab, by its first bytes.
pub fn is_store_file(path: &Path) -> bool {
    path.is_file() && found_in_header(path) != Found::NotOurs
}

/// The files in a directory that may be journals of matches by their first bytes, in the order of their names. A copy of a lab
/// looks like one until it is read.
///
/// # Errors
///
/// When the directory cannot be read.
pub fn match_journals(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if !path.ends_with(FILE_NAME) && is_store_file(&path) {
            // Without the `./` that nobody typed.
            found.push(path.strip_prefix(".").map_or_else(|_| path.clone(), Path::to_owned));
        }
    }
    found.sort();
    Ok(found)
}
