use std::io::{self, BufRead, BufReader, Read, Seek};

use zip::ZipArchive;

use super::FileError;

/// The first bytes of an archive.
pub(super) const MAGIC: [u8; 4] = *b"PK\x03\x04";

/// Reads an archive that comes as a stream, as [`read_archive`] does. How long a file is may be told only behind it, or
/// in the directory at the end of the archive, so it is first put aside, on the disk.
pub(super) fn read_stream<E: From<FileError>>(
    name: &str,
    stream: &mut dyn BufRead,
    read: impl FnMut(&str, &mut dyn BufRead) -> Result<(), E>,
) -> Result<(), E> {
    let unpack = |error| FileError::Unpack(name.to_owned(), error);
    let mut file = tempfile::tempfile().map_err(unpack)?;
    io::copy(stream, &mut file).map_err(unpack)?;
    file.rewind().map_err(unpack)?;
    read_archive(name, file, read)
}

/// Reads the files of an archive one after the other, in the order in which they stand there.
pub(super) fn read_archive<E: From<FileError>>(
    name: &str,
    file: impl Read + Seek,
    mut read: impl FnMut(&str, &mut dyn BufRead) -> Result<(), E>,
) -> Result<(), E> {
    let bad = |error| FileError::Zip(name.to_owned(), error);
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(bad)?;
    let mut order = Vec::with_capacity(archive.len());
    for index in 0..archive.len() {
        order.push((archive.by_index_raw(index).map_err(bad)?.header_start(), index));
    }
    order.sort_unstable();
    for (_, index) in order {
        let entry = archive.by_index(index).map_err(bad)?;
        if entry.is_file() {
            let member = format!("{name}/{}", entry.name().map_err(bad)?);
            read(&member, &mut BufReader::new(entry))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::files::{read, read_from};

    fn add_files<W: Write + Seek>(mut writer: ZipWriter<W>) -> W {
        writer.add_directory("games", SimpleFileOptions::default()).unwrap();
        for (name, text) in [("games/b.pgn", "1. e4 *\n"), ("a.pgn", "1. d4 *\n")] {
            writer.start_file(name, SimpleFileOptions::default()).unwrap();
            writer.write_all(text.repeat(1000).as_bytes()).unwrap();
        }
        writer.finish().unwrap()
    }

    fn names_and_texts(path: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut add = |name: &str, reader: &mut dyn BufRead| {
            let mut text = String::new();
            reader.read_to_string(&mut text).map_err(|error| FileError::Read(name.to_owned(), error))?;
            found.push((name.rsplit("x.zip/").next().unwrap().to_owned(), text));
            Ok::<_, FileError>(())
        };
        read(path, |_| (), &mut add).unwrap();
        // As it comes through a pipe.
        let bytes = std::fs::read(path).unwrap();
        read_from(bytes.as_slice(), "x.zip".to_owned(), |_| (), &mut add).unwrap();
        let again = found.split_off(found.len() / 2);
        assert_eq!(again, found);
        found
    }

    #[test]
    fn archives_are_read_whether_lengths_stand_before_or_behind_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.zip");
        let wanted = [
            ("games/b.pgn".to_owned(), "1. e4 *\n".repeat(1000)),
            ("a.pgn".to_owned(), "1. d4 *\n".repeat(1000)),
        ];
        add_files(ZipWriter::new(std::fs::File::create(&path).unwrap()));
        assert_eq!(names_and_texts(&path), wanted);
        let stream = add_files(ZipWriter::new_stream(Vec::new()));
        let bytes = stream.into_inner();
        assert_eq!(bytes[6] & 8, 0, "the directory has no data");
        assert!(bytes.windows(4).any(|window| window == b"PK\x07\x08"), "there is no data descriptor");
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(names_and_texts(&path), wanted);
    }
}
