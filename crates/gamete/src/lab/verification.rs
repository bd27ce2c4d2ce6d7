use std::fmt::Write;

use gamete_lab::{Baseline, BaselineView};
use gamete_stats::fixed;

/// Whether evolution helped, for people: a line for each champion and baseline; nothing where nothing was played.
pub fn verification_text(matches: &[BaselineView]) -> String {
    let played: Vec<&BaselineView> = matches.iter().filter(|one| one.score.pairs > 0).collect();
    if played.is_empty() {
        return String::new();
    }
    let opponent = |one: &BaselineView| match one.against {
        Baseline::Start => format!("its start, {}", one.opponent),
        Baseline::Classical => format!("classical weights, {}", one.opponent),
        Baseline::OtherLimits => {
            format!("its start, {}", one.limits.map_or_else(String::new, |limits| limits.to_string()))
        }
    };
    let width = |of: &dyn Fn(&BaselineView) -> usize, least: usize| {
        played.iter().map(|one| of(one)).max().unwrap_or(0).max(least)
    };
    let first = width(&|one| one.champion.chars().count(), "champion".len());
    let second = width(&|one| opponent(one).chars().count(), "against".len());
    let mut text = format!(
        "{:<first$}  {:<second$} {:>6} {:>6}  Elo [95 % interval]\n",
        "champion", "against", "games", "score"
    );
    for one in played {
        let _ = writeln!(
            text,
            "{:<first$}  {:<second$} {:>6} {:>4.0} %  {}: {}{}",
            one.champion,
            opponent(one),
            one.score.games(),
            100.0 * one.score.share(),
            elo_text(one),
            one.verdict.as_str(),
            if one.is_complete() { "" } else { " so far" }
        );
    }
    text
}

/// `+402 [+345, +470]`, or `more than +183` where every pair was won.
pub fn elo_text(one: &BaselineView) -> String {
    one.score.elo_text(|elo| fixed(elo, 0)).unwrap_or_else(|| "-".to_owned())
}

#[cfg(test)]
mod tests {
    use gamete_lab::{BaselineMatch, VerificationTerms};
    use gamete_stats::PairResult;

    use super::*;

    #[test]
    fn elo_has_a_sign_unless_it_is_nothing() {
        let text = |pairs: &[&str]| {
            let results = pairs.iter().map(|letters| PairResult::from_letters(letters.as_bytes())).collect();
            let (champion, opponent) = ("mine-1".to_owned(), "mine-1@0".to_owned());
            let found = BaselineMatch {
                champion,
                baseline: Baseline::Start,
                opponent,
                planned: 2,
                results,
                terms: VerificationTerms::default(),
            };
            elo_text(&BaselineView::from(&found))
        };
        assert!(text(&["WD", "LD"]).starts_with("0 [-"), "{}", text(&["WD", "LD"]));
        assert!(text(&["WD", "WW"]).starts_with('+'));
        assert!(text(&["LD", "LL"]).starts_with('-'));
        assert_eq!(text(&["WW"; 10]), "more than +183");
        assert_eq!(text(&["LL"; 10]), "less than -183");
        assert!(text(&["WL", "DD"]).starts_with("0 [-"), "{}", text(&["WL", "DD"]));
        assert_eq!(text(&[]), "-");
    }
}
