//! What is said of a match on its way and at its end.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use gamete_arena::{Faults, MatchEnd, Standings};
use serde::Serialize;

use crate::commands::stats::{ResultsJson, SprtJson};
use crate::contest::blocks::{Blocks, kept_text};
use crate::contest::options::Options;
use crate::output_format::OutputFormat;
use crate::terminal::outln;

/// Makes the reports of a match.
pub struct Reporter {
    pub options: Arc<Options>,
    pub seed: u64,
    pub journal: PathBuf,
    /// What stands in parentheses: limits, threads, book.
    pub conditions: String,
}

impl Reporter {
    fn name(&self, contestant: usize) -> &str {
        &self.options.contestants[contestant].name
    }

    fn blocks<'a>(&'a self, standings: &'a Standings) -> Blocks<'a> {
        let options = &self.options;
        Blocks {
            names: options.contestants.iter().map(|contestant| contestant.name.as_str()).collect(),
            standings,
            sprt: options.sprt.as_ref(),
            has_pairs: options.rules(0).has_pairs(),
            conditions: &self.conditions,
            output: options.output,
        }
    }

    /// The block of a match, or the table of a tournament.
    pub fn block(&self, standings: &Standings) -> String {
        self.blocks(standings).block()
    }

    fn last_block(&self, end: &MatchEnd) -> String {
        let text = self.blocks(&end.standings).last_block(end.ranking.as_ref());
        let is_cutechess = self.options.output == OutputFormat::Cutechess;
        let finished = is_cutechess && self.options.contestants.len() == 2 && end.ranking.is_none();
        if finished { text + "Finished match\n" } else { text }
    }

    /// Prints what a match came to.
    pub fn print_end(&self, end: &MatchEnd) -> Result<()> {
        let options = &self.options;
        if options.json {
            outln!("{}", serde_json::to_string_pretty(&self.to_json(end))?)?;
            return Ok(());
        }
        let unit = if options.rules(0).has_pairs() { "pair of games" } else { "game" };
        let mut text =
            if end.encounters > 0 { self.last_block(end) } else { format!("No {unit} is complete yet.\n") };
        text.push_str(&self.blocks(&end.standings).faults());
        text.push_str(&kept_text(end.kept_games));
        if end.interrupted {
            text.push_str("Interrupted; the same command resumes from here.\n");
        }
        outln!("{}", text.trim_end())?;
        Ok(())
    }

    fn to_json(&self, end: &MatchEnd) -> MatchJson<'_> {
        let options = &self.options;
        let contestant = |index: usize| ContestantJson {
            results: ResultsJson::new(&end.standings.results(index)),
            name: self.name(index),
            faults: end.standings.faults()[index],
        };
        let name = |&index: &usize| self.name(index);
        MatchJson {
            seed: self.seed,
            journal: self.journal.display().to_string(),
            games: end.encounters * options.games,
            conditions: &self.conditions,
            interrupted: end.interrupted,
            contestants: (0..options.contestants.len()).map(contestant).collect(),
            ranking: end.ranking.as_ref().map(|ranking| ranking.best_first.iter().map(name).collect()),
            sprt: options.sprt.as_ref().map(|sprt| SprtJson::new(sprt, &end.standings.results(0))),
        }
    }
}

/// What a match came to, as `-json` prints it.
#[derive(Serialize)]
struct MatchJson<'a> {
    seed: u64,
    journal: String,
    games: u64,
    conditions: &'a str,
    interrupted: bool,
    contestants: Vec<ContestantJson<'a>>,
    /// The names from the best on, where the tournament ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtJson>,
}

#[derive(Serialize)]
struct ContestantJson<'a> {
    #[serde(flatten)]
    results: ResultsJson,
    name: &'a str,
    faults: Faults,
}
