//! The reports that scripts and people know, to the letter: fastchess's, cutechess's, OpenBench's and fishtest's.
//!
//! The numbers are the same in all of them: every margin of a match is that of [`Results::elo`]. OpenBench's own has
//! Student's t instead of the normal distribution, which differs while pairs are few.

use std::fmt::Write;

use crate::{
    CrossTable, Decision, Interval, Model, Pentanomial, Ratings, Results, Sprt, SprtElo, Trinomial, fixed,
};

/// Fifty dashes, above and below fastchess's block.
pub const RULE: &str = "--------------------------------------------------";

/// Who played whom under which conditions.
#[derive(Debug, Clone, Copy)]
pub struct Match<'a> {
    /// The player whose results are counted.
    pub first: &'a str,
    /// Its opponent.
    pub second: &'a str,
    /// What stands in the parentheses of fastchess's first line, `10+0.1, 1t, 16MB, book.epd`.
    pub conditions: &'a str,
}

/// fastchess's block between two rules, with a line on the test if there is one.
pub fn fastchess(names: &Match<'_>, results: &Results, sprt: Option<&Sprt>) -> String {
    let Match { first, second, conditions } = names;
    let mut lines = vec![
        RULE.to_owned(),
        format!("Results of {first} vs {second} ({conditions}):"),
        elo_line(results),
        los_line(results),
        games_line(results.games()),
    ];
    if let Results::Pairs(pairs) = results {
        lines.push(ptnml_line(*pairs));
    }
    lines.extend(sprt.map(|sprt| llr_line(sprt, sprt.llr(results))));
    lines.push(RULE.to_owned());
    joined(&lines)
}

/// `Elo: -9.20 +/- 20.93, nElo: -11.50 +/- 26.11`
pub fn elo_line(results: &Results) -> String {
    format!("Elo: {}, nElo: {}", results.elo(), results.nelo())
}

/// `LOS: 19.41 %, DrawRatio: 42.35 %, PairsRatio: 0.88`, the last of pairs only.
pub fn los_line(results: &Results) -> String {
    let pairs_ratio = match results {
        Results::Games(_) => String::new(),
        Results::Pairs(pairs) => format!(", PairsRatio: {}", fixed(pairs.pairs_ratio(), 2)),
    };
    let draw_ratio = fixed(results.draw_ratio() * 100.0, 2);
    format!("LOS: {:.2} %, DrawRatio: {draw_ratio} %{pairs_ratio}", results.los() * 100.0)
}

/// `Games: 680, Wins: 248, Losses: 266, Draws: 166, Points: 331.0 (48.68 %)`
pub fn games_line(games: Trinomial) -> String {
    let Trinomial { wins, draws, losses } = games;
    format!(
        "Games: {}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {:.1} ({:.2} %)",
        games.games(),
        games.points(),
        games.score() * 100.0
    )
}

/// `Ptnml(0-2): [43, 61, 144, 55, 37], WL/DD Ratio: 4.76`
pub fn ptnml_line(pairs: Pentanomial) -> String {
    format!("Ptnml(0-2): {:?}, WL/DD Ratio: {}", pairs.counts(), fixed(pairs.wl_dd_ratio(), 2))
}

/// `LLR: -0.06 (-2.0%) (-2.94, 2.94) [0.00, 5.00]`
pub fn llr_line(sprt: &Sprt, llr: f64) -> String {
    let (llr, percent) = (fixed(llr, 2), fixed(sprt.fraction(llr) * 100.0, 1));
    format!("LLR: {llr} ({percent}%) {} {}", bounds(sprt), hypotheses(sprt))
}

/// `SPRT ([0.00, 2.00]) completed - H1 was accepted`, or nothing while the test goes on.
pub fn sprt_end(sprt: &Sprt, llr: f64) -> Option<String> {
    let accepted = accepted(sprt.decision(llr))?;
    Some(format!("SPRT ({}) completed - {accepted}", hypotheses(sprt)))
}

