//! Reports to the letter, and what scripts read out of them.

use gamete_stats::{
    CrossTable, Model, Pentanomial, RatingOptions, Ratings, Results, Sprt, Trinomial, report,
};
use regex::Regex;

/// The example in fishtest's source.
const QUOTED: Pentanomial = Pentanomial { ll: 43, ld: 61, wl: 119, dd: 25, wd: 55, ww: 37 };

fn sprt(model: Model, elo0: f64, elo1: f64, beta: f64) -> Sprt {
    Sprt::new(model, elo0, elo1, 0.05, beta).expect("a test")
}

fn fastchess(sprt: Option<&Sprt>) -> String {
    let names = report::Match {
        first: "New-e443b2459e",
        second: "Base-e443b2459e",
        conditions: "0.601+0.006, 1t, 16MB, UHO_Lichess_4852_v1.epd",
    };
    report::fastchess(&names, &QUOTED.into(), sprt)
}

#[test]
fn fastchess_block() {
    assert_eq!(
        fastchess(None),
        "\
--------------------------------------------------
Results of New-e443b2459e vs Base-e443b2459e (0.601+0.006, 1t, 16MB, UHO_Lichess_4852_v1.epd):
Elo: -9.20 +/- 20.93, nElo: -11.50 +/- 26.11
LOS: 19.41 %, DrawRatio: 42.35 %, PairsRatio: 0.88
Games: 680, Wins: 248, Losses: 266, Draws: 166, Points: 331.0 (48.68 %)
Ptnml(0-2): [43, 61, 144, 55, 37], WL/DD Ratio: 4.76
--------------------------------------------------
"
    );
}

#[test]
fn fastchess_block_with_a_test() {
    let text = fastchess(Some(&sprt(Model::Normalized, 0.0, 5.0, 0.05)));
    let line = text.lines().nth(6).expect("a line on the test");
    assert_eq!(line, "LLR: -0.39 (-13.4%) (-2.94, 2.94) [0.00, 5.00]");
    assert_eq!(text.lines().count(), 8);
}

#[test]
fn fastchess_block_of_single_games() {
    let names = report::Match { first: "A", second: "B", conditions: "10+0.1, 1t, 16MB" };
    let text = report::fastchess(&names, &Trinomial::new(136, 111, 96).into(), None);
    let rule = report::RULE;
    assert_eq!(rule.len(), 50);
    assert_eq!(
        text,
        format!(
            "{rule}
Results of A vs B (10+0.1, 1t, 16MB):
Elo: 40.70 +/- 30.43, nElo: 49.77 +/- 36.77
LOS: 99.60 %, DrawRatio: 32.36 %
Games: 343, Wins: 136, Losses: 96, Draws: 111, Points: 191.5 (55.83 %)
{rule}
"
        )
    );
}

/// The expressions are fishtest's.
#[test]
fn fishtest_reads_the_block() {
    let text = fastchess(None);
    let numbers = |pattern: &str| {
        let captures = Regex::new(pattern).expect("an expression").captures(&text).expect("a match");
        captures.iter().skip(1).map(|group| group.expect("a group").as_str().to_owned()).collect::<Vec<_>>()
    };
    let games = r"Games: ([0-9]+), Wins: ([0-9]+), Losses: ([0-9]+), Draws: ([0-9]+), Points: ([0-9.]+) \(";
    assert_eq!(numbers(games), ["680", "248", "266", "166", "331.0"]);
    let pairs = r"Ptnml\(0-2\): \[([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+)\]";
    assert_eq!(numbers(pairs), ["43", "61", "144", "55", "37"]);
}

#[test]
fn the_end_of_a_test() {
    let sprt = sprt(Model::Normalized, 0.0, 2.0, 0.05);
    assert_eq!(
        report::sprt_end(&sprt, 2.95).as_deref(),
        Some("SPRT ([0.00, 2.00]) completed - H1 was accepted")
    );
    assert_eq!(
        report::sprt_end(&sprt, -3.0).as_deref(),
        Some("SPRT ([0.00, 2.00]) completed - H0 was accepted")
    );
    assert_eq!(report::sprt_end(&sprt, 2.0), None);
}

/// OpenBench splits at spaces: word 2 is the game, word 6 the result.
#[test]
fn lines_of_a_game() {
    assert_eq!(report::started_game(1, 200, "A", "B"), "Started game 1 of 200 (A vs B)");
    let line = report::finished_game(1, "A", "B", "1-0", "White mates");
    assert_eq!(line, "Finished game 1 (A vs B): 1-0 {White mates}");
    let words: Vec<_> = line.split(' ').collect();
    assert_eq!((words[2], words[6]), ("1", "1-0"));
}

#[test]
fn cutechess_lines() {
    let games = Trinomial::new(95, 0, 92);
    assert_eq!(report::cutechess_score("A", "B", games), "Score of A vs B: 95 - 92 - 0  [0.508] 187");
    assert_eq!(
        report::cutechess_sides("A", Trinomial::new(50, 0, 44), Trinomial::new(45, 0, 48)),
        "\
...      A playing White: 50 - 44 - 0  [0.532] 94
...      A playing Black: 45 - 48 - 0  [0.484] 93
...      White vs Black: 98 - 89 - 0  [0.524] 187
"
    );
    assert_eq!(
        report::cutechess_elo(&Results::from(Trinomial::new(1050, 1950, 1049))),
        "Elo difference: 0.1 +/- 7.7, LOS: 50.9 %, DrawRatio: 48.2 %"
    );
    let sprt = sprt(Model::Bayesian, 0.0, 5.0, 0.05);
    assert_eq!(report::cutechess_sprt(&sprt, 0.0555), "SPRT: llr 0.0555 (1.9%), lbound -2.94, ubound 2.94");
    assert_eq!(
        report::cutechess_sprt(&sprt, 2.95),
        "SPRT: llr 2.95 (100.2%), lbound -2.94, ubound 2.94 - H1 was accepted"
    );
    assert_eq!(
        report::cutechess_sprt(&sprt, -3.0),
        "SPRT: llr -3 (-101.9%), lbound -2.94, ubound 2.94 - H0 was accepted"
    );
}

