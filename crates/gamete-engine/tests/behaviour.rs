//! What a search promises to whoever calls it.

mod common;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use common::{Random, Simple, playouts, search};
use gamete_checkers::Rules;
use gamete_chess::Position;
use gamete_engine::{Clock, Limit, Quiescence, SearchSettings, Searcher};
use gamete_game::{Evaluator, Game, Line, PieceValues, Score, Tactics};
use proptest::prelude::*;

fn chess(fen: &str) -> Line<Position> {
    Line::new(fen.parse().expect("a good FEN"))
}

fn presets() -> impl Iterator<Item = (&'static str, SearchSettings)> {
    let preset = |&name: &&'static str| (name, SearchSettings::preset(name).expect("a preset"));
    SearchSettings::PRESETS.iter().map(preset)
}

#[test]
fn mates_are_found_at_their_distance() {
    let mates = [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - -", 1, "a1a8"),
        ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq -", 3, "d5f6"),
        ("8/8/8/8/8/1k6/7r/K7 b - -", 1, "h2h1"),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - -", 5, "f6a6"),
    ];
    for (fen, plies, best) in mates {
        let line = chess(fen);
        for (name, settings) in presets() {
            if name == "minimax" && plies > 3 {
                continue;
            }
            let depth = plies + if name == "classic" || name == "full" { 4 } else { 0 };
            let result = search(&settings, &line, &Simple, &Limit::depth(depth));
            assert_eq!(result.score, Score::win_in(plies), "{name} {fen}");
            assert_eq!(result.best, best.parse().ok(), "{name} {fen}");
        }
    }
}

#[test]
fn a_lost_game_is_lost_at_its_distance() {
    let line = chess("7k/R7/1R6/8/8/8/8/K7 b - -");
    for (name, settings) in presets() {
        let result = search(&settings, &line, &Simple, &Limit::depth(4));
        assert_eq!(result.score, Score::loss_in(2), "{name}");
    }
    let line = Line::new("B:W30,K22:B21".parse::<gamete_checkers::Position>().expect("a FEN"));
    for (name, settings) in presets() {
        let result = search(&settings, &line, &Simple, &Limit::depth(6));
        assert_eq!(result.score, Score::loss_in(2), "{name}");
    }
}

#[test]
fn a_mate_limit_ends_the_search_when_it_is_found() {
    let limit = Limit { mate: Some(3), ..Limit::INFINITE };
    let result =
        search(&SearchSettings::full(), &chess("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - -"), &Simple, &limit);
    assert_eq!(result.score, Score::win_in(5));
}

#[test]
fn the_same_search_visits_the_same_nodes() {
    for (name, settings) in presets() {
        let depth = if name == "minimax" { 3 } else { 6 };
        for line in playouts(&Position::start(), 4, 60) {
            let first = search(&settings, &line, &Simple, &Limit::depth(depth));
            assert_eq!(first, search(&settings, &line, &Simple, &Limit::depth(depth)), "{name}");

            let mut searcher = Searcher::new(&settings, 1 << 24);
            for other in playouts(&Position::start(), 3, 30) {
                let stop = AtomicBool::new(false);
                searcher.search(&other, &Simple, &Limit::depth(depth.min(4)), &stop, None, |_| {});
            }
            searcher.new_game();
            let stop = AtomicBool::new(false);
            let fresh = searcher.search(&line, &Simple, &Limit::depth(depth), &stop, None, |_| {});
            assert_eq!(fresh, first, "{name} after other games");
        }
    }
}

#[test]
fn node_limits_are_exact() {
    let line = Line::new(Position::start());
    for (name, settings) in presets() {
        for nodes in [1, 2, 100, 12_345] {
            let result = search(&settings, &line, &Simple, &Limit::nodes(nodes));
            assert_eq!(result.nodes, nodes, "{name}");
            assert!(line.position().is_legal(result.best.expect("a move")));
        }
    }
}

#[test]
fn a_search_that_is_stopped_at_once_has_looked_one_ply_ahead() {
    // There is a mate to be seen.
    let line = Line::new("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1".parse::<Position>().expect("a FEN"));
    let mut searcher = Searcher::new(&SearchSettings::full(), 1 << 20);
    for limit in [Limit::INFINITE, Limit::time(Duration::ZERO)] {
        let result = searcher.search(&line, &Simple, &limit, &AtomicBool::new(true), None, |_| {});
        assert_eq!(result.depth, 1);
        assert_eq!(result.best, line.position().parse_uci("a1a8").ok());
    }
    // Nodes are counted to the letter.
    let result = searcher.search(&line, &Simple, &Limit::nodes(0), &AtomicBool::new(false), None, |_| {});
    assert_eq!(result.nodes, 0);
    assert!(line.position().is_legal(result.best.expect("a move")));
}

