//! Techniques that are exact return the value of plain minimax, whatever they are combined with.

mod common;

use std::sync::atomic::AtomicBool;

use common::{Random, Simple, playouts, search};
use gamete_checkers::{Rules, Squares};
use gamete_engine::{Limit, SearchSettings, Searcher};
use gamete_game::{Game, Line, Linear, Noisy, PieceValues, Tactics};

const EXACT: [&str; 11] = [
    "alpha_beta",
    "iterative_deepening",
    "table",
    "own_weights",
    "mvv_lva",
    "see_ordering",
    "history",
    "continuation_history",
    "killers",
    "counter_moves",
    "pvs",
];

/// Settings with the techniques of which a bit is set; the last bit is for aspiration.
fn subset(bits: usize) -> SearchSettings {
    let mut settings = SearchSettings::minimax();
    for (n, name) in EXACT.iter().enumerate() {
        let flag = SearchSettings::setting(name).expect("a flag");
        assert!(flag.set(&mut settings, f64::from(u8::from(bits >> n & 1 == 1))));
    }
    settings.aspiration = if bits >> EXACT.len() & 1 == 1 { 5 } else { 0 };
    settings
}

fn check<G: Tactics>(lines: &[Line<G>], depth: impl Fn(usize, &G) -> u32)
where
    Simple: PieceValues<G>,
{
    let subsets = 1 << (EXACT.len() + 1);
    let mut random = Random(42);
    for (n, line) in lines.iter().enumerate() {
        for depth in 1..=depth(n, line.position()) {
            let value = search(&SearchSettings::minimax(), line, &Simple, &Limit::depth(depth)).score;
            // Half of them with alpha-beta, so that the rest has something to do.
            for bits in [random.below(subsets), random.below(subsets) | 1, subsets - 1] {
                let settings = subset(bits);
                let mut searcher = Searcher::new(&settings, 1 << 22);
                let mut score = || {
                    let stop = AtomicBool::new(false);
                    searcher.search(line, &Simple, &Limit::depth(depth), &stop, None, |_| {}).score
                };
                assert_eq!(score(), value, "{} depth {depth} {settings:?}", line.position());
                assert_eq!(score(), value, "{} depth {depth} again {settings:?}", line.position());
            }
        }
    }
}

#[test]
fn exact_techniques_agree_with_minimax_in_checkers() {
    let start = gamete_checkers::Position::start();
    check(&playouts(&start, 2_000, 100), |_, _| 4);
    check(&playouts(&start.with_rules(Rules::MIT), 200, 100), |_, _| 4);
}

#[test]
fn players_with_noise_agree_with_minimax() {
    let plain = SearchSettings { alpha_beta: true, table: true, killers: true, ..SearchSettings::minimax() };
    let uneven: Vec<_> = (0..120).map(|n| f64::from(n).sin() * 2.0).collect();
    for (seed, line) in (0..).zip(playouts(&gamete_checkers::Position::start(), 600, 120)) {
        let even = Noisy::new(Linear::<_, Squares>::default(), seed);
        let uneven = Noisy::new(Linear::<_, Squares>::new(&uneven), seed);
        let tanh = Noisy::new(Linear::<_, Squares>::default(), seed).with_tanh();
        for (name, evaluator) in [("even", even), ("uneven", uneven), ("tanh", tanh)] {
            let mut searcher = Searcher::new(&plain, 1 << 22);
            for depth in 1..=4 {
                let limit = Limit::depth(depth);
                let value = search(&SearchSettings::minimax(), &line, &evaluator, &limit).score;
                let stop = AtomicBool::new(false);
                let found = searcher.search(&line, &evaluator, &limit, &stop, None, |_| {}).score;
                assert_eq!(found, value, "{} depth {depth} {name}", line.position());
            }
        }
    }
}

#[test]
fn equally_good_moves_are_chosen_among_by_lot() {
    let plain = SearchSettings { alpha_beta: true, table: true, killers: true, ..SearchSettings::minimax() };
    // Every position of the opening is beyond 19 men, where tanh is 1 and nothing is better than anything else.
    let blind: Vec<_> = (0..120).map(|n| if n < 28 { 10.0 } else { 0.0 }).collect();
    let start = Line::new(gamete_checkers::Position::start());
    for settings in [&plain, &SearchSettings::minimax(), &SearchSettings::full()] {
        let mut counts = std::collections::HashMap::new();
        for seed in 0..700 {
            let tanh = Noisy::new(Linear::<_, Squares>::new(&blind), seed).with_tanh();
            let found = search(settings, &start, &tanh, &Limit::depth(3));
            *counts.entry(found.best).or_insert(0) += 1;
            assert_eq!(found.pv.first().copied(), found.best);
        }
        assert_eq!(counts.len(), 7, "{counts:?}");
        assert!(counts.values().all(|count| (60..140).contains(count)), "{counts:?}");
    }
}

#[test]
fn what_is_chosen_by_lot_is_as_good_as_any() {
    let plain = SearchSettings { alpha_beta: true, table: true, killers: true, ..SearchSettings::minimax() };
    // About half of all positions are beyond 19 men.
    let weights: Vec<_> = (0..120).map(|n| f64::from(n).sin() * 5.0).collect();
    for (seed, line) in (0..).zip(playouts(&gamete_checkers::Position::start(), 300, 120)) {
        let tanh = Noisy::new(Linear::<_, Squares>::new(&weights), seed).with_tanh();
        let value = search(&SearchSettings::minimax(), &line, &tanh, &Limit::depth(4)).score;
        let Some(mv) = search(&plain, &line, &tanh, &Limit::depth(4)).best else { continue };
        let mut next = line.clone();
        next.play(mv);
        let after = search(&SearchSettings::minimax(), &next, &tanh, &Limit::depth(3)).score;
        assert_eq!((-after).earlier(1), value, "{}", line.position());
    }
}

#[test]
fn exact_techniques_agree_with_minimax_in_chess() {
    let start = gamete_chess::Position::start();
    check(&playouts(&start, 2_000, 250), |n, position| {
        let cheap = position.count_moves() <= 16 || n % 100 == 0;
        if cheap || std::env::var_os("GAMETE_FULL").is_some() { 4 } else { 3 }
    });
}

#[test]
fn every_subset_agrees_with_minimax() {
    let position: gamete_chess::Position =
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -".parse().expect("a FEN");
    let line = Line::new(position);
    let value = search(&SearchSettings::minimax(), &line, &Simple, &Limit::depth(2)).score;
    for bits in 0..1 << (EXACT.len() + 1) {
        let settings = subset(bits);
        assert_eq!(search(&settings, &line, &Simple, &Limit::depth(2)).score, value, "{settings:?}");
    }
}

#[test]
fn minimax_visits_as_many_nodes_as_published() {
    // Alone and with a table, from the checkers benchmark of the MIT report on mutation parameters.
    let line = Line::new(gamete_checkers::Position::start().with_rules(Rules::MIT));
    let table = SearchSettings { table: true, ..SearchSettings::minimax() };
    for (depth, alone, with_table) in [(4, 3_308, 2_237), (6, 217_537, 50_688), (8, 15_237_252, 859_184)] {
        let nodes = |settings: &SearchSettings| search(settings, &line, &Simple, &Limit::depth(depth)).nodes;
        assert_eq!(nodes(&SearchSettings::minimax()), alone, "depth {depth}");
        assert_eq!(nodes(&table), with_table, "depth {depth}, with a table");
    }
}
