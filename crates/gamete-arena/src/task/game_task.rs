use gamete_game::Color;
use serde::{Deserialize, Serialize};

use super::{Contestant, TaskKey};
use crate::uci::{EngineCatalog, EngineNotFound};
use crate::{Adjudication, GameName, Limits, Opening, Playable};

/// One game to be played, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameTask {
    /// Which game.
    pub game: GameName,
    /// The position that the record starts from, as a FEN.
    pub start: String,
    /// The moves of the book, in the notation of game scores.
    #[serde(default)]
    pub book: Vec<String>,
    /// Who has White.
    pub white: Contestant,
    /// Who has Black.
    pub black: Contestant,
    /// When the game is decided before its end.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// What players with noise play by.
    pub seed: u64,
    /// Whether the outcome has [details](super::MoveDetail) of every move.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub details: bool,
}

/// Why a task cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The start position is none.
    #[error("{fen:?}: {reason}")]
    Start {
        /// What it is.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A move of the book cannot be played.
    #[error("move {number} of the opening, {text:?}: {reason}")]
    Move {
        /// Which one, from 1.
        number: usize,
        /// What it is.
        text: String,
        /// What is wrong with it.
        reason: gamete_game::MoveError,
    },
    /// A move that is said to be right, wrong or an expert's cannot be played.
    #[error("{fen:?}: the answer {text:?}: {reason}")]
    Answer {
        /// The position.
        fen: String,
        /// The move.
        text: String,
        /// What is wrong with it.
        reason: gamete_game::MoveError,
    },
    /// Limits that never end, or that are for whole games.
    #[error("the limits {:?} are not for this: single positions take nodes, depth or st", .0.to_string())]
    Limits(Limits),
    /// A game without draws, where there is no such thing.
    #[error("endless games are for checkers")]
    Endless,
    /// Tables are to decide, and there are none.
    #[error("the task has a rule on endgame tables, and there are no tables here")]
    NoTables,
    /// It was broken off.
    #[error("interrupted")]
    Interrupted,
    /// Something went wrong where nothing can go wrong.
    #[error("internal error: {0}")]
    Panicked(String),
    /// It was to be done on another machine, which says why it is not.
    #[error("{0}")]
    Elsewhere(String),
    /// A contestant plays another game.
    #[error(transparent)]
    WrongGame(#[from] crate::WrongGame),
    /// An engine is not here.
    #[error(transparent)]
    EngineNotFound(#[from] EngineNotFound),
}

impl GameTask {
    /// A game from an opening.
    pub fn new<G: Playable>(
        opening: &Opening<G>,
        white: Contestant,
        black: Contestant,
        adjudication: Adjudication,
        seed: u64,
    ) -> Self {
        let mut position = opening.start.clone();
        let text = |&mv: &G::Move| {
            let text = position.move_text(mv);
            position.play(mv);
            text
        };
        let book = opening.moves.iter().map(text).collect();
        let (game, start) = (G::GAME_NAME, opening.start.to_string());
        Self { game, start, book, white, black, adjudication, seed, details: false }
    }

    /// Who plays this colour.
    pub(super) fn contestant(&self, color: Color) -> &Contestant {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    /// What stands for it in the journal of a match. What is written of each move is no part of it, so that a match can be
    /// resumed with another record of its games.
    pub fn journal_key(&self) -> i64 {
        self.without_details(|task| TaskKey::of_game(task).short())
    }

    /// What stood for it before engines had names in tasks; nothing where one is not in the catalogue.
    pub fn journal_key_of_commands(&self, engines: &EngineCatalog) -> Option<i64> {
        self.without_details(|task| Some(TaskKey::of_commands(&task.clone().into(), engines)?.short()))
    }

    fn without_details<T>(&self, key: impl FnOnce(&Self) -> T) -> T {
        match self.details {
            true => key(&Self { details: false, ..self.clone() }),
            false => key(self),
        }
    }

    /// The opening.
    ///
    /// # Errors
    ///
    /// When the start or a move of the book makes no sense.
    pub fn opening<G: Playable>(&self) -> Result<Opening<G>, TaskError> {
        let start: G = self.start.parse().map_err(|error: G::Err| TaskError::Start {
            fen: self.start.clone(),
            reason: error.to_string(),
        })?;
        Ok(Opening { moves: parse_moves(&start, &self.book)?, start })
    }
}

/// The moves that these texts mean, one after the other.
pub(crate) fn parse_moves<G: Playable>(start: &G, texts: &[String]) -> Result<Vec<G::Move>, TaskError> {
    let mut position = start.clone();
    let parse = |(index, text): (usize, &String)| {
        let mv = position.parse_move(text).map_err(|reason| TaskError::Move {
            number: index + 1,
            text: text.clone(),
            reason,
        })?;
        position.play(mv);
        Ok(mv)
    };
    texts.iter().enumerate().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;
    use gamete_game::Game;

    use super::*;
    use crate::{ModelInfo, Player};

    #[test]
    fn a_task_survives_being_written() {
        let start = Position::chess960_start(77);
        let moves = vec![start.moves()[3]];
        let opening = Opening { start, moves };
        let player = |name| Contestant::new(Player::new(ModelInfo::find(name).unwrap()), Limits::nodes(100));
        let (white, black) = (player("chess/material"), player("chess/classic"));
        let task = GameTask::new(&opening, white, black, Adjudication::default(), 7);
        let json = serde_json::to_string(&task).unwrap();
        let read: GameTask = serde_json::from_str(&json).unwrap();
        assert_eq!(read, task);
        assert_eq!(read.opening::<Position>().unwrap(), opening);
    }

    #[test]
    fn nonsense_is_named() {
        let opening = Opening::new(Position::start());
        let player = Contestant::new(Player::new(ModelInfo::default_for(GameName::Chess)), Limits::nodes(1));
        let mut task = GameTask::new(&opening, player.clone(), player, Adjudication::default(), 0);
        task.book = vec!["e4".to_owned(), "e4".to_owned()];
        let error = task.opening::<Position>().unwrap_err().to_string();
        assert_eq!(error, "move 2 of the opening, \"e4\": illegal move");
        task.start = "8/8".to_owned();
        assert!(task.opening::<Position>().unwrap_err().to_string().starts_with("\"8/8\": "));
    }
}
