//! `gamete stats`: counts in, a report out.

mod common;

use common::{Run, gamete};

fn stats(words: &str) -> Run {
    gamete(["stats"].into_iter().chain(words.split_whitespace()))
}

fn error(words: &str) -> String {
    let run = stats(words);
    assert_eq!((run.status, run.out.as_str()), (Some(1), ""), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    run.err.trim_end().trim_start_matches("error: ").to_owned()
}

#[test]
fn pairs_and_their_games_make_the_whole_report() {
    let run = stats("-ptnml 43 61 144 55 37 -wdl 248 166 266 -sprt elo0=0 elo1=5");
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert_eq!(
        run.out,
        "\
Elo: -9.20 +/- 20.93, nElo: -11.50 +/- 26.11
LOS: 19.41 %, DrawRatio: 42.35 %, PairsRatio: 0.88
Games: 680, Wins: 248, Losses: 266, Draws: 166, Points: 331.0 (48.68 %)
Ptnml(0-2): [43, 61, 144, 55, 37], WL/DD Ratio: 4.76
LLR: -0.39 (-13.4%) (-2.94, 2.94) [0.00, 5.00]
SPRT ([0.00, 5.00]) continues

+/- is half the width of the 95 % interval, by pairs.
Plain Elo -9.20 +/- 20.93: right if the number of games was fixed before the first.
SPRT Elo -9.20 [-30.41, 11.69] (95 %): right if the test decided when to stop, which biases the plain Elo.
"
    );
    let six = stats("--ptnml 43 61 119 25 55 37 --sprt elo1=5");
    assert_eq!(six.out, run.out);
}

#[test]
fn five_counts_do_not_tell_wins_from_draws() {
    let run = stats("-ptnml 43, 61, 144, 55, 37");
    assert_eq!(
        run.out,
        "\
Elo: -9.20 +/- 20.93, nElo: -11.50 +/- 26.11
LOS: 19.41 %, DrawRatio: 42.35 %, PairsRatio: 0.88
Games: 680, Points: 331.0 (48.68 %)
Ptnml(0-2): [43, 61, 144, 55, 37]

+/- is half the width of the 95 % interval, by pairs.
Plain Elo -9.20 +/- 20.93: right if the number of games was fixed before the first.
"
    );
}

#[test]
fn reports_are_in_the_words_that_were_asked_for() {
    let counts = "-ptnml 43 61 144 55 37 -wdl 248 166 266 -sprt elo0=0 elo1=5";
    let out = |format: &str| {
        let run = stats(&format!("{counts} -output format={format}"));
        assert_eq!(run.status, Some(0), "{}", run.err);
        run.out
    };
    assert_eq!(out("fastchess"), stats(counts).out);
    assert_eq!(
        out("fishtest"),
        "LLR: -0.39 (-2.94,2.94) <0.00,5.00>\nTotal: 680 W: 248 L: 266 D: 166\nPtnml(0-2): 43, 61, 144, 55, 37\n"
    );
    assert_eq!(
        out("openbench").lines().collect::<Vec<_>>()[2..],
        [
            "LLR   | -0.39 (-2.94, 2.94) [0.00, 5.00]",
            "Games | N: 680 W: 248 L: 266 D: 166",
            "Penta | [43, 61, 144, 55, 37]"
        ]
    );
    let cutechess = out("cutechess");
    assert!(
        cutechess.starts_with("Score of A vs B: 248 - 266 - 166  [0.487] 680\nElo difference: -9.2 +/- 20.9")
    );
    assert!(cutechess.contains("\nSPRT: llr -0.39"), "{cutechess}");
    let unknown = stats("-ptnml 43 61 144 55 37 -output format=fishtest");
    assert_eq!(unknown.status, Some(1));
    assert!(unknown.err.contains("give them with -wdl W D L"), "{}", unknown.err);
    assert!(stats("-wdl 1 2 3 -output format=fishtst").err.contains("did you mean fishtest?"));
}

#[test]
fn single_games() {
    let run = stats("-wdl 136 111 96");
    assert!(
        run.out
            .starts_with("Elo: 40.70 +/- 30.43, nElo: 49.77 +/- 36.77\nLOS: 99.60 %, DrawRatio: 32.36 %\n")
    );
}

#[test]
fn wins_alone_are_put_in_words() {
    let run = stats("-ptnml 0 0 0 0 20 -wdl 40 0 0 -sprt elo0=0 elo1=5");
    assert_eq!(run.status, Some(0), "{}", run.err);
    let words: Vec<_> = run.out.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
    assert_eq!(
        words,
        [
            "Each of the 20 pairs was won: the Elo is more than 317 with 95 % confidence, and nothing limits it above.",
            "SPRT Elo: no estimate, as all results are alike."
        ]
    );
    assert!(!run.out.contains("nan") && !run.out.contains("1000"), "{}", run.out);
    let even = stats("-wdl 0 100 0 -sprt elo0=0 elo1=5");
    assert!(even.out.starts_with("Elo: 0.00 +/- 10.26, "), "{}", even.out);
}

#[test]
fn a_test_that_is_over_says_so() {
    let run = stats("-ptnml 127 4883 10712 5150 104 -sprt elo0=-1.75 elo1=0.25");
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines[4], "LLR: 3.01 (102.2%) (-2.94, 2.94) [-1.75, 0.25]");
    assert_eq!(lines[5], "SPRT ([-1.75, 0.25]) completed - H1 was accepted");
    let run = stats("-wdl 57433 106593 57030 -sprt model=logistic beta=0.1");
    assert!(run.out.contains("LLR: -2.59 (-115.2%) (-2.25, 2.89) [0.00, 2.00]"), "{}", run.out);
    assert!(run.out.contains("completed - H0 was accepted"), "{}", run.out);
}

