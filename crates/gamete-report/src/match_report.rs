//! The page of a match: standings, how it went, how games ended, and games to replay.

mod games;
mod head;
mod history;
mod repeat;
mod standings;
mod terminations;

use gamete_lab::MatchView;

use crate::page::document;

/// The report of a match, finished or not, as one HTML file.
pub fn match_html(view: &MatchView) -> String {
    let mut sections = vec![standings::standings(view)];
    sections.extend(standings::cross_table(view));
    sections.extend(history::history(view));
    sections.push(terminations::terminations(view));
    sections.extend(games::games(view));
    sections.push(repeat::repeat(view));
    document(&view.name(), &head::head(view), &sections)
}
