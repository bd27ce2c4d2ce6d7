use gamete_arena::uci::EngineSpec;
use gamete_arena::{Competitor, Contestant, Identity, Limits, Player};

use super::MatchView;

/// What a player of our own is, whatever it is called: the same text for the same player with the same limits.
pub fn player_identity(player: &Player, limits: &Limits) -> String {
    let mut nameless = player.clone();
    nameless.name.clear();
    format!("{nameless}\n{limits}")
}

impl MatchView {
    /// What each contestant is, in their order: the same text for the same player, or the same program with the same options, with
    /// the same limits. Nothing for a program whose files the journal does not know.
    pub fn identities(&self) -> Vec<Option<String>> {
        let head = self.stored.head.as_ref();
        let known: Option<Identity> = head.and_then(|head| serde_json::from_str(&head.identity).ok());
        let identity = |contestant: &Contestant<EngineSpec>| {
            let Contestant { name, competitor, limits, .. } = contestant;
            match competitor {
                Competitor::Player(player) => Some(player_identity(player, limits)),
                Competitor::Engine(EngineSpec { args, options, .. }) => {
                    let content = known.as_ref()?.program(name)?.content();
                    Some(format!("{} {content} {args:?} {options:?}\n{limits}", self.game))
                }
            }
        };
        self.parsed.contestants.iter().map(identity).collect()
    }
}
