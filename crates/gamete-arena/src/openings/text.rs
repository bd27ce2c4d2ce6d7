use serde::{Deserialize, Serialize};

use super::Opening;
use super::random::draw;
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

impl OpeningText {
    /// Where games start by the rules.
    pub fn initial(game: GameName) -> Self {
        dispatch!(game, G => initial::<G>())
    }

    /// The start and so many random moves, after which a quick search finds neither side much ahead.
    pub fn random(game: GameName, plies: usize, rng: &mut Rng) -> Self {
        dispatch!(game, G => random::<G>(plies, rng))
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

fn random<G: Playable>(plies: usize, rng: &mut Rng) -> OpeningText {
    OpeningText::from(&draw::<G>(|_| G::start(), plies, rng))
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
}
