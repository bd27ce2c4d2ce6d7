use gamete_arena::{Engine, ModelInfo, Player, PlayerError, WrongGame};

use super::BoardGame;

/// What people are called in commands and files.
const HUMAN: &str = "Human";

/// Who plays a colour.
#[derive(Debug, Clone, PartialEq)]
pub enum Seat {
    /// Somebody at the keyboard.
    Human,
    /// A player of ours.
    Computer(Box<Player>),
}

impl Seat {
    /// The seat of `human`, a player file or a model.
    ///
    /// # Errors
    ///
    /// When `text` is none of these.
    pub fn load(text: &str) -> Result<Self, PlayerError> {
        if text.eq_ignore_ascii_case(HUMAN) {
            return Ok(Self::Human);
        }
        Player::load(text).map(|player| Self::Computer(Box::new(player)))
    }

    /// The seat that a tag of a game file names, if it is one of ours.
    pub fn of_tag<G: BoardGame>(name: &str) -> Option<Self> {
        if name == HUMAN {
            return Some(Self::Human);
        }
        let model = ModelInfo::find(name).ok().filter(|model| model.game == G::GAME_NAME)?;
        Some(Self::Computer(Box::new(Player::new(model))))
    }

    /// The player that plays when nothing else is said.
    pub fn default_computer<G: BoardGame>() -> Self {
        Self::Computer(Box::new(Player::new(ModelInfo::default_for(G::GAME_NAME))))
    }

    /// Who would sit opposite, if nothing is said.
    pub fn usual_opponent<G: BoardGame>(&self) -> Self {
        match self {
            Self::Human => Self::default_computer::<G>(),
            Self::Computer(_) => Self::Human,
        }
    }

    /// The player, if it is one of ours.
    pub fn player(&self) -> Option<&Player> {
        match self {
            Self::Human => None,
            Self::Computer(player) => Some(player),
        }
    }

    /// What to call whoever sits there.
    pub fn name(&self) -> &str {
        self.player().map_or(HUMAN, |player| if player.name.is_empty() { "Computer" } else { &player.name })
    }

    /// The engine that moves for it, if it is not human.
    ///
    /// # Errors
    ///
    /// When the player plays another game.
    pub fn engine<G: BoardGame>(&self, hash_bytes: usize) -> Result<Option<Box<dyn Engine<G>>>, WrongGame> {
        self.player().map(|player| G::engine(player, hash_bytes)).transpose()
    }
}
