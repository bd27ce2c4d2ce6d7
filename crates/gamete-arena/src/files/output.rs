use std::fs::File;
use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;

use super::unfinished::Unfinished;

/// A file being written, without its name until it is complete, so that a failure never leaves half a file nor
/// loses an old one. What is not a regular file, a pipe or a device, is written to as it is.
pub struct Output {
    encoder: Encoder,
    unfinished: Option<Unfinished>,
}

enum Encoder {
    Plain(BufWriter<File>),
    Standard(BufWriter<Stdout>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Bzip2(bzip2::write::BzEncoder<BufWriter<File>>),
}

/// Why a file cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// It is a directory.
    #[error("{0}: this is a directory; name a file to write")]
    Directory(String),
    /// It would be a zip archive.
    #[error("{0}: zip archives can be read but not written; use .zst or .gz")]
    Zip(String),
    /// It is there and may not be changed.
    #[error("{0}: this file is read-only; name another one")]
    ReadOnly(String),
    /// The file cannot be made.
    #[error("{0}: cannot be written")]
    Io(String, #[source] io::Error),
}

impl Output {
    /// Writes to `path`, compressed if its ending says so, or to the standard output for `-`.
    ///
    /// # Errors
    ///
    /// When the file cannot be made.
    pub fn create(path: &Path) -> Result<Self, CreateError> {
        if path == Path::new("-") {
            return Ok(Self { encoder: Encoder::Standard(BufWriter::new(io::stdout())), unfinished: None });
        }
        let name = || path.display().to_string();
        let failed = |error| CreateError::Io(name(), error);
        if path.is_dir() {
            return Err(CreateError::Directory(name()));
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        if ending == Some("zip") {
            return Err(CreateError::Zip(name()));
        }
        let (file, unfinished) = match path.metadata() {
            Ok(old) if !old.is_file() => (File::options().write(true).open(path).map_err(failed)?, None),
            Ok(old) if old.permissions().readonly() => return Err(CreateError::ReadOnly(name())),
            _ => {
                let (file, unfinished) = Unfinished::create(path).map_err(failed)?;
                (file, Some(unfinished))
            }
        };
        let file = BufWriter::new(file);
        let encoder = match ending {
            Some("zst") => Encoder::Zstd(zstd::Encoder::new(file, 9).map_err(failed)?),
            Some("gz") => Encoder::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::best())),
            Some("bz2") => Encoder::Bzip2(bzip2::write::BzEncoder::new(file, bzip2::Compression::best())),
            _ => Encoder::Plain(file),
        };
        Ok(Self { encoder, unfinished })
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    ///
    /// When the last of it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        // What is complete must not be flushed itself, but what it was written to must be.
        match &mut self.encoder {
            Encoder::Plain(out) => out.flush()?,
            Encoder::Standard(out) => out.flush()?,
            Encoder::Zstd(encoder) => {
                encoder.do_finish()?;
                encoder.get_mut().flush()?;
            }
            Encoder::Gzip(encoder) => {
                encoder.try_finish()?;
                encoder.get_mut().flush()?;
            }
            Encoder::Bzip2(encoder) => {
                encoder.try_finish()?;
                encoder.get_mut().flush()?;
            }
        }
        match self.unfinished.take() {
            Some(unfinished) => unfinished.finish(),
            None => Ok(()),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.encoder {
            Encoder::Plain(out) => out,
            Encoder::Standard(out) => out,
            Encoder::Zstd(out) => out,
            Encoder::Gzip(out) => out,
            Encoder::Bzip2(out) => out,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}
