use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use super::COMPRESSED;
use super::zip_archive::{self, read_archive, read_stream};

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is a directory.
    #[error("{0}: this is a directory; name the files in it")]
    Directory(String),
    /// It cannot be opened.
    #[error("{0}: cannot be opened")]
    Open(String, #[source] io::Error),
    /// Its first bytes cannot be read.
    #[error("{0}: cannot be read")]
    Read(String, #[source] io::Error),
    /// It is called compressed, but is not.
    #[error("{0}: not compressed, though it is called {1}")]
    NotCompressed(String, &'static str),
    /// It starts like zstd data and goes on otherwise.
    #[error("{0}: bad zstd data")]
    Zstd(String, #[source] io::Error),
    /// It starts like a zip archive and goes on otherwise.
    #[error("{0}: bad zip data")]
    Zip(String, #[source] zip::result::ZipError),
    /// An archive has to be on a disk to be read, and there is no room.
    #[error("{0}: cannot be unpacked")]
    Unpack(String, #[source] io::Error),
}

/// Reads a file, decompressed if its first bytes say that it is compressed. A zip archive is read as
/// the files in it one after the other, each named with the archive.
///
/// As the work goes on, `on_bytes` is told how many more bytes of the file itself have been read.
///
/// # Errors
///
/// When the file cannot be opened, or `read` fails.
pub fn read<E: From<FileError>>(
    path: &Path,
    on_bytes: impl Fn(u64),
    read: impl FnMut(&str, &mut dyn BufRead) -> Result<(), E>,
) -> Result<(), E> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(FileError::Directory(name).into());
    }
    let mut file = File::open(path).map_err(|error| FileError::Open(name.clone(), error))?;
    let failed = |error| FileError::Read(name.clone(), error);
    if file.metadata().map_err(failed)?.is_file() {
        let mut magic = Vec::new();
        (&mut file).take(zip_archive::MAGIC.len() as u64).read_to_end(&mut magic).map_err(failed)?;
        file.rewind().map_err(failed)?;
        if magic == zip_archive::MAGIC {
            return read_archive(&name, Counted { inner: file, on_bytes }, read);
        }
    }
    read_from(file, name, on_bytes, read)
}

/// Reads what is no file, like the standard input, as [`read`] reads a file. The `name` is for messages.
///
/// # Errors
///
/// When it cannot be read, or `read` fails.
pub fn read_from<E: From<FileError>>(
    source: impl Read,
    name: String,
    on_bytes: impl Fn(u64),
    mut read: impl FnMut(&str, &mut dyn BufRead) -> Result<(), E>,
) -> Result<(), E> {
    let mut raw = BufReader::with_capacity(1 << 16, Counted { inner: source, on_bytes });
    let magic = raw.fill_buf().map_err(|error| FileError::Read(name.clone(), error))?;
    let lower = name.to_lowercase();
    let compression = COMPRESSED.iter().find(|ending| lower.ends_with(**ending));
    match magic {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let decoder =
                zstd::Decoder::with_buffer(raw).map_err(|error| FileError::Zstd(name.clone(), error))?;
            read(&name, &mut BufReader::new(decoder))
        }
        [0x1f, 0x8b, ..] => read(&name, &mut BufReader::new(flate2::bufread::MultiGzDecoder::new(raw))),
        [b'B', b'Z', b'h', ..] => read(&name, &mut BufReader::new(bzip2::bufread::MultiBzDecoder::new(raw))),
        magic if magic.starts_with(&zip_archive::MAGIC) => read_stream(&name, &mut raw, read),
        [_, ..] if let Some(ending) = compression => Err(FileError::NotCompressed(name, ending).into()),
        _ => read(&name, &mut raw),
    }
}

/// Tells how much is read from it.
struct Counted<R, F> {
    inner: R,
    on_bytes: F,
}

impl<R: Read, F: Fn(u64)> Read for Counted<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        (self.on_bytes)(count as u64);
        Ok(count)
    }
}

impl<R: Seek, F> Seek for Counted<R, F> {
    fn seek(&mut self, place: io::SeekFrom) -> io::Result<u64> {
        self.inner.seek(place)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Write;

    use super::*;
    use crate::files::Output;

    /// The text of a file, and how many bytes of it were said to be read.
    fn text(path: &Path) -> Result<(String, u64), FileError> {
        let (mut text, bytes) = (String::new(), Cell::new(0));
        read(
            path,
            |more| bytes.set(bytes.get() + more),
            |name, reader| {
                reader.read_to_string(&mut text).map_err(|error| FileError::Read(name.to_owned(), error))?;
                Ok::<_, FileError>(())
            },
        )?;
        Ok((text, bytes.get()))
    }

    #[test]
    fn what_was_written_is_read_and_every_byte_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = "1. e4 e5 2. Nf3 *\n".repeat(20_000);
        for name in ["plain.pgn", "a.pgn.zst", "a.pgn.gz", "a.pgn.bz2"] {
            let path = folder.path().join(name);
            let mut output = Output::create(&path).expect("a file to write");
            output.write_all(long.as_bytes()).expect("written");
            output.finish().expect("complete");
            // The content decides, not the name.
            let renamed = folder.path().join("renamed.pgn");
            std::fs::rename(&path, &renamed).expect("renamed");
            let length = renamed.metadata().expect("a file").len();
            assert_eq!(text(&renamed).expect("a good file"), (long.clone(), length), "{name}");
        }
    }

    #[test]
    fn errors_name_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = |path: &Path| {
            let message = text(path).expect_err("a bad file").to_string();
            message.replace(&format!("{}", folder.path().display()), "")
        };
        assert_eq!(error(folder.path()), ": this is a directory; name the files in it");
        assert_eq!(error(&folder.path().join("none.epd")), "/none.epd: cannot be opened");
        let path = folder.path().join("not.epd.zst");
        std::fs::write(&path, "8/8/8/8/8/8/8/8 w - -").expect("written");
        assert_eq!(error(&path), "/not.epd.zst: not compressed, though it is called .zst");
    }
}
