//! Where games start: in a book, or without one in openings that are drawn.

use anyhow::{Result, bail};
use gamete_arena::{
    Book, GameName, MAX_RANDOM_PLIES, OpeningListName, OpeningSource, Openings, Playable, RANDOM_PLIES,
    RandomOpenings,
};
use serde_json::{Value, json};

use super::book_options::BookOptions;
use super::options::Options;
use crate::single_dash::Group;

/// A word after `-openings` that stands for no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedStart {
    /// Random moves that leave the game even.
    Random,
    /// The position that games start from by the rules.
    StartPosition,
    /// Openings or start positions that a game is known for, by their word, again and again.
    Listed(&'static str),
}

impl NamedStart {
    /// The words, for messages.
    pub fn words() -> String {
        let lists = lists().map(|(_, list)| list.word);
        ["random", "startpos"].into_iter().chain(lists).collect::<Vec<_>>().join(", ")
    }

    /// What a word means.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "random" => Some(Self::Random),
            "startpos" => Some(Self::StartPosition),
            _ => lists().map(|(_, list)| list.word).find(|known| *known == word).map(Self::Listed),
        }
    }
}

/// The lists of all games.
fn lists() -> impl Iterator<Item = (GameName, OpeningListName)> {
    GameName::ALL.iter().flat_map(|&game| {
        let both = [game.shuffled_starts(), game.openings()];
        both.into_iter().flatten().map(move |list| (game, list))
    })
}

/// What `-variant` says: whether the start positions are the shuffled ones of Chess960.
pub fn is_shuffled(group: Option<&Group<'_>>, game: GameName) -> Result<bool> {
    match group.map(Group::single).transpose()? {
        None | Some("standard") => Ok(false),
        Some("fischerandom" | "fischerrandom" | "chess960" | "frc") if game.shuffled_starts().is_some() => {
            Ok(true)
        }
        Some(other) => bail!("-variant: {other:?} is not standard or fischerandom"),
    }
}

/// What a match goes through before random openings.
pub fn listed_starts(game: GameName, chess960: bool) -> Option<OpeningListName> {
    if chess960 { game.shuffled_starts() } else { game.openings() }
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
            (NamedStart::Random, Some(plies)) if plies > MAX_RANDOM_PLIES => {
                bail!("-openings: plies={plies}: at most {MAX_RANDOM_PLIES} random plies leave an even game")
            }
            (NamedStart::Random, _) | (_, None) => {}
            (_, Some(_)) => bail!("-openings: plies= is of a book or of random openings"),
        }
        let NamedStart::Listed(word) = named else { return Ok(()) };
        if listed_starts(game, chess960).is_some_and(|list| list.word == word) {
            return Ok(());
        }
        match lists().find(|(_, list)| list.word == word) {
            Some((owner, list)) if owner.shuffled_starts() == Some(list) => {
                bail!("-openings: {word} wants -variant fischerandom")
            }
            Some((owner, _)) => bail!("-openings: {word} are of {owner}, not of {game}"),
            None => Ok(()),
        }
    }

    /// What the journal has of where games start. Matches that start over and over from the same positions have what
    /// they always had.
    pub fn configuration(&self, game: GameName, chess960: bool) -> Value {
        let random = format!("random openings of {} plies", self.random_plies());
        match (&self.file, self.named, listed_starts(game, chess960)) {
            (Some(file), ..) => json!(file.display().to_string()),
            (None, Some(NamedStart::Random), _) => json!(random),
            (None, Some(NamedStart::Listed(_)), _) => Value::Null,
            (None, Some(NamedStart::StartPosition), None) => Value::Null,
            (None, Some(NamedStart::StartPosition), Some(_)) => json!("startpos"),
            (None, None, Some(list)) => json!(format!("{}, then {random}", list.title)),
            (None, None, None) => json!(random),
        }
    }

    fn random_plies(&self) -> usize {
        self.plies.unwrap_or(RANDOM_PLIES)
    }
}

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
    /// What the game has, or its variant with shuffled pieces.
    pub fn new(book: Option<Book<G>>, shuffled: bool) -> Self {
        let listed = if shuffled { G::SHUFFLED_STARTS } else { G::OPENINGS };
        let random = if shuffled { RandomOpenings::shuffled } else { RandomOpenings::new };
        Self { book, listed: listed.as_ref().map(Book::of_list), random }
    }

    /// The openings that the options ask for.
    pub fn source(self, options: &BookOptions, seed: u64) -> OpeningSource<G> {
        let order = |book| Openings::new(book, options.order, seed, options.start);
        let random = || (self.random)(seed, options.random_plies());
        match (self.book, options.named, self.listed) {
            (Some(book), ..) => OpeningSource::of_book(order(book)),
            (None, Some(NamedStart::StartPosition), _) => {
                OpeningSource::of_book(order(Book::start_position()))
            }
            (None, Some(NamedStart::Listed(_)), Some(listed)) => OpeningSource::of_book(order(listed)),
            (None, None, Some(listed)) => {
                OpeningSource::of_book_then_random(order(listed), random(), options.start)
            }
            (None, ..) => OpeningSource::random(random(), options.start),
        }
    }
}

/// The words that resume a match from before there were random openings.
pub fn old_start(options: &Options) -> String {
    let word = listed_starts(options.game, options.chess960).map_or("startpos", |list| list.word);
    format!("-openings {word}")
}
