use serde::{Deserialize, Serialize};

use crate::uci::EngineSpec;
use crate::{GameName, Limits, Player};

/// Somebody who plays, and how much it may think.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contestant {
    /// What to call it in reports and game files.
    pub name: String,
    /// Who it is.
    pub competitor: Competitor,
    /// How much it may think.
    pub limits: Limits,
    /// Milliseconds that it may be late.
    #[serde(default)]
    pub time_margin_ms: u64,
}

/// Who plays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Competitor {
    /// A player of our own.
    Player(Player),
    /// Another program, by UCI.
    Engine(EngineSpec),
}

impl Contestant {
    /// A player of our own, by its own name.
    pub fn new(player: Player, limits: Limits) -> Self {
        let name = player.name.clone();
        Self { name, competitor: Competitor::Player(player), limits, time_margin_ms: 0 }
    }

    /// The game it plays.
    pub fn game(&self) -> GameName {
        match &self.competitor {
            Competitor::Player(player) => player.model().game,
            Competitor::Engine(_) => GameName::of_programs(),
        }
    }

    /// Whether its moves depend on nothing but the position and the seed.
    pub fn is_repeatable(&self) -> bool {
        match &self.competitor {
            Competitor::Player(_) => !self.limits.is_timed(),
            Competitor::Engine(_) => false,
        }
    }
}