#[test]
fn a_mate_is_found_within_its_moves_or_not_at_all() {
    // Morphy's: passing would lose the mate, so a search that guesses by passing misses it.
    let line = Line::new("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1".parse::<Position>().expect("a FEN"));
    let mut searcher = Searcher::new(&SearchSettings::full(), 1 << 20);
    let mut mate_in = |line: &Line<Position>, moves| {
        let limit = Limit { mate: Some(moves), ..Limit::INFINITE };
        searcher.search(line, &Simple, &limit, &AtomicBool::new(false), None, |_| {})
    };
    assert_eq!(mate_in(&line, 2).best, line.position().parse_uci("a1a6").ok());
    assert_eq!(mate_in(&line, 2).score, Score::win_in(3));
    assert_eq!(mate_in(&Line::new(Position::start()), 2).depth, 3);
}

/// An evaluator that has the search stopped when it is asked for the so many-th time.
struct Stopper<'a> {
    stop: &'a AtomicBool,
    at: u64,
    asked: AtomicU64,
}

impl Evaluator<Position> for Stopper<'_> {
    fn evaluate(&self, position: &Position) -> Score {
        if self.asked.fetch_add(1, Ordering::Relaxed) + 1 == self.at {
            self.stop.store(true, Ordering::Relaxed);
        }
        Simple.evaluate(position)
    }
}

impl PieceValues<Position> for Stopper<'_> {}

#[test]
fn the_stop_flag_is_answered_within_a_few_thousand_positions() {
    let line = Line::new(Position::start());
    for (name, settings) in presets() {
        for at in [1, 1_000, 100_000] {
            let stop = AtomicBool::new(false);
            let stopper = Stopper { stop: &stop, at, asked: AtomicU64::new(0) };
            let mut searcher = Searcher::new(&settings, 1 << 24);
            let result = searcher.search(&line, &stopper, &Limit::INFINITE, &stop, None, |_| {});
            let more = stopper.asked.into_inner() - at;
            assert!(more <= 5_000, "{name}: {more} positions after the one that stopped it");
            assert!(line.position().is_legal(result.best.expect("a move")));
        }
    }
}

#[test]
fn the_stop_flag_is_answered_from_another_thread() {
    let stop = AtomicBool::new(false);
    let line = Line::new(Position::start());
    let mut searcher = Searcher::new(&SearchSettings::full(), 1 << 24);
    thread::scope(|scope| {
        let (said, heard) = mpsc::channel();
        let stop = &stop;
        let search = scope.spawn(move || {
            searcher.search(&line, &Simple, &Limit::INFINITE, stop, None, |info| {
                let _ = said.send(info.depth);
            })
        });
        // The search is well under way.
        while heard.recv().expect("a search that goes on") < 5 {}
        stop.store(true, Ordering::Relaxed);
        assert!(search.join().expect("a search that ends").best.is_some());
    });
}

#[test]
fn time_limits_end_a_search_that_nothing_else_ends() {
    let line = Line::new(Position::start());
    let clock = Clock {
        time: Duration::from_secs(2),
        increment: Duration::ZERO,
        moves_to_go: None,
        overhead: Duration::from_millis(10),
    };
    for limit in [Limit::time(Duration::from_millis(50)), Limit::clock(clock)] {
        let result = search(&SearchSettings::full(), &line, &Simple, &limit);
        assert!(line.position().is_legal(result.best.expect("a move")) && result.depth > 0);
    }
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let line = chess("6k1/5ppp/8/8/8/8/8/R3K3 w - -");
    let stop = AtomicBool::new(false);
    for (name, settings) in presets() {
        let mut searcher = Searcher::new(&settings, 1 << 20);
        let mut best = |moves: &[&str]| {
            let moves: Vec<_> = moves.iter().map(|mv| mv.parse().expect("a move")).collect();
            searcher.search(&line, &Simple, &Limit::depth(3), &stop, Some(&moves), |_| {}).best
        };
        assert_eq!(best(&["e1e2"]), "e1e2".parse().ok(), "{name}");
        assert_ne!(best(&["e1e2", "a1a2", "a1a5"]), "a1a8".parse().ok(), "{name}");
        assert_eq!(best(&["e1e2", "a1a8"]), "a1a8".parse().ok(), "{name}");
        assert_eq!(best(&["e1e8"]), "a1a8".parse().ok(), "{name}: none is legal");
    }
}