/// A block as it stands in commit messages, but for the margin: 4.43 there, 3.27 by pairs.
#[test]
fn openbench_block() {
    let pairs = Pentanomial::from_counts([10, 1072, 2768, 1327, 13], Trinomial::new(2418, 5805, 2157));
    let results = Results::from(pairs.expect("counts that agree"));
    let text = report::openbench(
        &results,
        Some(&sprt(Model::Normalized, 0.0, 2.0, 0.1)),
        "60.0+0.60s Threads=1 Hash=64MB",
    );
    assert_eq!(
        text,
        "\
Elo   | 8.74 +- 3.27 (95%)
SPRT  | 60.0+0.60s Threads=1 Hash=64MB
LLR   | 2.89 (-2.25, 2.89) [0.00, 2.00]
Games | N: 10380 W: 2418 L: 2157 D: 5805
Penta | [10, 1072, 2768, 1327, 13]
"
    );
    let fixed = report::openbench(&results.games().into(), None, "N=40000 Threads=1 Hash=8MB");
    assert_eq!(
        fixed,
        "\
Elo   | 8.74 +- 4.44 (95%)
Conf  | N=40000 Threads=1 Hash=8MB
Games | N: 10380 W: 2418 L: 2157 D: 5805
"
    );
}

/// Counts of a passed test on fishtest, which shows 2.95 for it: its LLR is 2.939, and so crossed a bound that fishtest
/// had tightened for overshoot.
#[test]
fn fishtest_lines() {
    let pairs = Pentanomial::from_counts([164, 7229, 18166, 7531, 186], Trinomial::new(17736, 31426, 17390));
    let results = Results::from(pairs.expect("counts that agree"));
    assert_eq!(
        report::fishtest(&results, Some(&sprt(Model::Normalized, 0.0, 2.0, 0.05))),
        "\
LLR: 2.94 (-2.94,2.94) <0.00,2.00>
Total: 66552 W: 17736 L: 17390 D: 31426
Ptnml(0-2): 164, 7229, 18166, 7531, 186
"
    );
    let elo = report::fishtest(&results, None);
    assert_eq!(elo.lines().next(), Some("Elo: 1.81 ± 1.3 (95%) LOS: 99.7%"));
    let logistic = report::fishtest(&results, Some(&sprt(Model::Logistic, -1.75, 0.25, 0.05)));
    assert!(logistic.lines().next().is_some_and(|line| line.ends_with(" {-1.75,0.25}")), "{logistic}");
}

#[test]
fn ranking_of_many() {
    let players =
        [("weak".to_owned(), Results::from(QUOTED)), ("strong".to_owned(), QUOTED.flipped().into())];
    assert_eq!(
        report::fastchess_ranking(&players),
        "\
Rank Name                             Elo        +/-       nElo        +/-      Games      Score       Draw           Ptnml(0-2)
   1 strong                          9.20      20.93      11.50      26.11        680      51.3%      42.4% [37, 55, 144, 61, 43]
   2 weak                           -9.20      20.93     -11.50      26.11        680      48.7%      42.4% [43, 61, 144, 55, 37]
"
    );
}

#[test]
fn the_rest_of_a_test_is_guessed_from_its_drift() {
    let sprt = Sprt::new(Model::Normalized, 0.0, 2.0, 0.05, 0.05).expect("a test");
    let left = |llr| sprt.expected_remaining(llr, 1000).map(f64::round);
    assert_eq!(left(sprt.upper() / 4.0), Some(3000.0));
    assert_eq!(left(sprt.lower() / 2.0), Some(1000.0));
    assert_eq!(left(sprt.upper() + 1.0), Some(0.0));
    assert_eq!(left(0.0), None);
}

#[test]
fn a_ranking_keeps_its_order() {
    let players = [("first", Trinomial::new(0, 1, 1)), ("second of two", Trinomial::new(1, 1, 0))];
    assert_eq!(
        report::ranking(&players),
        "\
Rank Name            Games    Wins  Losses   Draws   Score
   1 first               2       0       1       1   25.0%
   2 second of two       2       1       0       1   75.0%
"
    );
}

#[test]
fn cross_table_of_three() {
    let mut table = CrossTable::new(["alpha", "beta", "gamma"]);
    table.record(0, 1, Trinomial::new(3, 4, 3));
    table.record(2, 0, Trinomial::new(6, 3, 1));
    table.record(2, 1, Trinomial::new(5, 5, 0));
    let ratings = Ratings::new(&table, &RatingOptions::default()).expect("ratings");
    let text = report::cross_table(&table, &ratings);
    let rows: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["Rank", "Name", "Elo", "+/-", "Games", "Score", "LOS", "1", "2", "3"]);
    assert_eq!(rows[1][1], "gamma");
    assert_eq!(rows[1][7..], ["-", "7.5/10", "7.5/10"]);
    assert_eq!(rows[2][7..], ["2.5/10", "-", "5/10"]);
    assert_eq!(rows[3][6], "-");
}
