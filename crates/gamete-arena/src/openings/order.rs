use std::fmt;
use std::num::NonZeroU64;

use gamete_game::Game;
use serde::{Deserialize, Serialize};

use super::{Book, Opening};
use crate::Rng;

/// In which order the openings of a book are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningOrder {
    /// As they stand in the book.
    #[default]
    Sequential,
    /// Shuffled, by a seed.
    Random,
}

/// The openings of a tournament, by the number of the pair of games.
///
/// Every match of a tournament starts its first pair with the same opening, its second with the next, and so on;
/// both games of a pair have the same one. When all have been played they come again, in the same order.
///
/// The book is shuffled first, and the first opening is looked for then. So runs with the same seed that start at 1
/// and at 101 play different openings, as long as the book lasts.
#[derive(Debug, Clone)]
pub struct Openings<G: Game> {
    book: Book<G>,
    /// The indices of the shuffled book.
    shuffled: Option<Vec<u32>>,
    start: NonZeroU64,
    distinct: usize,
}

/// What to tell users about their openings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpeningWarning {
    /// The first opening is one that the book does not have.
    StartBeyondBook {
        /// The number that was asked for.
        start: u64,
        /// How many there are.
        openings: usize,
        /// The number that is played instead.
        instead: u64,
    },
    /// Openings will be played more than once.
    TooFew {
        /// How many different ones there are.
        openings: usize,
        /// How many pairs are to be played.
        pairs: u64,
    },
}

impl<G: Game> Openings<G> {
    /// The openings of `book`, beginning with the one that is number `start` in this order, counted from 1.
    pub fn new(book: Book<G>, order: OpeningOrder, seed: u64, start: NonZeroU64) -> Self {
        let shuffled = match order {
            OpeningOrder::Sequential => None,
            OpeningOrder::Random => {
                let count = u32::try_from(book.len()).expect("fewer than four thousand million openings");
                let mut indices: Vec<_> = (0..count).collect();
                Rng::new(seed).shuffle(&mut indices);
                Some(indices)
            }
        };
        let distinct = book.distinct();
        Self { book, shuffled, start, distinct }
    }

    /// The book.
    pub fn book(&self) -> &Book<G> {
        &self.book
    }

    /// The index in the book of the opening for the pair with this number, from 0.
    pub fn index(&self, pair: u64) -> usize {
        let count = self.book.len() as u64;
        let turn = ((self.start.get() - 1) % count + pair % count) % count;
        self.shuffled.as_ref().map_or(turn as usize, |indices| indices[turn as usize] as usize)
    }

    /// The opening for the pair with this number, from 0: for both its games, in every match of the tournament.
    pub fn opening(&self, pair: u64) -> Opening<G> {
        self.book.opening(self.index(pair))
    }

    /// How many different positions the openings lead to.
    pub fn distinct(&self) -> usize {
        self.distinct
    }

    /// What users should know when so many pairs are to be played.
    pub fn warnings(&self, pairs: u64) -> Vec<OpeningWarning> {
        let (openings, start) = (self.book.len(), self.start.get());
        let beyond = (start > openings as u64).then(|| {
            let instead = (start - 1) % openings as u64 + 1;
            OpeningWarning::StartBeyondBook { start, openings, instead }
        });
        let few = (pairs > self.distinct as u64)
            .then_some(OpeningWarning::TooFew { openings: self.distinct, pairs });
        beyond.into_iter().chain(few).collect()
    }
}

