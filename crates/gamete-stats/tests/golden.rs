//! Numbers that fishtest, fastchess and OpenBench print for the same counts.

use gamete_stats::{Model, Pentanomial, Results, Sprt, Trinomial};

fn pairs(counts: [u64; 5]) -> Results {
    let [ll, ld, dd, wd, ww] = counts;
    Pentanomial { ll, ld, wl: 0, dd, wd, ww }.into()
}

/// In the order of fastchess's tests.
fn six(counts: [u64; 6]) -> Results {
    let [ll, ld, wl, dd, wd, ww] = counts;
    Pentanomial { ll, ld, wl, dd, wd, ww }.into()
}

fn games(wins: u64, losses: u64, draws: u64) -> Results {
    Trinomial::new(wins, draws, losses).into()
}

fn sprt(model: Model, elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(model, elo0, elo1, 0.05, 0.05).expect("a test")
}

fn llr(model: Model, elo0: f64, elo1: f64, results: Results) -> f64 {
    sprt(model, elo0, elo1).llr(&results)
}

fn close(ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "{ours} instead of {theirs}");
}

/// Computed with fishtest's LLRcalc.py.
#[test]
fn llr_as_fishtest_computes_it() {
    let wide = pairs([10789, 19328, 33806, 19402, 10543]);
    close(llr(Model::Logistic, -3.0, 1.0, wide), 2.1311, 5e-5);
    close(llr(Model::Logistic, 0.0, 5.0, wide), -38.514, 5e-4);
    close(llr(Model::Normalized, -3.0, 1.0, wide), 0.30087, 5e-6);
    close(sprt(Model::Normalized, -3.0, 1.0).llr_of_squares(&wide), 0.30091, 5e-6);

    let drawish = pairs([39, 2226, 31451, 2412, 40]);
    close(llr(Model::Logistic, 0.2, 0.9, drawish), 2.1625, 5e-5);
    close(llr(Model::Normalized, 0.764, 3.439, drawish), 2.16294, 5e-6);
    close(sprt(Model::Normalized, 0.764, 3.439).llr_of_squares(&drawish), 2.16284, 5e-6);

    let few = pairs([10, 20, 40, 25, 12]);
    close(llr(Model::Logistic, 0.0, 5.0, few), 0.17251, 5e-6);
    close(sprt(Model::Logistic, 0.0, 5.0).llr_of_means(&few), 0.17372, 5e-6);
    close(llr(Model::Normalized, 0.0, 5.0, few), 0.14193, 5e-6);

    let single = games(130, 100, 250);
    close(llr(Model::Logistic, 0.0, 5.0, single), 0.79800, 5e-6);
    close(llr(Model::Normalized, 0.0, 5.0, single), 0.57409, 5e-6);
    close(llr(Model::Bayesian, 0.0, 5.0, single), 0.60293, 5e-6);
}

/// fastchess app/tests/sprt_test.cpp, which allows one part in a hundred.
#[test]
fn llr_as_fastchess_tests_it() {
    let cases = [
        (Model::Normalized, 0.0, 2.0, six([365, 16618, 36029, 200, 16974, 390]), 2.25),
        (Model::Normalized, -1.75, 0.25, six([127, 4883, 10311, 401, 5150, 104]), 3.01),
        (Model::Normalized, 0.0, 5.0, six([0, 0, 0, 0, 0, 5550]), 111.82),
        (Model::Logistic, 0.5, 2.5, six([223, 9863, 20279, 1000, 10037, 246]), -3.07),
        (Model::Logistic, 0.0, 2.0, six([871, 26175, 55003, 980, 26678, 821]), -4.98),
        (Model::Normalized, 0.0, 2.0, games(36433, 36027, 68692), 0.92),
        (Model::Normalized, -1.75, 0.25, games(10871, 10650, 20431), 2.30),
        (Model::Logistic, 0.5, 2.5, games(21404, 21184, 40708), -1.57),
        (Model::Logistic, 0.0, 2.0, games(57433, 57030, 106593), -2.59),
        (Model::Bayesian, 0.0, 2.0, games(68965, 68526, 128429), -1.26),
        (Model::Bayesian, 0.5, 2.5, games(21629, 21484, 41111), -1.13),
    ];
    for (model, elo0, elo1, results, theirs) in cases {
        close(llr(model, elo0, elo1, results), theirs, 0.01 * f64::abs(theirs));
    }
}

/// The example at the end of OpenBench's stats.py, by its formulas with scipy's roots.
#[test]
fn llr_as_openbench_computes_it() {
    close(llr(Model::Normalized, 0.5, 2.5, pairs([39, 8843, 26675, 9240, 44])), 2.94168, 5e-6);
}

#[test]
fn bounds_of_five_percent() {
    let sprt = sprt(Model::Normalized, 0.0, 2.0);
    close(sprt.lower(), -2.9444, 5e-5);
    close(sprt.upper(), 2.9444, 5e-5);
}

