//! What holds for all counts.

use gamete_stats::{Decision, Model, Pentanomial, Results, Sprt, SprtError, Trinomial, report};
use proptest::prelude::*;

fn trinomial(counts: std::ops::Range<u64>) -> impl Strategy<Value = Trinomial> {
    [counts.clone(), counts.clone(), counts]
        .prop_map(|[wins, draws, losses]| Trinomial::new(wins, draws, losses))
}

fn pentanomial(counts: std::ops::Range<u64>) -> impl Strategy<Value = Pentanomial> {
    let count = || counts.clone();
    [count(), count(), count(), count(), count(), count()].prop_map(|[ll, ld, wl, dd, wd, ww]| Pentanomial {
        ll,
        ld,
        wl,
        dd,
        wd,
        ww,
    })
}

fn results(counts: std::ops::Range<u64>) -> impl Strategy<Value = Results> {
    prop_oneof![
        trinomial(counts.clone()).prop_map(Results::from),
        pentanomial(counts).prop_map(Results::from)
    ]
}

fn model() -> impl Strategy<Value = Model> {
    prop::sample::select(Model::ALL.to_vec())
}

fn sprt(model: Model, elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(model, elo0, elo1, 0.05, 0.1).expect("a test")
}

proptest! {
    #[test]
    fn sides_swapped_change_the_sign(results in results(0..500), model in model(), elo0 in -20.0..20.0, width in 0.5..10.0) {
        let flipped = results.flipped();
        prop_assert!((results.elo().value + flipped.elo().value).abs() < 1e-9);
        prop_assert!((results.los() + flipped.los() - 1.0).abs() < 1e-9);
        let (one, two) = (sprt(model, elo0, elo0 + width), sprt(model, -elo0 - width, -elo0));
        let (llr, mirrored) = (one.llr(&results), two.llr(&flipped));
        prop_assert!((llr + mirrored).abs() < 1e-6 * (1.0 + llr.abs()), "{llr} {mirrored}");
    }

    #[test]
    fn the_sum_is_the_same_either_way(one in pentanomial(0..500), two in pentanomial(0..500)) {
        prop_assert_eq!(one + two, two + one);
        prop_assert_eq!((one + two).games(), one.games() + two.games());
        prop_assert_eq!([one, two].into_iter().sum::<Pentanomial>().pairs(), one.pairs() + two.pairs());
        prop_assert_eq!(Pentanomial::from_counts(one.counts(), one.games()), Some(one));
    }

    #[test]
    fn a_loss_made_a_win_speaks_for_h1(games in trinomial(20..500), model in model(), elo0 in -5.0..5.0, width in 0.5..5.0) {
        let better = Trinomial::new(games.wins + 1, games.draws, games.losses - 1);
        let sprt = sprt(model, elo0, elo0 + width);
        prop_assert!(sprt.llr(&better.into()) > sprt.llr(&games.into()));
    }

    #[test]
    fn nothing_panics(results in results(0..3), model in model(), elo0 in -1000.0..999.0, width in 0.001..1.0) {
        let sprt = sprt(model, elo0, elo0 + width);
        let llr = sprt.llr(&results);
        prop_assert!(llr.is_finite(), "{llr}");
        prop_assert!(results.elo().value.is_finite() && (0.0..=1.0).contains(&results.los()));
        if let Some(elo) = sprt.elo(&results) {
            prop_assert!(elo.low <= elo.elo && elo.elo <= elo.high, "{elo:?}");
        }
        let names = report::Match { first: "a", second: "b", conditions: "" };
        prop_assert!(!report::fastchess(&names, &results, Some(&sprt)).contains("NaN"));
        report::openbench(&results, Some(&sprt), "");
        report::fishtest(&results, None);
        report::cutechess_sprt(&sprt, llr);
    }

    #[test]
    fn the_closed_forms_are_near_for_near_equals(pairs in pentanomial(50..2000), more in 0..20_u64, elo0 in -3.0..3.0, width in 0.5..3.0) {
        let results = Results::from(pairs + pairs.flipped() + Pentanomial { wd: more, ..Pentanomial::default() });
        for model in [Model::Normalized, Model::Logistic] {
            let sprt = sprt(model, elo0, elo0 + width);
            let (llr, squares, means) = (sprt.llr(&results), sprt.llr_of_squares(&results), sprt.llr_of_means(&results));
            prop_assert!((squares - llr).abs() < 0.01 * llr.abs() + 0.001, "{llr} {squares}");
            prop_assert!((means - llr).abs() < 0.01 * llr.abs() + 0.001, "{llr} {means}");
        }
    }
}

#[test]
fn no_results_say_nothing() {
    let none = Results::from(Trinomial::default());
    assert_eq!((none.elo().value, none.elo().margin, none.los()), (0.0, f64::INFINITY, 0.5));
    let sprt = sprt(Model::Normalized, 0.0, 2.0);
    assert_eq!((sprt.llr(&none), sprt.decision(0.0), sprt.elo(&none)), (0.0, Decision::Continue, None));
}

#[test]
fn a_clean_score_is_clipped_and_its_margin_unknown() {
    let won = Results::from(Trinomial::new(10, 0, 0));
    assert_eq!(won.elo().to_string(), "1199.83 +/- inf");
    assert_eq!((won.nelo().value, won.los()), (f64::INFINITY, 1.0));
}

#[test]
fn bad_settings_are_named() {
    let error = |elo0, elo1, alpha, beta| Sprt::new(Model::Normalized, elo0, elo1, alpha, beta).map(|_| ());
    assert_eq!(error(2.0, 2.0, 0.05, 0.05), Err(SprtError::Order { elo0: 2.0, elo1: 2.0 }));
    assert_eq!(error(0.0, 2.0, 0.5, 0.05), Err(SprtError::Rate { name: "alpha", value: 0.5 }));
    assert_eq!(error(0.0, 2.0, 0.05, 0.0), Err(SprtError::Rate { name: "beta", value: 0.0 }));
    assert_eq!(error(0.0, 2e3, 0.05, 0.0), Err(SprtError::Elo { name: "elo1", value: 2e3 }));
    assert!(error(f64::NAN, 2.0, 0.05, 0.05).is_err() && error(0.0, 2.0, f64::NAN, 0.05).is_err());
}

#[test]
fn bounds_decide() {
    let sprt = sprt(Model::Normalized, 0.0, 2.0);
    assert_eq!(sprt.decision(sprt.upper()), Decision::H1);
    assert_eq!(sprt.decision(sprt.lower()), Decision::H0);
    assert_eq!(sprt.decision(0.0), Decision::Continue);
    assert_eq!((sprt.fraction(sprt.upper()), sprt.fraction(sprt.lower())), (1.0, -1.0));
}
