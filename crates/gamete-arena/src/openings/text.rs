use std::path::Path;

use serde::{Deserialize, Serialize};

use super::random::{draw, shuffled_start};
use super::{Book, BookError, Opening};
use crate::{GameName, Playable, Rng};

/// An opening in words, of any game.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningText {
    /// The position that the record starts from, as a FEN.
    pub start: String,
    /// The moves of the book, in the notation of game scores.
    #[serde(default)]
    pub book: Vec<String>,
}

/// Where random openings begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartPositions {
    /// With the start of the game.
    #[default]
    Usual,
    /// With one of the shuffled starts of its variant, as of Chess960, drawn by lot.
    Shuffled,
}

impl OpeningText {
    /// Where games start by the rules.
    pub fn initial(game: GameName) -> Self {
        dispatch!(game, G => initial::<G>())
    }

    /// The start and so many random moves, after which a quick search finds neither side much ahead.
    pub fn random(game: GameName, plies: usize, rng: &mut Rng) -> Self {
        Self::random_with_key(game, StartPositions::Usual, plies, rng).0
    }

    /// The same from these start positions, with the key of the position that it leads to.
    pub fn random_with_key(
        game: GameName,
        starts: StartPositions,
        plies: usize,
        rng: &mut Rng,
    ) -> (Self, u64) {
        dispatch!(game, G => random::<G>(starts, plies, rng))
    }

    /// The openings of a file, in its order, with the keys of the positions that they lead to; see [`Book::load`].
    ///
    /// # Errors
    ///
    /// With the place, when anything in the file is not an opening; and when nothing is in it.
    pub fn load(game: GameName, path: &Path, plies: Option<usize>) -> Result<Vec<(Self, u64)>, BookError> {
        dispatch!(game, G => Ok(Book::<G>::load(path, None, plies)?.iter().map(|one| keyed(&one)).collect()))
    }
}

impl<G: Playable> From<&Opening<G>> for OpeningText {
    fn from(opening: &Opening<G>) -> Self {
        let mut position = opening.start.clone();
        let text = |&mv: &G::Move| {
            let text = position.move_text(mv);
            position.play(mv);
            text
        };
        Self { start: opening.start.to_string(), book: opening.moves.iter().map(text).collect() }
    }
}

fn initial<G: Playable>() -> OpeningText {
    OpeningText::from(&Opening::new(G::start()))
}

fn random<G: Playable>(starts: StartPositions, plies: usize, rng: &mut Rng) -> (OpeningText, u64) {
    let start: fn(&mut Rng) -> G = match starts {
        StartPositions::Usual => |_| G::start(),
        StartPositions::Shuffled => shuffled_start,
    };
    keyed(&draw::<G>(start, plies, rng))
}

fn keyed<G: Playable>(opening: &Opening<G>) -> (OpeningText, u64) {
    (OpeningText::from(opening), opening.position().key())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_openings_are_even_and_repeat() {
        for &game in GameName::ALL {
            let draw = |seed| {
                let mut rng = Rng::new(seed);
                (0..5).map(|_| OpeningText::random(game, 6, &mut rng)).collect::<Vec<_>>()
            };
            let openings = draw(1);
            assert_eq!(openings, draw(1));
            assert_ne!(openings, draw(2));
            assert!(openings.iter().all(|opening| opening.book.len() == 6));
            assert_eq!(openings[0].start, OpeningText::initial(game).start);
        }
    }

    #[test]
    fn random_openings_of_chess960_begin_with_its_starts() {
        let mut rng = Rng::new(1);
        let mut draw =
            |game| OpeningText::random_with_key(game, StartPositions::Shuffled, 2, &mut rng).0.start;
        let starts: std::collections::HashSet<String> = (0..8).map(|_| draw(GameName::Chess)).collect();
        assert!(starts.len() > 4, "{starts:?}");
        assert_eq!(
            draw(GameName::Checkers),
            OpeningText::initial(GameName::Checkers).start,
            "it has one alone"
        );
    }

    #[test]
    fn openings_of_a_file_have_the_keys_of_their_positions() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("book.epd");
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let other = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        std::fs::write(&path, format!("{fen}\n{other}\n{fen}\n")).expect("a file");
        let openings = OpeningText::load(GameName::Chess, &path, None).expect("openings");
        let keys: Vec<u64> = openings.iter().map(|(_, key)| *key).collect();
        assert!(keys.len() == 3 && keys[0] == keys[2] && keys[0] != keys[1], "{openings:?}");
        assert_eq!(openings[1].0.start, other);
    }
}
