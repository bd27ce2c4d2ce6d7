use std::io;

use gamete_game::Color;

use super::{GameFileError, IdentityError, JournalError};
use crate::Termination;
use crate::task::{GameOutcome, TaskError};

/// Why a match cannot be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The journal does not work.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Somebody else plays than did before.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The games cannot be written.
    #[error(transparent)]
    GameFile(#[from] GameFileError),
    /// A game cannot be played, or its record makes no sense.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Who is told what happens cannot be told. The reason is the source, so that a closed output is recognised.
    #[error("the output cannot be written")]
    Observer(#[from] io::Error),
    /// The journal has another game than this program would play.
    #[error(
        "{path}: game {game} began from another opening than it would have here; resume with the Gamete and the openings \
         that the match began with, name another -journal, or start over with -fresh"
    )]
    AnotherGame {
        /// The journal.
        path: String,
        /// The number of the game, from 1.
        game: u64,
    },
    /// A contestant failed in a match that ends then.
    #[error(transparent)]
    Failure(#[from] MatchFailure),
    /// Something went wrong where nothing can go wrong.
    #[error("internal error in encounter {0}; what is in the journal is safe")]
    Internal(u64),
}

/// A contestant failed in a match that does not go on then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("game {game}: {culprit}: {termination}{}", .fault.as_ref().map_or_else(String::new, |fault| format!(": {fault}")))]
pub struct MatchFailure {
    /// The number of the game, from 1.
    pub game: u64,
    /// Who failed.
    pub culprit: String,
    /// How the game ended.
    pub termination: Termination,
    /// What the culprit did, in words.
    pub fault: Option<String>,
}

impl MatchFailure {
    /// What went wrong in a game between these, if anything did.
    pub(super) fn of(game: u64, [white, black]: &[String; 2], outcome: &GameOutcome) -> Option<Self> {
        let culprit = match outcome.termination.at_fault()? {
            Color::White => white,
            Color::Black => black,
        };
        let (culprit, termination) = (culprit.clone(), outcome.termination);
        Some(Self { game, culprit, termination, fault: outcome.fault.clone() })
    }
}
