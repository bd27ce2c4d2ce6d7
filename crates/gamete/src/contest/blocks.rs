use gamete_arena::{Ranking, Standings};
use gamete_game::ByColor;
use gamete_stats::{RatingOptions, Ratings, Results, Sprt, report};

use crate::output_format::OutputFormat;

/// What a match comes to, in the blocks and tables that match runners print.
pub struct Blocks<'a> {
    pub names: Vec<&'a str>,
    pub standings: &'a Standings,
    pub sprt: Option<&'a Sprt>,
    /// Whether encounters are pairs with colours swapped.
    pub has_pairs: bool,
    /// What stands in parentheses: limits, threads, book.
    pub conditions: &'a str,
    pub output: OutputFormat,
}

impl Blocks<'_> {
    fn match_block(&self, names: &report::Match<'_>, results: &Results) -> String {
        let sprt = self.sprt;
        match self.output {
            OutputFormat::Fastchess => report::fastchess(names, results, sprt),
            OutputFormat::OpenBench => report::openbench(results, sprt, names.conditions),
            OutputFormat::Fishtest => report::fishtest(results, sprt),
            OutputFormat::Cutechess => {
                let ByColor { white, black } = self.standings.sides();
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
    pub fn block(&self) -> String {
        if let [first, second] = *self.names {
            let names = report::Match { first, second, conditions: self.conditions };
            return self.match_block(&names, &self.standings.results(0));
        }
        let player = |(index, name): (usize, &&str)| ((*name).to_owned(), self.standings.results(index));
        let players: Vec<_> = self.names.iter().enumerate().map(player).collect();
        let unit = if self.has_pairs { "pairs" } else { "games" };
        let title =
            format!("Each against its opponents (+/- is half the width of the 95 % interval, by {unit}):\n");
        title + &report::fastchess_ranking(&players)
    }

    /// The block with what belongs to the end of a match.
    pub fn last_block(&self, ranking: Option<&Ranking>) -> String {
        let results = self.standings.results(0);
        if let Some(ranking) = ranking {
            let player = |&index: &usize| (self.names[index], self.standings.table().total(index));
            let table = report::ranking(&ranking.best_first.iter().map(player).collect::<Vec<_>>());
            return format!(
                "{table}\n{} matches with a pivot, {} of them even\n",
                ranking.games, ranking.draws
            );
        }
        let mut text = self.block();
        if self.names.len() > 2 {
            if let Ok(ratings) = Ratings::new(self.standings.table(), &RatingOptions::default()) {
                text.push_str(
                    "\nRatings by all games together, 0 on average (+/- likewise), the likelihood to be stronger than \
                    the next, and points against each:\n",
                );
                text.push_str(&report::cross_table(self.standings.table(), &ratings));
            }
            return text;
        }
        if self.output == OutputFormat::Fastchess {
            let end = self.sprt.and_then(|sprt| report::sprt_end(sprt, sprt.llr(&results)));
            text.extend(end.map(|end| end + "\n"));
            text.push('\n');
            text.push_str(&report::openbench(&results, self.sprt, self.conditions));
        }
        text.push_str(&report::margin_note(&results));
        text.push('\n');
        text
    }

    /// Games that were lost by something that is no part of the game, a line for each kind and contestant.
    pub fn faults(&self) -> String {
        let mut text = String::new();
        for (name, faults) in self.names.iter().zip(self.standings.faults()) {
            for (count, kind) in faults.kinds().into_iter().filter(|&(count, _)| count > 0) {
                text.push_str(&format!("{name}: {count} {kind}\n"));
            }
        }
        text
    }
}

/// What is said of games that are over while others from their openings are not.
pub fn kept_text(games: u64) -> String {
    match games {
        0 => String::new(),
        1 => "1 game waits for the others from its opening, and is kept.\n".to_owned(),
        games => format!("{games} games wait for the others from their openings, and are kept.\n"),
    }
}
