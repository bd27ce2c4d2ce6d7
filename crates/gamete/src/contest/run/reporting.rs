//! What is said of a match on its way and at its end.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use gamete_arena::{Faults, MatchEnd, Standings};
use gamete_game::ByColor;
use gamete_stats::{RatingOptions, Ratings, report};
use serde::Serialize;

use crate::commands::stats::{ResultsJson, SprtJson};
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

    fn match_block(&self, names: &report::Match<'_>, standings: &Standings) -> String {
        let results = &standings.results(0);
        let sprt = self.options.sprt.as_ref();
        match self.options.output {
            OutputFormat::Fastchess => report::fastchess(names, results, sprt),
            OutputFormat::OpenBench => report::openbench(results, sprt, names.conditions),
            OutputFormat::Fishtest => report::fishtest(results, sprt),
            OutputFormat::Cutechess => {
                let ByColor { white, black } = standings.sides();
                let mut text = report::cutechess_score(names.first, names.second, results.games()) + "\n";
                text.push_str(&report::cutechess_sides(names.first, white, black));
                text.push_str(&report::cutechess_elo(results));
                text.push('\n');
                text.extend(sprt.map(|sprt| report::cutechess_sprt(sprt, sprt.llr(results)) + "\n"));
                text
            }
        }
    }

    /// The block of a match, or the table of a tournament.
    pub fn block(&self, standings: &Standings) -> String {
        let options = &self.options;
        if options.contestants.len() == 2 {
            let names =
                report::Match { first: self.name(0), second: self.name(1), conditions: &self.conditions };
            return self.match_block(&names, standings);
        }
        let name = |index: usize| self.name(index).to_owned();
        let players: Vec<_> =
            (0..options.contestants.len()).map(|index| (name(index), standings.results(index))).collect();
        let unit = if options.has_pairs() { "pairs" } else { "games" };
        let title =
            format!("Each against its opponents (+/- is half the width of the 95 % interval, by {unit}):\n");
        title + &report::fastchess_ranking(&players)
    }

    /// The block with what belongs to the end of a match.
    fn last_block(&self, end: &MatchEnd) -> String {
        let (options, standings) = (&self.options, &end.standings);
        let results = standings.results(0);
        if let Some(ranking) = &end.ranking {
            let player = |&index: &usize| (self.name(index), standings.table().total(index));
            let table = report::ranking(&ranking.best_first.iter().map(player).collect::<Vec<_>>());
            return format!(
                "{table}\n{} matches with a pivot, {} of them even\n",
                ranking.games, ranking.draws
            );
        }
        let mut text = self.block(standings);
        if options.contestants.len() > 2 {
            if let Ok(ratings) = Ratings::new(standings.table(), &RatingOptions::default()) {
                text.push_str(
                    "\nRatings by all games together, 0 on average (+/- likewise), the likelihood to be stronger than \
                    the next, and points against each:\n",
                );
                text.push_str(&report::cross_table(standings.table(), &ratings));
            }
            return text;
        }
        if options.output == OutputFormat::Fastchess {
            let end = options.sprt.and_then(|sprt| report::sprt_end(&sprt, sprt.llr(&results)));
            text.extend(end.map(|end| end + "\n"));
            text.push('\n');
            text.push_str(&report::openbench(&results, options.sprt.as_ref(), &self.conditions));
        }
        text.push_str(&report::margin_note(&results));
        text.push('\n');
        if options.output == OutputFormat::Cutechess {
            text.push_str("Finished match\n");
        }
        text
    }

    /// Prints what a match came to.
    pub fn print_end(&self, end: &MatchEnd) -> Result<()> {
        let options = &self.options;
        if options.json {
            outln!("{}", serde_json::to_string_pretty(&self.to_json(end))?)?;
            return Ok(());
        }
        let unit = if options.has_pairs() { "pair of games" } else { "game" };
        let mut text =
            if end.encounters > 0 { self.last_block(end) } else { format!("No {unit} is complete yet.\n") };
        for (index, faults) in end.standings.faults().iter().enumerate() {
            let kinds = [
                (faults.time_losses, "lost on time"),
                (faults.illegal_moves, "lost by illegal moves"),
                (faults.disconnects, "lost by disconnecting"),
                (faults.stalls, "lost by not answering"),
            ];
            for (count, kind) in kinds.into_iter().filter(|&(count, _)| count > 0) {
                text.push_str(&format!("{}: {count} {kind}\n", self.name(index)));
            }
        }
        match end.kept_games {
            0 => {}
            1 => text.push_str("1 game waits for the others from its opening, and is kept.\n"),
            kept => text
                .push_str(&format!("{kept} games wait for the others from their openings, and are kept.\n")),
        }
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
