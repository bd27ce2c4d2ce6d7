use std::num::NonZeroU64;

use super::{Opening, OpeningWarning, Openings, RandomOpenings};
use crate::Playable;

/// Where the pairs of a match start: openings of a book, random ones, or those of a book and then random ones.
pub struct OpeningSource<G: Playable> {
    listed: Option<Openings<G>>,
    random: Option<RandomOpenings<G>>,
    start: u64,
}

impl<G: Playable> OpeningSource<G> {
    /// The openings of a book, again and again.
    pub fn of_book(openings: Openings<G>) -> Self {
        Self { listed: Some(openings), random: None, start: 0 }
    }

    /// Random ones, `start` of which, counted from 1, is the first.
    pub fn random(random: RandomOpenings<G>, start: NonZeroU64) -> Self {
        Self { listed: None, random: Some(random), start: start.get() - 1 }
    }

    /// Those of a book, each once, and then random ones, `start` of which all, counted from 1, is the first.
    pub fn of_book_then_random(openings: Openings<G>, random: RandomOpenings<G>, start: NonZeroU64) -> Self {
        Self { listed: Some(openings), random: Some(random), start: start.get() - 1 }
    }

    /// The opening for the pair with this number, from 0.
    pub fn opening(&self, pair: u64) -> Opening<G> {
        let number = self.start.saturating_add(pair);
        match (&self.listed, &self.random) {
            (Some(listed), Some(_)) if number < listed.book().len() as u64 => listed.opening(pair),
            (_, Some(random)) => random.opening(number),
            (Some(listed), None) => listed.opening(pair),
            (None, None) => unreachable!("one of the two is always there"),
        }
    }

    /// What to call it.
    pub fn name(&self) -> &str {
        self.listed.as_ref().map_or("random openings", |listed| listed.book().name())
    }

    /// The number of random plies, if so many pairs have random openings among them.
    pub fn random_plies(&self, pairs: u64) -> Option<usize> {
        let listed = self.listed.as_ref().map_or(0, |listed| listed.book().len() as u64);
        let random = self.random.as_ref()?;
        (self.start.saturating_add(pairs) > listed).then(|| random.plies())
    }

    /// What users should know when so many pairs are to be played.
    pub fn warnings(&self, pairs: u64) -> Vec<OpeningWarning> {
        match (&self.listed, &self.random) {
            (Some(listed), None) => listed.warnings(pairs),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;

    use super::*;
    use crate::{Book, OpeningOrder};

    #[test]
    fn random_openings_follow_those_of_the_book() {
        let start = NonZeroU64::new(959).expect("a start from 1");
        let listed = Book::chess960().ordered(OpeningOrder::Random, 3, start);
        let source = OpeningSource::of_book_then_random(
            listed.clone(),
            RandomOpenings::<Position>::shuffled(3, 2),
            start,
        );
        for pair in 0..2 {
            assert_eq!(source.opening(pair), listed.opening(pair));
        }
        let beyond = source.opening(2);
        assert!(beyond.moves.len() == 2 && beyond != source.opening(3));
        assert_eq!((source.random_plies(2), source.random_plies(3)), (None, Some(2)));
        assert_eq!(source.warnings(5000), []);
        assert_eq!(OpeningSource::of_book(listed).opening(2).moves, [], "the book again");
    }
}
