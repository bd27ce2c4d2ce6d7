use std::io;

use super::{Encounter, Standings};
use crate::task::GameOutcome;

/// What happens in a match while it is played.
#[derive(Debug)]
pub enum MatchEvent<'a> {
    /// It begins, or begins again.
    Started {
        /// Games of complete encounters that the journal has.
        known_games: u64,
        /// Games of the whole match, on average where luck decides.
        planned_games: u64,
        /// Whether that is exactly so many.
        is_exact: bool,
    },
    /// Games of encounters that were broken off are taken from the journal.
    GamesKept {
        /// How many.
        games: u64,
    },
    /// All that the journal has is counted, and games begin.
    Playing,
    /// A game begins. This is told where it is played, so that it does not come after what its players were told.
    GameBegun {
        /// The number of the game in the match, from 1.
        number: u64,
        /// Games of the whole match.
        planned_games: u64,
        /// Who has White.
        white: &'a str,
        /// Who has Black.
        black: &'a str,
    },
    /// A game is over, and not yet counted. This is told where it was played.
    GameOver {
        /// The number of the game in the match, from 1.
        number: u64,
    },
    /// All games of an encounter are over and stored, and its turn has come.
    EncounterCounted(CountedEncounter<'a>),
    /// Nothing is played any more.
    Ended {
        /// Whether games are missing.
        interrupted: bool,
        /// Whether the sequential test has decided.
        decided: bool,
    },
}

/// An encounter with what the match comes to after it.
#[derive(Debug)]
pub struct CountedEncounter<'a> {
    /// Which one.
    pub encounter: Encounter,
    /// Its games, in order.
    pub games: Vec<CountedGame<'a>>,
    /// All encounters so far.
    pub standings: &'a Standings,
    /// How far the match is.
    pub progress: MatchProgress,
    /// Whether it was played now; otherwise it is taken from the journal.
    pub live: bool,
}

/// A game of a [`CountedEncounter`].
#[derive(Debug)]
pub struct CountedGame<'a> {
    /// The number of the game in the match, from 1.
    pub number: u64,
    /// Who had White.
    pub white: &'a str,
    /// Who had Black.
    pub black: &'a str,
    /// What came of it.
    pub outcome: &'a GameOutcome,
}

/// How far a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchProgress {
    /// Encounters that are counted.
    pub encounters: u64,
    /// Games that are counted.
    pub games: u64,
    /// Games of the whole match: as the schedule has it, or until the test is likely to decide.
    pub expected_games: u64,
    /// Whether nothing is left to be played.
    pub is_last: bool,
}

/// Who is told what happens in a match. An error ends the match.
pub trait MatchObserver: Send + Sync {
    /// Takes an event, on whatever thread it happens.
    ///
    /// # Errors
    ///
    /// When it cannot be passed on, as when nobody reads any more.
    fn event(&self, event: &MatchEvent<'_>) -> io::Result<()>;
}

impl<F: Fn(&MatchEvent<'_>) -> io::Result<()> + Send + Sync> MatchObserver for F {
    fn event(&self, event: &MatchEvent<'_>) -> io::Result<()> {
        self(event)
    }
}
