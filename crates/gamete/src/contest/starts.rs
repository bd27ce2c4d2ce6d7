//! Where games start: in a book, or without one in openings that are drawn.

use anyhow::{Result, bail};
use gamete_arena::{Book, GameName, OpeningSource, Openings, Playable, RandomOpenings};
use serde_json::{Value, json};

use super::book_options::BookOptions;
use super::options::Options;

/// A word after `-openings` that stands for no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedStart {
    /// Random moves that leave the game even.
    Random,
    /// The position that games start from by the rules.
    StartPosition,
    /// The 960 start positions, again and again.
    Chess960,
    /// The three-move ballots of checkers, again and again.
    Ballots,
}

impl NamedStart {
    /// The words and what they mean.
    const ALL: [(&str, Self); 4] = [
        ("random", Self::Random),
        ("startpos", Self::StartPosition),
        ("chess960", Self::Chess960),
        ("ballots", Self::Ballots),
    ];

    /// The words, for messages.
    pub fn words() -> String {
        Self::ALL.map(|(word, _)| word).join(", ")
    }

    /// What a word means.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|&(_, start)| start)
    }
}

impl BookOptions {
    /// Whether the words fit each other and the game.
    pub fn check(&self, game: GameName, chess960: bool) -> Result<()> {
        let Some(named) = self.named else {
            if self.file.is_none() && self.plies.is_some() {
                bail!("-openings: plies= is of a book, file=…, or of -openings random");
            }
            return Ok(());
        };
        if self.file.is_some() || self.format.is_some() {
            bail!("-openings: either a file or one of {}", NamedStart::words());
        }
        match (named, self.plies) {
            (NamedStart::Random, Some(0)) => bail!("-openings: random plies=0 is -openings startpos"),
            (NamedStart::Random, Some(plies)) if plies > MAX_PLIES => {
                bail!("-openings: plies={plies}: at most {MAX_PLIES} random plies leave an even game")
            }
            (NamedStart::Random, _) | (_, None) => {}
            (_, Some(_)) => bail!("-openings: plies= is of a book or of random openings"),
        }
        match named {
            NamedStart::Chess960 if !chess960 => {
                bail!("-openings: chess960 wants -variant fischerandom")
            }
            NamedStart::Ballots if game != GameName::Checkers => {
                bail!("-openings: ballots are of checkers, not of {game}")
            }
            _ => Ok(()),
        }
    }

    /// What the journal has of where games start. Matches that start over and over from the same positions have what
    /// they always had.
    pub fn configuration(&self, game: GameName, chess960: bool) -> Value {
        let random = format!("random openings of {} plies", self.random_plies());
        match (&self.file, self.named, game) {
            (Some(file), ..) => json!(file.display().to_string()),
            (None, Some(NamedStart::Random), _) => json!(random),
            (None, Some(NamedStart::Chess960 | NamedStart::Ballots), _) => Value::Null,
            (None, Some(NamedStart::StartPosition), GameName::Chess) if !chess960 => Value::Null,
            (None, Some(NamedStart::StartPosition), _) => json!("startpos"),
            (None, None, GameName::Chess) if chess960 => json!(format!("960 start positions, then {random}")),
            (None, None, GameName::Chess) => json!(random),
            (None, None, GameName::Checkers) => json!(format!("ballots, then {random}")),
        }
    }

    fn random_plies(&self) -> usize {
        self.plies.unwrap_or(RandomOpenings::<gamete_chess::Position>::PLIES)
    }
}

const MAX_PLIES: usize = RandomOpenings::<gamete_chess::Position>::MAX_PLIES;

/// What a game has to start from.
pub struct Starts<G: Playable> {
    /// The book that was named.
    pub book: Option<Book<G>>,
    /// The start positions that everybody knows.
    pub listed: Option<Book<G>>,
    /// How random openings are drawn, by the seed and their plies.
    pub random: fn(u64, usize) -> RandomOpenings<G>,
}

impl<G: Playable> Starts<G> {
    /// The openings that the options ask for.
    pub fn source(self, options: &BookOptions, seed: u64) -> OpeningSource<G> {
        let order = |book| Openings::new(book, options.order, seed, options.start);
        let random = || (self.random)(seed, options.random_plies());
        match (self.book, options.named, self.listed) {
            (Some(book), ..) => OpeningSource::of_book(order(book)),
            (None, Some(NamedStart::StartPosition), _) => {
                OpeningSource::of_book(order(Book::start_position()))
            }
            (None, Some(NamedStart::Chess960 | NamedStart::Ballots), Some(listed)) => {
                OpeningSource::of_book(order(listed))
            }
            (None, None, Some(listed)) => {
                OpeningSource::of_book_then_random(order(listed), random(), options.start)
            }
            (None, ..) => OpeningSource::random(random(), options.start),
        }
    }
}

/// The words that resume a match from before there were random openings.
pub fn old_start(options: &Options) -> &'static str {
    match options.game {
        GameName::Checkers => "-openings ballots",
        GameName::Chess if options.chess960 => "-openings chess960",
        GameName::Chess => "-openings startpos",
    }
}
