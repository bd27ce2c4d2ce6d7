use std::io::{BufRead, Read};

use gamete_chess::EpdReader;
use gamete_game::{Format, Game, TranscriptReader};

use super::{BookError, BookErrorKind, BookPlace, Opening};
use crate::Playable;
use crate::files::FileFormat;

/// Longer than any position; a bound on the memory a broken file can take.
const MAX_LINE: u64 = 1 << 20;

/// Is told of every opening of a text, and where it stands.
pub type OnOpening<'a, G> = dyn FnMut(BookPlace, Opening<G>) -> Result<(), BookError> + 'a;

/// Reads a text of positions, which has a name.
pub type PositionReader<G> = fn(&mut dyn BufRead, &str, &mut OnOpening<'_, G>) -> Result<(), BookError>;

/// Calls `add` with every opening of a text, games cut after so many `plies`.
///
/// # Errors
///
/// When the text cannot be read, or `add` fails.
pub(super) fn read_openings<G: Playable>(
    text: &mut dyn BufRead,
    name: &str,
    format: FileFormat,
    plies: Option<usize>,
    add: &mut OnOpening<'_, G>,
) -> Result<(), BookError> {
    match format {
        FileFormat::Games(game) if game == G::GAME_NAME => {
            read_games(text, name, G::Format::default(), plies, add)
        }
        FileFormat::Games(_) => {
            Err(BookError::WrongGame { name: name.to_owned(), format, game: G::GAME_NAME })
        }
        FileFormat::Positions => G::EXTRAS.read_positions.unwrap_or(read_positions)(text, name, add),
    }
}

/// Reads EPD.
pub(crate) fn read_epd(
    text: &mut dyn BufRead,
    name: &str,
    add: &mut OnOpening<'_, gamete_chess::Position>,
) -> Result<(), BookError> {
    let mut lines = EpdReader::new(text);
    while let Some(epd) = lines.next() {
        let place = BookPlace::Line(lines.line());
        let epd = epd.map_err(|error| entry(name, place, BookErrorKind::Position(error.kind.into())))?;
        add(place, Opening::new(epd.position))?;
    }
    Ok(())
}

fn read_games<F: Format>(
    text: impl Read,
    name: &str,
    format: F,
    plies: Option<usize>,
    add: &mut OnOpening<'_, F::Game>,
) -> Result<(), BookError> {
    let mut games = TranscriptReader::new(text, format);
    while let Some(game) = games.next_game() {
        let game = game.map_err(|error| {
            entry(name, BookPlace::Game { game: error.game, line: error.line }, error.kind.into())
        })?;
        let moves = game.plies.iter().take(plies.unwrap_or(usize::MAX)).map(|ply| ply.mv).collect();
        let place = BookPlace::Game { game: games.games(), line: games.line() };
        add(place, Opening { start: game.start, moves })?;
    }
    Ok(())
}

/// A FEN a line, up to a semicolon; empty lines and those that start with `#` are passed over.
fn read_positions<G: Game>(
    text: &mut dyn BufRead,
    name: &str,
    add: &mut OnOpening<'_, G>,
) -> Result<(), BookError> {
    let mut line = Vec::new();
    for number in 1.. {
        let place = BookPlace::Line(number);
        line.clear();
        let length = text.take(MAX_LINE + 1).read_until(b'\n', &mut line);
        match length.map_err(|error| entry(name, place, error.into()))? {
            0 => break,
            length if length as u64 > MAX_LINE => return Err(entry(name, place, BookErrorKind::LongLine)),
            _ => {}
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}');
        let fen = line.split(';').next().unwrap_or_default().trim();
        if fen.is_empty() || fen.starts_with('#') {
            continue;
        }
        let position =
            fen.parse().map_err(|error: G::Err| entry(name, place, BookErrorKind::Position(error.into())))?;
        add(place, Opening::new(position))?;
    }
    Ok(())
}

fn entry(name: &str, place: BookPlace, kind: BookErrorKind) -> BookError {
    BookError::Entry { name: name.to_owned(), place, kind }
}