/// `Started game 1 of 200 (A vs B)`, White first.
pub fn started_game(number: u64, of: u64, white: &str, black: &str) -> String {
    format!("Started game {number} of {of} ({white} vs {black})")
}

/// `Finished game 1 (A vs B): 1-0 {White mates}`, White first. OpenBench takes the words apart at spaces, so names
/// should have none.
pub fn finished_game(number: u64, white: &str, black: &str, result: &str, reason: &str) -> String {
    format!("Finished game {number} ({white} vs {black}): {result} {{{reason}}}")
}

/// `Score of A vs B: 95 - 92 - 0  [0.508] 187`: wins, losses and draws.
pub fn cutechess_score(first: &str, second: &str, games: Trinomial) -> String {
    format!("Score of {first} vs {second}: {}", cutechess_games(games))
}

/// Three lines: the first player with White, with Black, and White against Black.
pub fn cutechess_sides(first: &str, as_white: Trinomial, as_black: Trinomial) -> String {
    joined(&[
        format!("...      {first} playing White: {}", cutechess_games(as_white)),
        format!("...      {first} playing Black: {}", cutechess_games(as_black)),
        format!("...      White vs Black: {}", cutechess_games(as_white + as_black.flipped())),
    ])
}

/// `Elo difference: 0.1 +/- 7.7, LOS: 50.9 %, DrawRatio: 48.1 %`
pub fn cutechess_elo(results: &Results) -> String {
    let (elo, los) = (results.elo(), results.los() * 100.0);
    let [value, margin, draw_ratio] =
        [elo.value, elo.margin, results.games().draw_ratio() * 100.0].map(|number| fixed(number, 1));
    format!("Elo difference: {value} +/- {margin}, LOS: {los:.1} %, DrawRatio: {draw_ratio} %")
}

/// `SPRT: llr 0.0555 (1.9%), lbound -2.94, ubound 2.94`, and what was accepted once it is.
pub fn cutechess_sprt(sprt: &Sprt, llr: f64) -> String {
    let percent = fixed(llr / sprt.upper() * 100.0, 1);
    let [llr_text, lower, upper] = [llr, sprt.lower(), sprt.upper()].map(three_digits);
    let end = accepted(sprt.decision(llr)).map_or_else(String::new, |accepted| format!(" - {accepted}"));
    format!("SPRT: llr {llr_text} ({percent}%), lbound {lower}, ubound {upper}{end}")
}

/// The block that engine authors put in commit messages. `conditions` is `60.0+0.60s Threads=1 Hash=64MB`.
pub fn openbench(results: &Results, sprt: Option<&Sprt>, conditions: &str) -> String {
    let [value, margin] = [results.elo().value, results.elo().margin].map(|number| fixed(number, 2));
    let Trinomial { wins, draws, losses } = results.games();
    let mut lines = vec![format!("Elo   | {value} +- {margin} (95%)")];
    if let Some(sprt) = sprt {
        lines.push(format!("SPRT  | {conditions}"));
        let llr = fixed(sprt.llr(results), 2);
        lines.push(format!("LLR   | {llr} {} {}", bounds(sprt), hypotheses(sprt)));
    } else {
        lines.push(format!("Conf  | {conditions}"));
    }
    lines.push(format!("Games | N: {} W: {wins} L: {losses} D: {draws}", results.games().games()));
    if let Results::Pairs(pairs) = results {
        lines.push(format!("Penta | {:?}", pairs.counts()));
    }
    joined(&lines)
}

