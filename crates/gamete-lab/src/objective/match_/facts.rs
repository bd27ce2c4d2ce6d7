//! A match in words.

use gamete_arena::{Adjudication, StartPositions};

use super::Match;
use crate::objective::openings::{PairOpenings, SHUFFLED};

impl Match {
    /// What reports say of it.
    pub(super) fn in_words(&self) -> Vec<(&'static str, String)> {
        let names: Vec<&str> = self.opponents.iter().map(|opponent| opponent.name.as_str()).collect();
        let mut facts = match self.command() {
            Some(command) => vec![("engine", command.join(" ")), ("limits", self.players.limits.to_string())],
            None => self.players.facts(),
        };
        facts.push(("opponents", names.join(", ")));
        let what = match (self.settings.flag("mixed"), self.pair_games()) {
            (false, 2) => "pairs against each",
            (false, _) => "games against each",
            (true, 2) => "pairs, opponents by lot",
            (true, _) => "games, opponents by lot",
        };
        facts.push((what, self.settings.count("pairs").to_string()));
        let (file, share) = (self.settings.choice("openings"), self.settings.number("held_out"));
        let positions = self.settings.count("positions");
        if !file.is_empty() || share > 0.0 || positions > 0 {
            let count = if positions > 0 { format!("{positions} of ") } else { String::new() };
            let source = if file.is_empty() { "random" } else { file };
            facts.push(("openings", format!("{count}{source}, {:.0} % held out", 100.0 * share)));
        }
        let Adjudication { draw, resign, tablebase, .. } = self.rules;
        facts.extend(draw.map(|rule| ("draws", rule.to_string())));
        facts.extend(resign.map(|rule| ("resignations", rule.to_string())));
        facts.extend(tablebase.map(|_| ("endgame tables decide", self.settings.choice("tables").to_owned())));
        if PairOpenings::starts(&self.settings) == StartPositions::Shuffled {
            facts.push(("variant", SHUFFLED.to_owned()));
        }
        facts
    }
}
