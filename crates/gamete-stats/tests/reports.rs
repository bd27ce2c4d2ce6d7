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

/// A level score is 0, not -0.00, and a ratio of nothing by nothing is no number.
#[test]
fn nothing_is_not_negative_and_not_a_number() {
    let names = report::Match { first: "A", second: "B", conditions: "" };
    let even = Pentanomial { dd: 10, ..Pentanomial::default() };
    let text = report::fastchess(&names, &even.into(), Some(&sprt(Model::Logistic, -0.0001, 5.0, 0.05)));
    assert!(text.contains("\nElo: 0.00 +/- "), "{text}");
    assert!(text.contains("PairsRatio: -\n") && text.contains("WL/DD Ratio: 0.00\n"), "{text}");
    assert!(text.ends_with(&format!(" [0.00, 5.00]\n{}\n", report::RULE)), "{text}");
    for text in [
        text,
        report::cutechess_elo(&even.into()),
        report::openbench(&even.into(), None, ""),
        report::fishtest(&even.into(), None),
        report::fastchess_ranking(&[
            ("a".to_owned(), even.into()),
            ("b".to_owned(), Trinomial::default().into()),
        ]),
    ] {
        assert!(!text.contains("-0.0") && !text.to_lowercase().contains("nan"), "{text}");
    }
    let mut table = CrossTable::new(["a", "b"]);
    table.record(0, 1, even);
    let ratings = Ratings::new(&table, &RatingOptions::default()).expect("ratings");
    assert!(!report::cross_table(&table, &ratings).contains("-0.0"));
}

/// Few pairs, where Student's t and the normal distribution are far apart.
#[test]
fn all_reports_have_the_same_margin() {
    let results = Results::from(Pentanomial { ll: 1, dd: 2, wd: 1, ww: 2, ..Pentanomial::default() });
    let margin = results.elo().to_string().split(" +/- ").nth(1).expect("a margin").to_owned();
    let names = report::Match { first: "A", second: "B", conditions: "" };
    assert!(report::fastchess(&names, &results, None).contains(&format!("+/- {margin}, ")));
    assert!(report::openbench(&results, None, "").contains(&format!("+- {margin} (95%)")));
    let short = &margin[..margin.len() - 1];
    assert!(report::cutechess_elo(&results).contains(&format!("+/- {short}")));
    assert!(report::fishtest(&results, None).contains(&format!("± {short}")));
}

#[test]
fn margins_are_explained_in_words() {
    let note = |results: Results| report::margin_note(&results);
    let won = |wins| Results::from(Trinomial::new(wins, 0, 0));
    assert_eq!(note(QUOTED.into()), "+/- is half the width of the 95 % interval, by pairs.");
    assert_eq!(note(QUOTED.games().into()), "+/- is half the width of the 95 % interval, by games.");
    // 0.05^(1/100) = 0.9705 of all games at least are won.
    let most = "the Elo is more than 607 with 95 % confidence, and nothing limits it above.";
    assert_eq!(note(won(100)), format!("Each of the 100 games was won: {most}"));
    assert!(note(won(100).flipped()).contains("was lost: the Elo is less than -607 with"));
    assert!(note(won(1)).starts_with("The only game was won: the Elo is more than -512 with"));
    let even = Results::from(Pentanomial { dd: 60, wl: 40, ..Pentanomial::default() });
    assert_eq!(
        note(even),
        "Each of the 100 pairs scored 1: the Elo is between -10 and 10 with 95 % confidence."
    );
    assert_eq!(note(Trinomial::default().into()), "No games yet: nothing is known of the Elo.");
}

#[test]
fn the_elo_of_a_test_has_no_made_up_numbers() {
    let sprt = sprt(Model::Normalized, 0.0, 5.0, 0.05);
    let text = |pairs: Pentanomial| report::sprt_elo(sprt.elo(&pairs.into()));
    let passed = Pentanomial { ll: 164, ld: 7229, dd: 18166, wd: 7531, ww: 186, ..Pentanomial::default() };
    assert!(
        text(passed).starts_with("SPRT Elo 1.") && text(passed).ends_with("] (95 %)"),
        "{}",
        text(passed)
    );
    let won = Pentanomial { ww: 50, ..Pentanomial::default() };
    assert_eq!(text(won), "SPRT Elo: no estimate, as all results are alike");
    let nearly = Pentanomial { ww: 2000, wd: 1, ..Pentanomial::default() };
    assert_eq!(text(nearly), "SPRT Elo over 1000 [over 1000, over 1000] (95 %)");
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