impl fmt::Display for OpeningWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StartBeyondBook { start, openings, instead } => {
                write!(f, "there is no opening {start}, only {openings}; starting with opening {instead}")
            }
            Self::TooFew { openings, pairs } => {
                let plural = if *openings == 1 { "" } else { "s" };
                write!(f, "{openings} opening{plural} for {pairs} pairs of games; some will be played again")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;

    use super::*;

    fn order(count: usize, order: OpeningOrder, seed: u64, start: u64) -> Openings<Position> {
        let openings = Book::chess960().iter().take(count).collect();
        let book = Book::new("test", openings).expect("good openings");
        book.ordered(order, seed, NonZeroU64::new(start).expect("a start from 1"))
    }

    fn indices(openings: &Openings<Position>, pairs: std::ops::Range<u64>) -> Vec<usize> {
        pairs.map(|pair| openings.index(pair)).collect()
    }

    #[test]
    fn a_book_is_played_in_order_and_again() {
        let openings = order(4, OpeningOrder::Sequential, 7, 1);
        assert_eq!(indices(&openings, 0..6), [0, 1, 2, 3, 0, 1]);
        assert_eq!(openings.opening(5), Book::chess960().opening(1));
        assert_eq!(openings.index(u64::MAX), (u64::MAX % 4) as usize);
    }

    #[test]
    fn the_start_is_counted_from_one_and_wraps() {
        assert_eq!(indices(&order(4, OpeningOrder::Sequential, 7, 3), 0..4), [2, 3, 0, 1]);
        let beyond = order(4, OpeningOrder::Sequential, 7, 6);
        assert_eq!(indices(&beyond, 0..4), [1, 2, 3, 0]);
        assert_eq!(
            beyond.warnings(4),
            [OpeningWarning::StartBeyondBook { start: 6, openings: 4, instead: 2 }]
        );
        assert_eq!(
            beyond.warnings(4)[0].to_string(),
            "there is no opening 6, only 4; starting with opening 2"
        );
        assert_eq!(order(4, OpeningOrder::Sequential, 7, 4).warnings(4), []);
        assert_eq!(order(4, OpeningOrder::Sequential, 7, u64::MAX).index(u64::MAX), 1);
    }

    #[test]
    fn a_shuffle_has_every_opening_once() {
        let shuffled = order(50, OpeningOrder::Random, 7, 1);
        let mut all = indices(&shuffled, 0..50);
        assert!(!all.is_sorted());
        assert_eq!(all, indices(&shuffled, 50..100), "the same order again");
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn the_seed_alone_decides_the_order() {
        let shuffle = |seed| indices(&order(50, OpeningOrder::Random, seed, 1), 0..50);
        assert_eq!(shuffle(7), shuffle(7));
        assert_ne!(shuffle(7), shuffle(8));
    }

    #[test]
    fn the_order_of_a_seed_never_changes() {
        assert_eq!(indices(&order(10, OpeningOrder::Random, 42, 1), 0..10), GOLDEN);
    }

    /// Records name a seed; they must mean the same openings for ever.
    const GOLDEN: [usize; 10] = [8, 3, 6, 5, 4, 0, 9, 2, 1, 7];

    #[test]
    fn the_start_is_looked_for_after_the_shuffle() {
        let all = indices(&order(50, OpeningOrder::Random, 7, 1), 0..50);
        let batches = [1, 11, 21, 31, 41].map(|start| {
            let batch = order(50, OpeningOrder::Random, 7, start);
            indices(&batch, 0..10)
        });
        assert_eq!(batches.concat(), all, "batches repeat nothing and leave nothing out");
    }

    #[test]
    fn first_openings_are_uniform_over_seeds() {
        let mut counts = [0_u32; 8];
        for seed in 0..8_000 {
            counts[order(8, OpeningOrder::Random, seed, 1).index(0)] += 1;
        }
        let chi_square: f64 = counts.iter().map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_square < 24.32, "{counts:?}");
    }

    #[test]
    fn openings_that_lead_to_the_same_position_are_one() {
        let opening = |text: &str| {
            let mut line = gamete_game::Line::new(Position::start());
            for mv in text.split(' ') {
                line.play(line.position().parse_move(mv).expect("a legal move"));
            }
            Opening { start: Position::start(), moves: line.moves().collect() }
        };
        let transposed = vec![opening("d4 d5 c4"), opening("c4 d5 d4"), opening("e4 e5 Nf3")];
        let book = Book::new("test", transposed).expect("good openings");
        let openings = book.ordered(OpeningOrder::Sequential, 0, NonZeroU64::MIN);
        assert_eq!(openings.distinct(), 2);
        assert_eq!(openings.warnings(2), []);
        assert_eq!(
            openings.warnings(3)[0].to_string(),
            "2 openings for 3 pairs of games; some will be played again"
        );
    }
}
