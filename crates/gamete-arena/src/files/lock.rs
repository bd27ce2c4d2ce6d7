use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

/// How long another program may have a file to itself. They need it for moments.
const PATIENCE: Duration = Duration::from_secs(60);

/// Opens a file for reading and for writing at its end, made if it is not there, when no other program that asks like
/// this has it open. Dropping the file lets the others in.
///
/// # Errors
///
/// When it cannot be opened, or another program does not let go of it.
pub fn open_locked(path: &Path) -> io::Result<File> {
    let begin = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(file) = try_open_locked(path)? {
            return Ok(file);
        }
        if begin.elapsed() > PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "another program keeps it locked"));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// As [`open_locked`], without waiting: nothing when another program has it.
///
/// # Errors
///
/// When it cannot be opened.
pub fn try_open_locked(path: &Path) -> io::Result<Option<File>> {
    loop {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        match file.try_lock() {
            // Somebody may have put another file in its place meanwhile.
            Ok(()) if is_at(&file, path)? => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // There are file systems without locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(Some(file));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let here = file.metadata()?;
    match path.metadata() {
        Ok(there) => Ok((here.dev(), here.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a file that is there to be locked, made if it is not there. What is in it stays, and a link is not followed.
///
/// # Errors
///
/// When it cannot be opened, or is a link.
pub fn open_lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    options.open(path).map_err(|error| {
        if path.is_symlink() {
            io::Error::new(error.kind(), "this is a symbolic link, which is no place for a lock; remove it")
        } else {
            error
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, Write};
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn one_has_the_file_at_a_time_even_when_it_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count");
        let inside = AtomicU32::new(0);
        thread::scope(|scope| {
            for worker in 0..4 {
                let (path, inside, folder) = (&path, &inside, folder.path());
                scope.spawn(move || {
                    for turn in 0..25 {
                        let mut file = open_locked(path).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                        let mut text = String::new();
                        file.rewind().unwrap();
                        file.read_to_string(&mut text).unwrap();
                        if (worker + turn) % 2 == 0 {
                            file.write_all(b"x").unwrap();
                            inside.fetch_sub(1, Ordering::SeqCst);
                        } else {
                            let other = folder.join(format!("other{worker}"));
                            std::fs::write(&other, text + "x").unwrap();
                            // Whoever comes next may open the new file while this lock is still held.
                            inside.fetch_sub(1, Ordering::SeqCst);
                            std::fs::rename(&other, path).unwrap();
                        }
                    }
                });
            }
        });
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "x".repeat(100));
    }

    #[test]
    fn a_lock_is_not_looked_for_behind_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (precious, lock) = (folder.path().join("precious"), folder.path().join("a.lock"));
        std::fs::write(&precious, "text").unwrap();
        std::os::unix::fs::symlink(&precious, &lock).unwrap();
        let error = open_lock_file(&lock).unwrap_err().to_string();
        assert!(error.contains("symbolic link"), "{error}");
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "text");
        open_lock_file(&precious).unwrap();
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "text", "it is not cut");
    }
}
