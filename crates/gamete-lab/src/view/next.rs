//! What people may want to type when an experiment is finished.

use gamete_game::Color;

use super::{ExperimentView, PlayersView};
use crate::changes::shell_word;
use crate::presets;
use crate::verification::Baseline;

impl ExperimentView {
    /// Commands to type next, each with what it is for; none before it is finished. `lab` is the option that names the lab,
    /// with a blank before it, or nothing.
    pub fn next_commands(&self, lab: &str) -> Vec<(String, &'static str)> {
        let Some(conclusion) = &self.conclusion else { return Vec::new() };
        let mut commands = Vec::new();
        if let Some((champion, players)) = self.best_player() {
            let champion = shell_word(&champion);
            let human_first = match players.game.starter() {
                Color::White => "--black",
                Color::Black => "--white",
            };
            commands.push((
                format!("gamete show {champion} --player{lab} > champion.toml"),
                "the champion as a player file",
            ));
            commands.push((format!("gamete play {human_first} champion.toml"), "a game against it"));
            commands.push((
                format!("gamete compare {champion} {}{lab} --pairs 1000", players.model),
                "a narrower interval",
            ));
        }
        if let Some(engine) = &self.engine {
            let purpose = match self.tuning {
                Some(_) => "the tuned values against the original ones",
                None => "the champion against the engine's own options",
            };
            commands.push((engine.match_command(), purpose));
        }
        if let Some(inner) = &self.inner_method
            && let Some(preset) = presets::names().find(|name| name == inner)
        {
            let found = conclusion.champion.iter().map(|(key, value)| format!("{key}={value:.3}"));
            let changes: Vec<String> = self
                .inner_changes
                .iter()
                .cloned()
                .chain(found)
                .map(|change| format!(" --set {}", shell_word(&change)))
                .collect();
            commands.push((
                format!("gamete evolve {preset}{}{lab}", changes.concat()),
                "an experiment with these settings",
            ));
        }
        if let Some((_, players)) = self.best_player().filter(|_| conclusion.games > 0) {
            let ending = players.game.file_ending();
            commands.push((
                format!("gamete export {} --games games.{ending}{lab}", shell_word(&self.id)),
                "the games that were kept",
            ));
        }
        commands.push((format!("gamete report {}{lab}", shell_word(&self.id)), "the report again"));
        commands
    }

    /// The champion to play against: the one that did best against the classical weights, else that of the experiment, or
    /// where this has none the mean of its first arm of players.
    fn best_player(&self) -> Option<(String, &PlayersView)> {
        let has_champion = self.conclusion.as_ref().is_some_and(|found| !found.champion.is_empty());
        if let Some(players) = self.players.as_ref().filter(|_| has_champion) {
            return Some((self.strongest().unwrap_or(&self.id).to_owned(), players));
        }
        let arm = self.arms.iter().find(|arm| arm.players.is_some())?;
        Some((format!("{}/{}", self.id, arm.name), arm.players.as_ref()?))
    }

    /// The champion that did best against the classical weights.
    fn strongest(&self) -> Option<&str> {
        let classical = self.verification.iter().filter(|one| one.against == Baseline::Classical);
        let best = classical.max_by(|one, other| one.score.share().total_cmp(&other.score.share()));
        best.map(|one| one.champion.as_str())
    }
}
