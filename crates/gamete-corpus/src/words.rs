use gamete_arena::{Competitor, Contestant};

/// A contestant in the words of the command line, `player=chess/classic nodes=1000`, without the folders of this machine.
pub(crate) fn words_of(contestant: &Contestant) -> String {
    let mut words = match &contestant.competitor {
        Competitor::Player(player) => vec![format!("player={}", player.name)],
        Competitor::Engine(engine) => {
            let mut words = vec![format!("cmd={}", contestant.name)];
            words.extend(engine.options.iter().map(|(name, value)| format!("option.{name}={value}")));
            words
        }
    };
    words.push(contestant.limits.to_string());
    words.join(" ")
}
