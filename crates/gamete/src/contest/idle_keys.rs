use gamete_arena::uci::EngineSpec;
use gamete_arena::{Competitor, Contestant};

/// What was said after `-engine` or `-each` that has no effect on this contestant, in words: keys for other programs on a
/// player of ours, and the other way round.
pub fn idle_keys(contestant: &Contestant<EngineSpec>, pairs: &[(&str, &str)]) -> Option<String> {
    let (is_idle, reason): (fn(&str) -> bool, _) = match contestant.competitor {
        Competitor::Player(_) => (
            |key| matches!(key, "args" | "arg" | "dir" | "proto" | "restart") || key.starts_with("option."),
            "it is a player of ours, no UCI engine",
        ),
        Competitor::Engine(_) => (
            |key| {
                matches!(key, "player" | "model" | "preset")
                    || key.starts_with("weight.")
                    || key.starts_with("search.")
            },
            "it is another program, which takes option.NAME=",
        ),
    };
    let mut idle: Vec<_> = pairs.iter().map(|&(key, _)| key).filter(|key| is_idle(key)).collect();
    idle.sort_unstable();
    idle.dedup();
    let keys = idle.iter().map(|key| format!("{key}=")).collect::<Vec<_>>().join(", ");
    let verb = if idle.len() == 1 { "has" } else { "have" };
    (!idle.is_empty()).then(|| format!("{}: {keys} {verb} no effect: {reason}", contestant.name))
}
