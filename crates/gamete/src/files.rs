//! Files of games and positions: opened by what is in them, written by what they are called.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;

/// What game files say, by the ending of their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Pgn,
    Epd,
    Pdn,
}

impl Format {
    /// The format of a file, from its name with any compression taken off.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "pgn" => Some(Self::Pgn),
            "epd" | "fen" => Some(Self::Epd),
            "pdn" => Some(Self::Pdn),
            _ => None,
        }
    }
}

const COMPRESSED: [&str; 4] = [".zst", ".gz", ".bz2", ".zip"];

/// Reads a file, decompressed if its first bytes say that it is compressed. A zip archive is read as
/// the files in it one after the other, each named with the archive.
///
/// # Errors
///
/// When the file cannot be opened, or `read` fails.
pub fn read(
    path: &Path,
    progress: &ProgressBar,
    mut read: impl FnMut(&str, &mut dyn BufRead) -> Result<()>,
) -> Result<()> {
    let name = path.display().to_string();
    if path.is_dir() {
        bail!("{name}: this is a directory; name the files in it");
    }
    let file = File::open(path).with_context(|| format!("{name}: cannot be opened"))?;
    let mut raw = BufReader::with_capacity(1 << 16, progress.wrap_read(file));
    let magic = raw.fill_buf().with_context(|| format!("{name}: cannot be read"))?;
    let lower = name.to_lowercase();
    let compression = COMPRESSED.iter().find(|ending| lower.ends_with(**ending));
    match magic {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let decoder =
                zstd::Decoder::with_buffer(raw).with_context(|| format!("{name}: bad zstd data"))?;
            read(&name, &mut BufReader::new(decoder))
        }
        [0x1f, 0x8b, ..] => read(&name, &mut BufReader::new(flate2::bufread::MultiGzDecoder::new(raw))),
        [b'B', b'Z', b'h', ..] => read(&name, &mut BufReader::new(bzip2::bufread::MultiBzDecoder::new(raw))),
        [b'P', b'K', 3, 4, ..] => read_zip(&name, raw, read),
        [_, ..] if let Some(ending) = compression => {
            bail!("{name}: not compressed, though it is called {ending}")
        }
        _ => read(&name, &mut raw),
    }
}

fn read_zip(
    name: &str,
    mut raw: impl BufRead,
    mut read: impl FnMut(&str, &mut dyn BufRead) -> Result<()>,
) -> Result<()> {
    loop {
        let entry = zip::read::read_zipfile_from_stream(&mut raw);
        let Some(entry) = entry.with_context(|| format!("{name}: bad zip data"))? else { return Ok(()) };
        if entry.is_file() {
            let member = entry.name().with_context(|| format!("{name}: bad zip data"))?;
            let member = format!("{name}/{member}");
            read(&member, &mut BufReader::new(entry))?;
        }
    }
}

/// A file being written, under another name until it is complete, so that a failure never leaves half a file nor
/// loses an old one.
pub struct Output {
    encoder: Encoder,
    partial: Option<Partial>,
}

struct Partial {
    now: PathBuf,
    later: PathBuf,
}

enum Encoder {
    Plain(BufWriter<File>),
    Standard(BufWriter<Stdout>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Bzip2(bzip2::write::BzEncoder<BufWriter<File>>),
}

impl Output {
    /// Writes to `path`, compressed if its ending says so, or to the standard output for `-`.
    ///
    /// # Errors
    ///
    /// When the file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self { encoder: Encoder::Standard(BufWriter::new(io::stdout())), partial: None });
        }
        let name = path.display();
        if path.is_dir() {
            bail!("{name}: this is a directory; name a file to write");
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        if ending == Some("zip") {
            bail!("{name}: zip archives can be read but not written; use .zst or .gz");
        }
        let mut now = path.as_os_str().to_owned();
        now.push(".partial");
        let file = BufWriter::new(File::create(&now).with_context(|| format!("{name}: cannot be written"))?);
        let encoder = match ending {
            Some("zst") => Encoder::Zstd(zstd::Encoder::new(file, 9)?),
            Some("gz") => Encoder::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::best())),
            Some("bz2") => Encoder::Bzip2(bzip2::write::BzEncoder::new(file, bzip2::Compression::best())),
            _ => Encoder::Plain(file),
        };
        Ok(Self { encoder, partial: Some(Partial { now: now.into(), later: path.to_owned() }) })
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    ///
    /// When the last of it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        match &mut self.encoder {
            Encoder::Plain(_) | Encoder::Standard(_) => {}
            Encoder::Zstd(encoder) => encoder.do_finish()?,
            Encoder::Gzip(encoder) => encoder.try_finish()?,
            Encoder::Bzip2(encoder) => encoder.try_finish()?,
        }
        self.flush()?;
        match self.partial.take() {
            Some(partial) => std::fs::rename(partial.now, partial.later),
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

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Nothing more can be done about a file that cannot even be removed.
            let _ = std::fs::remove_file(&partial.now);
        }
    }
}
