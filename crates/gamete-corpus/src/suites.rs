use std::io::BufReader;
use std::path::Path;

use gamete_arena::files::{self, FileFormat};
use gamete_arena::{Playable, Puzzle, Suite, SuiteError};

use crate::draw::{Drawing, Hashed, MoreGames};
use crate::{DrawError, DrawOptions, Drawn, Take};

/// Takes the positions of suites (EPD), compressed or not, with their best moves as the experts'. Those without one are left
/// out, unless a mentor is to score them ([`Take::Mentor`]). Of the options, the number of games is the number of positions.
///
/// # Errors
///
/// When a file cannot be read or has no best moves, or there are fewer positions than asked for.
pub fn draw_from_suites<G: Playable>(
    paths: &[impl AsRef<Path>],
    options: &DrawOptions,
    on_bytes: impl Fn(u64),
) -> Result<Drawn<G>, DrawError> {
    let read = G::EXTRAS.read_suite.ok_or(SuiteError::Game(G::GAME_NAME))?;
    let mut drawing = Drawing::<G>::new(options);
    for path in paths {
        let path = path.as_ref();
        files::read(path, &on_bytes, |name, text| {
            let format = FileFormat::of_path(Path::new(name)).or_else(|| FileFormat::of_path(path));
            if format.is_some_and(|format| format != FileFormat::Positions) {
                return Err(DrawError::NoSuite(name.to_owned()));
            }
            drawing.begin_source(name);
            let mut marked = false;
            let mut hashed = Hashed { inner: text, hasher: blake3::Hasher::new() };
            read(&mut BufReader::new(&mut hashed), &mut |position| {
                match position {
                    Ok(position) => {
                        marked |= !position.puzzle.best.is_empty();
                        take(&mut drawing, options, &position.puzzle);
                    }
                    Err(_) => drawing.skip(|passed| &mut passed.unreadable),
                }
                match drawing.source().entries > Suite::MAX_POSITIONS as u64 {
                    true => Err(SuiteError::TooLarge(name.to_owned())),
                    false => Ok(()),
                }
            })?;
            drawing.end_source(hashed.hasher.finalize());
            if !marked && options.take != Take::Mentor {
                let positions = drawing.source().entries;
                return Err(DrawError::NoBest { name: name.to_owned(), positions });
            }
            Ok(())
        })?;
    }
    let own = |name: &str| ["forced", "test-share", "games"].contains(&name);
    let settings = options.settings().into_iter().filter(|(name, _)| own(name)).collect();
    drawing.finish(settings, MoreGames::Files)
}

/// Takes a position with its best moves.
fn take<G: Playable>(drawing: &mut Drawing<'_, G>, options: &DrawOptions, puzzle: &Puzzle) {
    let Ok(position) = puzzle.fen.parse::<G>() else {
        return drawing.skip(|passed| &mut passed.unreadable);
    };
    let choices: Vec<G::Move> =
        puzzle.best.iter().filter_map(|text| position.parse_move(text).ok()).collect();
    if choices.is_empty() && options.take != Take::Mentor {
        return drawing.skip(|passed| &mut passed.without_best);
    }
    if !options.has_choice(&position) || position.ending().is_some() {
        return drawing.skip(|passed| &mut passed.without_position);
    }
    drawing.take(position, choices);
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;
    use gamete_game::Game;

    use super::*;
    use crate::PassedOver;

    const EPD: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8# Ra7; id \"mate\";\n\
        no position\n\
        6k1/5ppp/8/8/8/8/8/R3K3 w - - id \"nothing\";\n\
        6k1/5ppp/8/8/8/8/8/R3K3 w - - am Ra7;\n\
        6k1/5ppp/8/8/8/8/8/1R2K3 w - - bm Rb8#;\n\
        k7/8/8/8/8/8/8/1R2K3 b - - bm Ka7;\n";

    fn draw(text: &str, options: &DrawOptions) -> Result<Drawn<Position>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.epd");
        std::fs::write(&path, text).expect("written");
        let hidden = format!("{}/", folder.path().display());
        draw_from_suites(&[path], options, |_| ()).map_err(|error| error.to_string().replace(&hidden, ""))
    }

    #[test]
    fn best_moves_are_choices_and_what_has_none_is_counted() {
        let drawn = draw(EPD, &DrawOptions::default()).expect("positions");
        let texts = |sample: &crate::Sample<Position>| {
            sample.choices.iter().map(|&mv| sample.position.move_text(mv)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(drawn.samples.iter().map(texts).collect::<Vec<_>>(), ["Ra8# Ra7", "Rb8#"]);
        assert_eq!(drawn.samples.iter().map(|sample| sample.source).collect::<Vec<_>>(), [1, 5]);
        let passed =
            PassedOver { unreadable: 1, without_best: 2, without_position: 1, ..PassedOver::default() };
        assert_eq!(drawn.passed_over, passed);
        assert_eq!(
            (drawn.files[0].name.as_str(), drawn.files[0].entries, drawn.files[0].used),
            ("a.epd", 6, 2)
        );
        let forced = draw(EPD, &DrawOptions { forced: true, ..DrawOptions::default() }).expect("positions");
        assert_eq!(forced.samples.len(), 3);
        let mentor = DrawOptions { take: Take::Mentor, ..DrawOptions::default() };
        assert_eq!(draw(EPD, &mentor).expect("positions").samples.len(), 4, "a mentor needs no best moves");
    }

    #[test]
    fn what_is_no_suite_is_refused() {
        let unmarked = "6k1/5ppp/8/8/8/8/8/R3K3 w - - am Ra7;\n".repeat(3);
        assert_eq!(
            draw(&unmarked, &DrawOptions::default()).expect_err("no bm"),
            "a.epd: none of its 3 positions has a best move (bm); name suites that have, or let a --mentor score them"
        );
        let none = draw_from_suites::<gamete_checkers::Position>(&["a.epd"], &DrawOptions::default(), |_| ());
        assert_eq!(
            none.expect_err("no suites of checkers").to_string(),
            "there are no suites of checkers; suites are EPD files of chess"
        );
    }
}