/// Computed with fishtest's stat_util.py, whose order is Elo, margin, LOS; normalised Elo by its definition.
#[test]
fn elo_as_fishtest_computes_it() {
    let cases = [
        (pairs([10789, 19328, 33806, 19402, 10543]), "-0.774 1.278 0.1177 -0.952"),
        (pairs([39, 2226, 31451, 2412, 40]), "0.903 0.663 0.9962 3.451"),
    ];
    for (results, theirs) in cases {
        let (elo, nelo) = (results.elo(), results.nelo());
        let ours = format!("{:.3} {:.3} {:.4} {:.3}", elo.value, elo.margin, results.los(), nelo.value);
        assert_eq!(ours, theirs);
    }
    let cases = [
        (pairs([10, 20, 40, 25, 12]), "14.62 +/- 36.80", 0.7831, "18.59"),
        (games(130, 100, 250), "21.74 +/- 21.54", 0.9765, "31.50"),
    ];
    for (results, elo, los, nelo) in cases {
        assert_eq!(results.elo().to_string(), elo);
        close(results.los(), los, 5e-5);
        assert_eq!(format!("{:.2}", results.nelo().value), nelo);
    }
}

/// fastchess app/tests/elo_test.cpp.
#[test]
fn elo_as_fastchess_tests_it() {
    let cases = [
        (games(136, 96, 111), "40.70 +/- 30.43", "49.77 +/- 36.77", "99.60"),
        (six([34, 54, 31, 32, 64, 75]), "55.58 +/- 27.65", "57.94 +/- 28.28", "100.00"),
        (six([332, 433, 457, 41, 333, 334]), "-8.64 +/- 10.33", "-9.17 +/- 10.96", "5.05"),
        (six([7895, 8757, 5485, 200, 568, 9999]), "-21.04 +/- 2.95", "-19.01 +/- 2.65", "0.00"),
    ];
    for (results, elo, nelo, los) in cases {
        assert_eq!(results.elo().to_string(), elo);
        assert_eq!(results.nelo().to_string(), nelo);
        assert_eq!(format!("{:.2}", results.los() * 100.0), los);
    }
    assert_eq!(games(76, 89, 123).nelo().to_string(), "-20.76 +/- 40.13");
    assert_eq!(games(34, 356, 0).nelo().to_string(), "-508.44 +/- 34.48");
}

/// OpenBench's own margin has Student's t and the larger side, checked with scipy: of many games it is the same.
#[test]
fn elo_as_openbench_computes_it() {
    assert_eq!(pairs([10, 1072, 2768, 1327, 13]).elo().to_string(), "8.74 +/- 3.27");
    assert_eq!(games(2418, 2157, 5805).elo().to_string(), "8.74 +/- 4.44");
}

/// By the formulas of fishtest's sprt.py with scipy's roots: the estimate, its 95 % interval and the likelihood of superiority.
/// Where it takes two terms of an asymptotic series for the normal distribution we differ by up to 0.002.
#[test]
fn sprt_elo_as_fishtest_computes_it() {
    let cases = [
        (
            Model::Logistic,
            -3.0,
            1.0,
            pairs([1187, 7410, 13475, 7378, 1164]),
            [-0.90064, -3.48727, 1.53147, 0.21743],
        ),
        (
            Model::Logistic,
            -3.0,
            1.0,
            pairs([10789, 19328, 33806, 19402, 10543]),
            [-0.99254, -3.48849, 1.48859, 0.18803],
        ),
        (Model::Logistic, 0.2, 0.9, pairs([39, 2226, 31451, 2412, 40]), [0.86518, 0.16832, 1.54067, 0.99200]),
        (
            Model::Normalized,
            0.764,
            3.439,
            pairs([39, 2226, 31451, 2412, 40]),
            [0.86516, 0.16829, 1.54065, 0.99200],
        ),
        (
            Model::Normalized,
            0.0,
            2.0,
            pairs([164, 7229, 18166, 7531, 186]),
            [1.64412, 0.29032, 2.97434, 0.99114],
        ),
        (Model::Normalized, 0.0, 5.0, pairs([10, 20, 40, 25, 12]), [14.62040, -22.21030, 52.78384, 0.78356]),
        (Model::Bayesian, 0.0, 6.0, games(716, 591, 2163), [11.90631, 4.64218, 19.15813, 0.99932]),
        (Model::Bayesian, 0.0, 6.0, games(1450, 1500, 4000), [-2.32625, -7.70182, 3.10153, 0.19930]),
        (Model::Bayesian, 0.0, 5.0, games(5019, 5026, 15699), [0.36921, -2.40570, 3.30364, 0.60149]),
    ];
    for (model, elo0, elo1, results, theirs) in cases {
        let ours = sprt(model, elo0, elo1).elo(&results).expect("results");
        for (ours, theirs) in [ours.elo, ours.low, ours.high, ours.los].into_iter().zip(theirs) {
            close(ours, theirs, 2e-3);
        }
    }
    assert_eq!(sprt(Model::Bayesian, 0.0, 5.0).elo(&games(100, 0, 0)), None, "wins alone tell no number");
}