/// fishtest's lines: the test or the Elo, the games, the pairs.
pub fn fishtest(results: &Results, sprt: Option<&Sprt>) -> String {
    let Trinomial { wins, draws, losses } = results.games();
    let mut lines = vec![match sprt {
        Some(sprt) => {
            let (open, close) = match sprt.model() {
                Model::Normalized => ('<', '>'),
                Model::Logistic => ('{', '}'),
                Model::Bayesian => ('[', ']'),
            };
            let (llr, lower, upper) = (fixed(sprt.llr(results), 2), sprt.lower(), sprt.upper());
            let [elo0, elo1] = [sprt.elo0(), sprt.elo1()].map(|elo| fixed(elo, 2));
            format!("LLR: {llr} ({lower:.2},{upper:.2}) {open}{elo0},{elo1}{close}")
        }
        None => fishtest_elo(results),
    }];
    lines.push(format!("Total: {} W: {wins} L: {losses} D: {draws}", results.games().games()));
    if let Results::Pairs(pairs) = results {
        lines.push(format!("Ptnml(0-2): {}", pairs.counts().map(|count| count.to_string()).join(", ")));
    }
    joined(&lines)
}

/// `Elo: 1.81 ± 1.3 (95%) LOS: 99.7%`
pub fn fishtest_elo(results: &Results) -> String {
    let elo = results.elo();
    let (value, margin) = (fixed(elo.value, 2), fixed(elo.margin, 1));
    format!("Elo: {value} ± {margin} (95%) LOS: {:.1}%", results.los() * 100.0)
}

/// fastchess's table of many players, each against all others, best Elo first.
pub fn fastchess_ranking(players: &[(String, Results)]) -> String {
    let mut players: Vec<_> = players.iter().collect();
    players.sort_by(|one, two| two.1.elo().value.total_cmp(&one.1.elo().value));
    let width = players.iter().map(|(name, _)| name.chars().count()).fold(25, usize::max);
    let mut lines = vec![format!(
        "{:<4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>20}",
        "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw", "Ptnml(0-2)"
    )];
    for (rank, (name, results)) in (1..).zip(players) {
        let (elo, nelo, games) = (results.elo(), results.nelo(), results.games());
        let pairs = match results {
            Results::Games(_) => String::new(),
            Results::Pairs(pairs) => format!("{:?}", pairs.counts()),
        };
        let played = games.games();
        if played == 0 {
            let none = "-";
            lines.push(format!(
                "{rank:>4} {name:<width$} {none:>10} {none:>10} {none:>10} {none:>10} {played:>10}"
            ));
            continue;
        }
        let [elo, margin, nelo, nelo_margin] =
            [elo.value, elo.margin, nelo.value, nelo.margin].map(|number| fixed(number, 2));
        let [score, draws] = [games.score(), results.draw_ratio()].map(|share| fixed(share * 100.0, 1));
        lines.push(format!(
            "{rank:>4} {name:<width$} {elo:>10} {margin:>10} {nelo:>10} {nelo_margin:>10} {played:>10} {score:>9}% \
            {draws:>9}% {pairs:>20}"
        ));
    }
    joined(&lines)
}

/// A ranking that does not go by points, best first, with what each player's games were.
pub fn ranking(players: &[(&str, Trinomial)]) -> String {
    let width = players.iter().map(|(name, _)| name.chars().count()).fold(4, usize::max);
    let mut lines = vec![format!(
        "{:>4} {:<width$} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "Rank", "Name", "Games", "Wins", "Losses", "Draws", "Score"
    )];
    for (rank, &(name, games)) in (1..).zip(players) {
        let Trinomial { wins, draws, losses } = games;
        lines.push(format!(
            "{rank:>4} {name:<width$} {:>7} {wins:>7} {losses:>7} {draws:>7} {:>6.1}%",
            games.games(),
            games.score() * 100.0
        ));
    }
    joined(&lines)
}

