use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::NamedEngine;
use crate::{GameClock, GameName, Limits, Player};

/// Somebody who plays, and how much it may think. In tasks other programs are [named](NamedEngine); where they are started,
/// as on a command line, there is an [`EngineSpec`](crate::uci::EngineSpec) instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contestant<E = NamedEngine> {
    /// What to call it in reports and game files.
    pub name: String,
    /// Who it is.
    pub competitor: Competitor<E>,
    /// How much it may think.
    pub limits: Limits,
    /// Milliseconds that it may be late.
    #[serde(default)]
    pub time_margin_ms: u64,
}

/// Who plays.
#[expect(clippy::large_enum_variant, reason = "most are players, which would only be boxed")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Competitor<E = NamedEngine> {
    /// A player of our own.
    Player(Player),
    /// Another program, by UCI.
    Engine(E),
}

impl Contestant {
    /// A player of our own, by its own name.
    pub fn new(player: Player, limits: Limits) -> Self {
        let name = player.name.clone();
        Self { name, competitor: Competitor::Player(player), limits, time_margin_ms: 0 }
    }
}

impl<E> Contestant<E> {
    /// The same with another program put in another way.
    pub fn map_engine<F>(self, map: impl FnOnce(E) -> F) -> Contestant<F> {
        let Self { name, competitor, limits, time_margin_ms } = self;
        Contestant { name, competitor: competitor.map_engine(map), limits, time_margin_ms }
    }

    /// The other program, if it is one.
    pub fn engine(&self) -> Option<&E> {
        match &self.competitor {
            Competitor::Player(_) => None,
            Competitor::Engine(engine) => Some(engine),
        }
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
        self.competitor.game()
    }

    /// Whether its moves depend on nothing but the position and the seed.
    pub fn is_repeatable(&self) -> bool {
        match &self.competitor {
            Competitor::Player(_) => !self.limits.is_timed(),
            Competitor::Engine(_) => false,
        }
    }
}

impl<E> Competitor<E> {
    /// The same with another program put in another way.
    pub fn map_engine<F>(self, map: impl FnOnce(E) -> F) -> Competitor<F> {
        match self {
            Self::Player(player) => Competitor::Player(player),
            Self::Engine(engine) => Competitor::Engine(map(engine)),
        }
    }

    /// The game it plays.
    pub fn game(&self) -> GameName {
        match self {
            Self::Player(player) => player.model().game,
            Self::Engine(_) => GameName::of_programs(),
        }
    }
}
