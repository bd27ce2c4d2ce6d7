//! Games as files tell them: PGN for chess, PDN for checkers, one reader and one writer for both.

mod lexer;
mod reader;
mod tagged;
mod tags;
mod writer;

pub use reader::{ReadError, ReadErrorKind, TranscriptReader};
pub use tagged::TaggedText;
pub use tags::Tags;
pub use writer::TranscriptWriter;

use crate::{Color, Game, MoveError, Outcome};

/// A game with its tags and annotations. Side variations are not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript<G: Game> {
    /// The tag pairs, in the order of the file.
    pub tags: Tags,
    /// Where the game starts.
    pub start: G,
    /// A remark before the first move.
    pub comment: Option<String>,
    /// The moves played.
    pub plies: Vec<Ply<G>>,
    /// Who won; `None` for a game that is unfinished or of unknown result.
    pub outcome: Option<Outcome>,
}

impl<G: Game> Transcript<G> {
    /// A game without moves.
    pub fn new(start: G) -> Self {
        Self { tags: Tags::default(), start, comment: None, plies: Vec::new(), outcome: None }
    }

    /// The position after the last move.
    pub fn last_position(&self) -> G {
        let mut position = self.start.clone();
        for ply in &self.plies {
            position.play(ply.mv);
        }
        position
    }
}

/// A move of a game with its annotations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply<G: Game> {
    /// The move.
    pub mv: G::Move,
    /// Numeric annotation glyphs, `$1` for `!` and so on.
    pub nags: Vec<u8>,
    /// The remark after the move.
    pub comment: Option<String>,
}

impl<G: Game> Ply<G> {
    /// A move without annotations.
    pub fn new(mv: G::Move) -> Self {
        Self { mv, nags: Vec::new(), comment: None }
    }
}

/// How a game's files spell what differs from game to game.
pub trait Format {
    /// The game.
    type Game: Game;

    /// The start position that the tags of a game declare.
    ///
    /// # Errors
    ///
    /// A message that names the tag and what is wrong with it.
    fn start(&self, tags: &Tags) -> Result<Self::Game, String>;

    /// The result that `word` stands for, or `None` if it is not a result at all. White's points are first.
    fn parse_result(&self, word: &str) -> Option<Option<Outcome>> {
        match word {
            "1-0" | "1–0" => Some(Some(Outcome::Win(Color::White))),
            "0-1" | "0–1" => Some(Some(Outcome::Win(Color::Black))),
            "1/2-1/2" | "1/2" | "½-½" | "½–½" => Some(Some(Outcome::Draw)),
            "*" => Some(None),
            _ => None,
        }
    }

    /// The outcome of a whole game, given its tags and the result that ended the moves, if one did.
    fn outcome(&self, tags: &Tags, result: Option<Option<Outcome>>) -> Option<Outcome> {
        result.flatten().or_else(|| self.parse_result(tags.get("Result")?)?)
    }

    /// The move that `word` means.
    ///
    /// # Errors
    ///
    /// When it is no move, or none that can be played here.
    fn parse_move(&self, position: &Self::Game, word: &str) -> Result<<Self::Game as Game>::Move, MoveError> {
        position.parse_move(word)
    }

    /// Whether `word` means `mv`, but is spelled otherwise than the standard of the format has it. Readers count such moves.
    fn is_misspelt(&self, mv: <Self::Game as Game>::Move, word: &str) -> bool {
        let _ = (mv, word);
        false
    }

    /// Whether `first` and `second`, with a space between them, may be parts of one move. Either may be a bare number.
    fn may_join(&self, first: &str, second: &str) -> bool {
        let _ = (first, second);
        false
    }

    /// Whether `word` only describes the move before it, which was `mv` at `before`.
    fn describes(&self, before: &Self::Game, mv: <Self::Game as Game>::Move, word: &str) -> bool {
        let _ = (before, mv, word);
        false
    }

    /// Whether `word` passes the turn, which no game of ours allows.
    fn is_null_move(&self, word: &str) -> bool {
        let _ = word;
        false
    }

    /// Whether a `*` directly behind a move praises the move if the game goes on.
    fn has_starred_moves(&self) -> bool {
        false
    }

    /// The tags to write for `game`: its own, with start position and result made true.
    fn tags(&self, game: &Transcript<Self::Game>) -> Tags;

    /// How the outcome is written after the last move.
    fn result_text(&self, outcome: Option<Outcome>) -> &'static str {
        result_text(outcome)
    }

    /// How a move is written.
    fn move_text(&self, position: &Self::Game, mv: <Self::Game as Game>::Move) -> String {
        position.move_text(mv)
    }
}

/// An outcome with White's points first: `1-0`, `0-1`, `1/2-1/2`, or `*` where there is none.
pub fn result_text(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Color::White)) => "1-0",
        Some(Outcome::Win(Color::Black)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}