#[test]
fn json_has_the_same_numbers() {
    let run = stats("-ptnml 39 2226 31451 2412 40 -sprt elo0=0.764 elo1=3.439 --json");
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["games"], 72336);
    assert_eq!(json["ptnml"], serde_json::json!([39, 2226, 31451, 2412, 40]));
    let number = |pointer: &str| json.pointer(pointer).and_then(serde_json::Value::as_f64).expect("a number");
    assert_eq!(format!("{:.3} {:.3}", number("/elo/value"), number("/nelo/value")), "0.903 3.451");
    assert_eq!(format!("{:.5} {:.3}", number("/sprt/llr"), number("/sprt/elo/value")), "2.16294 0.865");
    assert_eq!(json["sprt"]["decision"], "continue");
    assert!(json.get("wins").is_none());
    let run = stats("-json -wdl 3 0 0");
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert!(json["elo"]["margin"].is_null() && json["wins"] == 3);
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    assert_eq!(error(""), "there is nothing to judge; say -ptnml LL LD MID WD WW or -wdl W D L");
    assert_eq!(error("-wdl 0 0 0"), "there is nothing to judge: all counts are 0");
    assert_eq!(error("-wdl 1 2"), "-wdl: 2 counts instead of W D L");
    assert_eq!(error("-ptnml 1 2 3 4"), "-ptnml: 4 counts instead of LL LD MID WD WW, or LL LD WL DD WD WW");
    assert_eq!(error("-wdl 10 -3 4"), "-wdl: \"-3\" is not a count of games");
    assert_eq!(error("-wdl 10 3.5 4"), "-wdl: \"3.5\" is not a count of games");
    assert_eq!(
        error("-wdl 99999999999999999999 3 4"),
        "-wdl: \"99999999999999999999\" is not a count of games"
    );
    assert_eq!(error("-wdl 1 2 3 -sprt elo0=5 elo1=5"), "-sprt: elo0=5 is not below elo1=5");
    assert_eq!(error("-wdl 1 2 3 -sprt alpha=0.5"), "-sprt: alpha=0.5 is not between 0 and 0.5");
    assert_eq!(error("-wdl 1 2 3 -sprt beta=0"), "-sprt: beta=0 is not between 0 and 0.5");
    assert_eq!(error("-wdl 1 2 3 -sprt elo1=many"), "-sprt: elo1=many is not a number");
    assert_eq!(error("-wdl 1 2 3 -sprt elo1=NaN"), "-sprt: elo1=NaN is not between -1000 and 1000");
    assert_eq!(error("-wdl 1 2 3 -sprt aplha=0.1"), "-sprt: there is no aplha=; did you mean alpha?");
    assert_eq!(
        error("-wdl 1 2 3 -sprt model=elo"),
        "-sprt: model=elo: \"elo\" is not normalized, logistic or bayesian"
    );
    assert_eq!(error("-pntml 1 2 3 4 5"), "there is no -pntml; did you mean -ptnml?");
    assert_eq!(error("-wdl 1 2 3 -json yes"), "-json: \"yes\" is one word too many");
    assert_eq!(error("-ptnml 1 2 3 2 1 -wdl 1 2 3"), "-ptnml and -wdl are not of the same games");
    assert_eq!(
        error("-ptnml 1 2 3 2 1 -sprt model=bayesian"),
        "-sprt: the bayesian model judges single games; give them with -wdl W D L"
    );
}

#[test]
fn help_names_the_options() {
    let run = stats("--help");
    assert_eq!(run.status, Some(0), "{}", run.err);
    for option in ["-ptnml LL LD MID WD WW", "-wdl W D L", "-sprt KEY=VALUE", "-json"] {
        assert!(run.out.contains(option), "{}", run.out);
    }
}
