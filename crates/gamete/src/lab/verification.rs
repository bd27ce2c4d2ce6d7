use std::fmt::Write;

use gamete_lab::{Baseline, BaselineMatch};
use gamete_stats::{Interval, Results, fixed};
use serde_json::{Value, json};

/// Whether evolution helped, for people: a line for each champion and baseline; nothing where nothing was played.
pub fn verification_text(matches: &[BaselineMatch]) -> String {
    let played: Vec<&BaselineMatch> = matches.iter().filter(|one| one.pairs().pairs() > 0).collect();
    if played.is_empty() {
        return String::new();
    }
    let opponent = |one: &BaselineMatch| match one.baseline {
        Baseline::Start => format!("its start, {}", one.opponent),
        Baseline::Classical => format!("classical weights, {}", one.opponent),
    };
    let width = |of: &dyn Fn(&BaselineMatch) -> usize, least: usize| {
        played.iter().map(|one| of(one)).max().unwrap_or(0).max(least)
    };
    let first = width(&|one| one.champion.chars().count(), "champion".len());
    let second = width(&|one| opponent(one).chars().count(), "against".len());
    let mut text = format!(
        "{:<first$}  {:<second$} {:>6} {:>6}  Elo [95 % interval]\n",
        "champion", "against", "games", "score"
    );
    for one in played {
        let results = Results::from(one.pairs());
        let _ = writeln!(
            text,
            "{:<first$}  {:<second$} {:>6} {:>4.0} %  {}: {}{}",
            one.champion,
            opponent(one),
            results.games().games(),
            100.0 * results.score(),
            elo_text(one),
            one.verdict().as_str(),
            if one.is_complete() { "" } else { " so far" }
        );
    }
    text
}

/// `+402 [+345, +470]`, or `more than +183` where every pair was won.
pub fn elo_text(one: &BaselineMatch) -> String {
    let results = Results::from(one.pairs());
    let signed = |elo: f64| format!("{}{}", if elo.round() > 0.0 { "+" } else { "" }, fixed(elo, 0));
    match (results.count(), results.elo_interval()) {
        (0, _) => "-".to_owned(),
        (_, Interval { low, high: f64::INFINITY }) => format!("more than {}", signed(low)),
        (_, Interval { low: f64::NEG_INFINITY, high }) => format!("less than {}", signed(high)),
        (_, Interval { low, high }) => {
            format!("{} [{}, {}]", signed(results.elo().value), signed(low), signed(high))
        }
    }
}

/// The same with all numbers.
pub fn verification_json(matches: &[BaselineMatch]) -> Value {
    let one = |one: &BaselineMatch| {
        let pairs = one.pairs();
        let results = Results::from(pairs);
        let (games, elo, interval) = (results.games(), results.elo(), results.elo_interval());
        json!({
            "champion": one.champion, "against": one.baseline.as_str(), "opponent": one.opponent,
            "pairs": pairs.pairs(), "planned_pairs": one.planned, "wins": games.wins, "draws": games.draws,
            "losses": games.losses, "ptnml": pairs.counts(), "elo": elo.value, "error": elo.margin,
            "elo_low": interval.low, "elo_high": interval.high,
            "los": results.los(), "verdict": one.verdict().as_str(),
        })
    };
    matches.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use gamete_stats::PairResult;

    use super::*;

    #[test]
    fn elo_has_a_sign_unless_it_is_nothing() {
        let text = |pairs: &[&str]| {
            let results = pairs.iter().map(|letters| PairResult::from_letters(letters.as_bytes())).collect();
            let (champion, opponent) = ("mine-1".to_owned(), "mine-1@0".to_owned());
            elo_text(&BaselineMatch { champion, baseline: Baseline::Start, opponent, planned: 2, results })
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
