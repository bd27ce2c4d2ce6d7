use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::uci::EngineSpec;
use crate::{GameClock, GameName, Limits, Player};

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

    /// Time that it may be late.
    pub(crate) fn time_margin(&self) -> Duration {
        Duration::from_millis(self.time_margin_ms)
    }

    /// Takes the time of a move off the clock, and judges it: gives by how much it was too long for the clock or for a move, if
    /// it was later than the margin forgives.
    pub(super) fn overrun(&self, clock: Option<&mut GameClock>, time: Duration) -> Option<Duration> {
        let margin = self.time_margin();
        let by_clock = clock.and_then(|clock| clock.spend(time, margin).err()).map(|overrun| overrun.0);
        let by_move = self.limits.move_time.filter(|&allowed| time > allowed + margin);
        by_clock.or(by_move.map(|allowed| time - allowed))
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
