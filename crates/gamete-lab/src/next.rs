//! What people may want to type when an experiment is finished.

use gamete_arena::GameName;
use gamete_stats::Results;

use crate::changes::shell_word;
use crate::experiment::Experiment;
use crate::presets;
use crate::run::Conclusion;
use crate::verification::{Baseline, BaselineMatch};

/// Commands to type next, each with what it is for. `lab` is the option that names the lab, with a blank before it, or
/// nothing.
pub fn next_commands(
    lab: &str,
    id: &str,
    experiment: &Experiment,
    conclusion: &Conclusion,
    verification: &[BaselineMatch],
) -> Vec<(String, &'static str)> {
    let mut commands = Vec::new();
    if let Some(breed) = experiment.method.breed() {
        let champion = shell_word(strongest(verification).unwrap_or(id));
        let human_first = match breed.game() {
            GameName::Chess => "--black",
            GameName::Checkers => "--white",
        };
        commands.push((
            format!("gamete show {champion} --player{lab} > champion.toml"),
            "the champion as a player file",
        ));
        commands.push((format!("gamete play {human_first} champion.toml"), "a game against it"));
        commands.push((
            format!("gamete compare {champion} {}{lab} --pairs 1000", breed.model),
            "a narrower interval",
        ));
    }
    if let Some(inner) = experiment.method.inner()
        && let Some(preset) = presets::NAMES.into_iter().find(|name| *name == inner.head.method)
    {
        let changes: Vec<String> = conclusion
            .champion
            .iter()
            .map(|(key, value)| format!(" --set {}", shell_word(&format!("{key}={value:.3}"))))
            .collect();
        commands.push((
            format!("gamete evolve {preset}{}{lab}", changes.concat()),
            "an experiment with these settings",
        ));
    }
    if let Some(breed) = experiment.method.breed() {
        let file = match breed.game() {
            GameName::Chess => "games.pgn",
            GameName::Checkers => "games.pdn",
        };
        commands.push((
            format!("gamete export {} --games {file}{lab}", shell_word(id)),
            "the games that were kept",
        ));
    }
    commands.push((format!("gamete report {}{lab}", shell_word(id)), "the report again"));
    commands
}

/// The champion that did best against the classical weights.
fn strongest(verification: &[BaselineMatch]) -> Option<&str> {
    let score = |one: &BaselineMatch| Results::from(one.pairs()).score();
    let classical = verification.iter().filter(|one| one.baseline == Baseline::Classical);
    classical.max_by(|one, other| score(one).total_cmp(&score(other))).map(|one| one.champion.as_str())
}
