use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use tempfile::TempPath;

/// A file that gets its name when it is complete. Until then it has none where the system can do so, so that nothing
/// is left behind whatever ends the program, and else one that starts with `.gamete-`.
pub(super) struct Unfinished {
    target: PathBuf,
    folder: PathBuf,
    state: State,
}

enum State {
    Nameless(File),
    Named(TempPath),
}

/// What any program asks for; the umask takes off what users do not want.
const PERMISSIONS: u32 = 0o666;

impl Unfinished {
    /// A file to write to, which will replace what is at `target`. Behind a link it is the file that is replaced, not
    /// the link.
    pub(super) fn create(target: &Path) -> io::Result<(File, Self)> {
        let old = target.metadata().ok();
        let target = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        let (file, state) = match nameless(&folder) {
            Ok(file) => (file.try_clone()?, State::Nameless(file)),
            Err(_) => {
                let (file, path) =
                    builder().tempfile_in(&folder).map_err(|error| without_name(&error))?.into_parts();
                (file, State::Named(path))
            }
        };
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        Ok((file, Self { target, folder, state }))
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> io::Result<()> {
        let path = match self.state {
            State::Named(path) => path,
            State::Nameless(file) => match builder().make_in(&self.folder, |path| link(&file, path)) {
                Ok(named) => named.into_temp_path(),
                // Without /proc there is no way to it.
                Err(_) => copy(file, &self.folder)?,
            },
        };
        path.persist(self.target).map_err(|error| error.error)
    }
}

/// An error without the name that the file has for now, which says nothing to users.
fn without_name(error: &io::Error) -> io::Error {
    let text = error.to_string();
    io::Error::new(error.kind(), text.split(" at path ").next().unwrap_or_default())
}

fn builder() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gamete-").permissions(std::fs::Permissions::from_mode(PERMISSIONS));
    builder
}

#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::from_raw_mode(PERMISSIONS))?;
    Ok(file.into())
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

fn link(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::linkat(CWD, source, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

fn copy(mut file: File, folder: &Path) -> io::Result<TempPath> {
    let mut named = builder().tempfile_in(folder)?;
    named.as_file().set_permissions(file.metadata()?.permissions())?;
    file.rewind()?;
    io::copy(&mut file, &mut named)?;
    Ok(named.into_temp_path())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_complete_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
        };
        let path = folder.path().join("a");
        let (mut file, unfinished) = Unfinished::create(&path).unwrap();
        file.write_all(b"text").unwrap();
        let has_name = matches!(unfinished.state, State::Named(_));
        assert_eq!(names().len(), usize::from(has_name));
        unfinished.finish().unwrap();
        assert_eq!(names(), ["a"]);
        let (mut file, unfinished) = Unfinished::create(&path).unwrap();
        file.write_all(b"other").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"text");
        unfinished.finish().unwrap();
        assert_eq!((std::fs::read(&path).unwrap(), names()), (b"other".to_vec(), vec!["a".to_owned()]));
        let (file, unfinished) = Unfinished::create(&path).unwrap();
        drop((file, unfinished));
        assert_eq!((std::fs::read(&path).unwrap(), names()), (b"other".to_vec(), vec!["a".to_owned()]));
    }

    #[test]
    fn where_files_need_names_they_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"text").unwrap();
        let path = copy(file, folder.path()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"text");
    }
}