/// Ratings, best first, with the likelihood that each is stronger than the next, and points out of games against
/// every other in the same order.
pub fn cross_table(table: &CrossTable, ratings: &Ratings) -> String {
    let list = ratings.list();
    let width = table.names().iter().map(|name| name.chars().count()).fold(4, usize::max);
    let mut text = format!(
        "{:>4} {:<width$} {:>8} {:>7} {:>7} {:>7} {:>6}",
        "Rank", "Name", "Elo", "+/-", "Games", "Score", "LOS"
    );
    for rank in 1..=list.len() {
        write!(text, " {rank:>11}").expect("room in memory");
    }
    text.push('\n');
    for (rank, rating) in (1..).zip(list) {
        let los = rating.los.map_or_else(|| "-".to_owned(), |los| format!("{:.1}%", los * 100.0));
        write!(
            text,
            "{rank:>4} {:<width$} {:>8} {:>7} {:>7} {:>6.1}% {los:>6}",
            table.names()[rating.player],
            fixed(rating.elo.value, 1),
            fixed(rating.elo.margin, 1),
            rating.games.games(),
            rating.games.score() * 100.0
        )
        .expect("room in memory");
        for opponent in list {
            let games = table.games(rating.player, opponent.player);
            let cell = if games.games() == 0 {
                "-".to_owned()
            } else {
                format!("{}/{}", games.points(), games.games())
            };
            write!(text, " {cell:>11}").expect("room in memory");
        }
        text.push('\n');
    }
    text
}

/// What the margins in a report of these results are, in a sentence for people.
pub fn margin_note(results: &Results) -> String {
    let (unit, count) = match results {
        Results::Games(_) => ("game", results.count()),
        Results::Pairs(_) => ("pair", results.count()),
    };
    if count == 0 {
        return format!("No {unit}s yet: nothing is known of the Elo.");
    }
    if results.varies() {
        return format!("+/- is half the width of the 95 % interval, by {unit}s.");
    }
    let Interval { low, high } = results.elo_interval();
    let [from, to] = [low, high].map(|end| fixed(end, 0));
    let all = if count == 1 { format!("The only {unit}") } else { format!("Each of the {count} {unit}s") };
    if high.is_infinite() {
        return format!(
            "{all} was won: the Elo is more than {from} with 95 % confidence, and nothing limits it above."
        );
    }
    if low.is_infinite() {
        return format!(
            "{all} was lost: the Elo is less than {to} with 95 % confidence, and nothing limits it below."
        );
    }
    let points = results.score() * results.games_each() as f64;
    format!("{all} scored {points}: the Elo is between {from} and {to} with 95 % confidence.")
}

/// `SPRT Elo 1.64 [0.29, 2.97] (95 %)`; why there is none, if the results do not vary.
pub fn sprt_elo(elo: Option<SprtElo>) -> String {
    let Some(SprtElo { elo, low, high, .. }) = elo else {
        return "SPRT Elo: no estimate, as all results are alike".to_owned();
    };
    let text = |elo: f64| match elo {
        _ if elo >= SprtElo::FARTHEST => format!("over {:.0}", SprtElo::FARTHEST),
        _ if elo <= -SprtElo::FARTHEST => format!("under -{:.0}", SprtElo::FARTHEST),
        _ => fixed(elo, 2),
    };
    format!("SPRT Elo {} [{}, {}] (95 %)", text(elo), text(low), text(high))
}

fn joined(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

fn bounds(sprt: &Sprt) -> String {
    format!("({:.2}, {:.2})", sprt.lower(), sprt.upper())
}

fn hypotheses(sprt: &Sprt) -> String {
    format!("[{}, {}]", fixed(sprt.elo0(), 2), fixed(sprt.elo1(), 2))
}

const fn accepted(decision: Decision) -> Option<&'static str> {
    match decision {
        Decision::Continue => None,
        Decision::H0 => Some("H0 was accepted"),
        Decision::H1 => Some("H1 was accepted"),
    }
}

fn cutechess_games(games: Trinomial) -> String {
    let Trinomial { wins, draws, losses } = games;
    format!("{wins} - {losses} - {draws}  [{:.3}] {}", games.score(), games.games())
}

/// Three significant digits without the zeros behind them, as C's %.3g has it.
fn three_digits(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return fixed(number, 0);
    }
    let decimals = (2 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{number:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}
