use anyhow::Result;
use gamete_arena::uci::EngineSpec;
use gamete_arena::{Competitor, GameName, ModelInfo, Playable, Player};

use crate::contest::named;

/// What people are called in commands and files.
const HUMAN: &str = "Human";

/// Who plays a colour.
#[derive(Debug, Clone, PartialEq)]
pub enum Seat {
    /// Somebody at the keyboard.
    Human,
    /// A player of ours, or another program.
    Computer(Box<Competitor<EngineSpec>>),
}

impl Seat {
    /// The seat of `human`, a player file, a model or another program.
    ///
    /// # Errors
    ///
    /// When `text` is none of these.
    pub fn load(text: &str) -> Result<Self> {
        if text.eq_ignore_ascii_case(HUMAN) {
            return Ok(Self::Human);
        }
        named(text).map(|competitor| Self::Computer(Box::new(competitor)))
    }

    fn of_player(player: Player) -> Self {
        Self::Computer(Box::new(Competitor::Player(player)))
    }

    /// The seat that a tag of a game file names, if it is one of ours.
    pub fn of_tag<G: Playable>(name: &str) -> Option<Self> {
        if name == HUMAN {
            return Some(Self::Human);
        }
        let model = ModelInfo::find(name).ok().filter(|model| model.game == G::GAME_NAME)?;
        Some(Self::of_player(Player::new(model)))
    }

    /// The player that plays when nothing else is said.
    pub fn default_computer<G: Playable>() -> Self {
        Self::of_player(Player::new(ModelInfo::default_for(G::GAME_NAME)))
    }

    /// Who would sit opposite, if nothing is said.
    pub fn usual_opponent<G: Playable>(&self) -> Self {
        match self {
            Self::Human => Self::default_computer::<G>(),
            Self::Computer(_) => Self::Human,
        }
    }

    /// Whoever plays, if it is not a person.
    pub fn competitor(&self) -> Option<&Competitor<EngineSpec>> {
        match self {
            Self::Human => None,
            Self::Computer(competitor) => Some(competitor),
        }
    }

    /// The game that is played there, if it is not a person.
    pub fn game(&self) -> Option<GameName> {
        self.competitor().map(Competitor::game)
    }

    /// What to call whoever sits there.
    pub fn name(&self) -> String {
        match self.competitor() {
            None => HUMAN.to_owned(),
            Some(Competitor::Player(player)) if player.name.is_empty() => "Computer".to_owned(),
            Some(Competitor::Player(player)) => player.name.clone(),
            Some(Competitor::Engine(spec)) => spec.title(),
        }
    }
}
