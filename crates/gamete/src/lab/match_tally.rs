use std::fmt::Write;

use gamete_lab::{ExperimentView, MatchTally, RunView};

use crate::terminal::{counted, grouped};

/// What trials made of each opponent, and how even the openings of a suite are, for people: nothing where there is one opponent and no
/// suite.
pub fn match_tally_text(view: &ExperimentView) -> String {
    let mut text = String::new();
    for arm in &view.arms {
        let of = if view.has_arms { format!("{}: ", arm.name) } else { String::new() };
        let Some(all) = MatchTally::total(arm.runs.iter().flat_map(tallies)) else { continue };
        let first = MatchTally::total(arm.runs.iter().filter_map(|run| tallies(run).next()));
        let last = MatchTally::total(arm.runs.iter().filter_map(|run| tallies(run).next_back()));
        if all.has_opponents() {
            for (place, one) in all.opponents.iter().enumerate() {
                let score = |tally: &Option<MatchTally>| {
                    percent(tally.as_ref().and_then(|tally| tally.opponents[place].score()))
                };
                let _ = writeln!(
                    text,
                    "{of}trials against {}: {} of {}; {} in the first generation, {} in the last",
                    one.name,
                    percent(one.score()),
                    counted(one.games(), "game"),
                    score(&first),
                    score(&last)
                );
            }
        }
        if all.suite > 0 {
            text.push_str(&of);
            text.push_str(&openings(&all));
        }
    }
    text
}

/// The tallies of a run, generation by generation.
fn tallies(run: &RunView) -> impl DoubleEndedIterator<Item = &MatchTally> {
    run.generations.iter().filter_map(|row| row.tally.as_ref())
}

fn openings(tally: &MatchTally) -> String {
    let [least, most] = tally.least_and_most();
    let mut text = format!(
        "openings: {} of {} played, {} to {} games from each; White scores {}",
        grouped(tally.openings.len() as u64),
        grouped(tally.suite as u64),
        grouped(least),
        grouped(most),
        percent(tally.white_score())
    );
    if let [(low, least), .., (high, most)] = tally.by_white_score()[..] {
        let [least, most] = [least, most].map(|score| percent(Some(score)));
        let _ = write!(text, ", from {least} (opening {low}) to {most} (opening {high})");
        if tally.openings.values().any(|one| one.games < MatchTally::LEAST_GAMES) {
            let _ = write!(text, " where there are {} games or more", MatchTally::LEAST_GAMES);
        }
    }
    text.push('\n');
    text
}

fn percent(score: Option<f64>) -> String {
    score.map_or_else(|| "-".to_owned(), |score| format!("{:.1} %", 100.0 * score))
}