#[test]
fn finished_games_have_no_move() {
    for (fen, score) in
        [("7k/5Q2/8/8/8/8/8/K7 b - -", Score::ZERO), ("R5k1/5ppp/8/8/8/8/8/K7 b - -", Score::loss_in(0))]
    {
        for (name, settings) in presets() {
            let result = search(&settings, &chess(fen), &Simple, &Limit::depth(3));
            assert_eq!((result.best, result.score, result.nodes), (None, score, 0), "{name} {fen}");
        }
    }
}

#[test]
fn perpetual_check_saves_a_lost_game() {
    let line = chess("6k1/6p1/8/7Q/8/2q5/rr6/7K w - -");
    let result = search(&SearchSettings::full(), &line, &Simple, &Limit::depth(10));
    assert_eq!((result.best, result.score), ("h5e8".parse().ok(), Score::ZERO));
    let blind = SearchSettings { repetition: false, ..SearchSettings::full() };
    assert!(search(&blind, &line, &Simple, &Limit::depth(10)).score < Score::ZERO);
}

#[test]
fn the_third_repetition_of_the_game_is_a_draw() {
    // White is lost, but the position after Kg1 has stood on the board twice.
    let mut line = chess("7k/8/8/8/8/8/qr6/7K w - -");
    for text in ["Kg1", "Kg8", "Kh1", "Kh8", "Kg1", "Kg8", "Kh1", "Kh8"] {
        line.play(line.position().parse_move(text).expect("a legal move"));
    }
    for name in ["paper", "classic", "full"] {
        let settings = SearchSettings::preset(name).expect("a preset");
        let result = search(&settings, &line, &Simple, &Limit::depth(1));
        assert_eq!((result.best, result.score), ("h1g1".parse().ok(), Score::ZERO), "{name}");
    }
}

#[test]
fn deep_searches_of_kings_end() {
    let line = Line::new("B:WK32,K28:BK1,K5".parse::<gamete_checkers::Position>().expect("a FEN"));
    for (name, settings) in presets() {
        let limit = Limit { depth: Some(1_000), nodes: Some(200_000), ..Limit::INFINITE };
        let result = search(&settings, &line, &Simple, &limit);
        assert!(result.best.is_some(), "{name}");
    }
    let line = chess("8/8/8/3k4/8/8/3PK3/8 w - -");
    let limit = Limit { depth: Some(1_000), nodes: Some(500_000), ..Limit::INFINITE };
    assert!(search(&SearchSettings::full(), &line, &Simple, &limit).best.is_some());
}

fn settings() -> impl Strategy<Value = SearchSettings> {
    any::<u64>().prop_map(|seed| {
        let mut random = Random(seed | 1);
        let mut settings = SearchSettings::full();
        for setting in SearchSettings::SETTINGS {
            let parameter = &setting.parameter;
            let range = (parameter.max - parameter.min + 1.0) as usize;
            assert!(setting.set(&mut settings, parameter.min + random.below(range) as f64), "{parameter:?}");
        }
        // Without alpha-beta these grow without bound.
        if !settings.alpha_beta {
            settings.quiescence_plies %= 3;
            if settings.quiescence == Quiescence::Modern {
                settings.quiescence = Quiescence::Captures;
            }
        } else if settings.quiescence != Quiescence::Modern {
            settings.quiescence_plies %= 4;
        }
        settings
    })
}

fn self_play<G: Tactics>(start: G, settings: &SearchSettings, depth: u32)
where
    Simple: PieceValues<G>,
{
    let mut line = Line::new(start);
    let mut searcher = Searcher::new(settings, 1 << 16);
    let stop = AtomicBool::new(false);
    let limit = Limit { depth: Some(depth), nodes: Some(3_000), ..Limit::INFINITE };
    for _ in 0..60 {
        let result = searcher.search(&line, &Simple, &limit, &stop, None, |_| {});
        let Some(mv) = result.best else { break };
        let mut next = line.position().clone();
        for mv in result.pv {
            assert!(next.is_legal(mv), "{next} {mv:?} {settings:?}");
            next.play(mv);
        }
        line.play(mv);
        if line.ending().is_some() {
            break;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_settings_play_legal_moves(settings in settings(), depth in 1..=3_u32) {
        self_play(Position::start(), &settings, depth);
        self_play(gamete_checkers::Position::start(), &settings, depth);
        self_play(gamete_checkers::Position::start().with_rules(Rules::MIT), &settings, depth);
    }
}
