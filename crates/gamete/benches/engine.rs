//! How fast players think and games go, beside Debian's Ethereal and the machines of the papers, in one run.
//!
//! `cargo bench --bench engine` prints a table; a ratio below its target is marked but does not fail, because clocks
//! are noisy. `cargo bench --bench engine -- hughes` measures only what has the word in its name.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gamete_arena::{ModelInfo, Noise, Playable, Player, Rng};
use gamete_engine::{Limit, SearchSettings};
use gamete_game::Line;

const ROUNDS: usize = 3;

/// Middlegames, where engines spend their time.
const POSITIONS: [&str; 8] = [
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9",
    "rnbq1rk1/ppp1bppp/4pn2/3p2B1/2PP4/2N1PN2/PP3PPP/R2QKB1R b KQ - 0 6",
    "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/5pk1/4p1p1/7p/1R5P/r5P1/5PK1/8 w - - 0 40",
    "8/pp3p2/2p1k3/4p1p1/1P2P1P1/P3K3/2P2P2/8 w - - 0 35",
];

const PARTS: [(&str, fn()); 3] =
    [("speeds", speeds), ("kendall-whitwell", kendall_whitwell), ("hughes", hughes)];

fn main() {
    println!("{:<52} {:>10} {:>10} {:>7}  target", "", "ours", "theirs", "ratio");
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for (name, measure) in PARTS {
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            measure();
        }
    }
}

fn row(name: &str, ours: f64, theirs: f64, target: f64) {
    let ratio = ours / theirs;
    let verdict = if ratio >= target { "" } else { "  MISSED" };
    println!("{name:<52} {ours:>10.2} {theirs:>10.2} {ratio:>6.2}x  {target}x{verdict}");
}

/// Nodes a second of each model under the full search, taking turns with Ethereal.
fn speeds() {
    let models = [("chess/material", 2.5), ("chess/kendall-whitwell", 1.2), ("chess/classic", 1.0)];
    let mut ours = [0.0_f64; 3];
    let mut theirs = 0.0_f64;
    for _ in 0..ROUNDS {
        for (best, (model, _)) in ours.iter_mut().zip(models) {
            *best = best.max(nodes_per_second(model));
        }
        let Some(nps) = ethereal() else {
            println!("skipped: there is no ethereal-chess; `make engines` installs it");
            return;
        };
        theirs = theirs.max(nps);
    }
    for ((model, target), ours) in models.into_iter().zip(ours) {
        row(&format!("{model}, full search, Mnps, over Ethereal 12"), ours / 1e6, theirs / 1e6, target);
    }
}

fn nodes_per_second(model: &str) -> f64 {
    let player = Player::new(ModelInfo::find(model).expect("a model"));
    let mut engine = gamete_chess::Position::engine(&player, 16 << 20).expect("a player of chess");
    let (mut nodes, start) = (0, Instant::now());
    for fen in POSITIONS {
        engine.new_game(0);
        let line = Line::new(fen.parse().expect("a FEN"));
        nodes +=
            engine.search(&line, &Limit::nodes(300_000), &AtomicBool::new(false), None, &mut |_| ()).nodes;
    }
    nodes as f64 / start.elapsed().as_secs_f64()
}

fn ethereal() -> Option<f64> {
    let path = Path::new("/usr/games/ethereal-chess");
    let output = path.exists().then(|| Command::new(path).arg("bench").output())?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().last()?.parse().ok()
}

/// Games a second of the chess of Kendall and Whitwell.
fn kendall_whitwell() {
    let mut player = Player::new(ModelInfo::find("chess/kendall-whitwell").expect("a model"));
    player.search = SearchSettings::paper();
    let speed = games_per_second::<gamete_chess::Position>(&player, 2, 400, 120);
    row("Kendall-Whitwell games a second, MIT settings", speed, 60.0, 1.0);
}

/// Games a second of the checkers of Hughes: plain alpha-beta, with what does not change its value.
fn hughes() {
    let mut player = Player::new(ModelInfo::find("checkers/squares").expect("a model"));
    player.search = SearchSettings {
        alpha_beta: true,
        table: true,
        table_equal_depth: false,
        killers: true,
        ..SearchSettings::minimax()
    };
    player.noise = Some(Noise { amplitude: 0.05, tanh: false });
    // Every piece is worth the same, so that only noise tells moves apart and ordering has nothing to go by.
    let speed = games_per_second::<gamete_checkers::Position>(&player, 6, 200, 400);
    row("Hughes's checkers games a second, mere piece count", speed, 200.0, 1.0);
    let mut rng = Rng::new(1);
    let weights: Vec<f64> = player.weights().iter().map(|_| 10.0 * rng.uniform() - 5.0).collect();
    player.set_weights(&weights);
    let speed = games_per_second::<gamete_checkers::Position>(&player, 6, 200, 400);
    row("Hughes's checkers games a second, random weights", speed, 200.0, 1.0);
}

/// Plays from random openings until the game is over or `plies` are played.
fn games_per_second<G: Playable>(player: &Player, depth: u32, plies: usize, games: u64) -> f64 {
    let mut engine = G::engine(player, 16 << 20).expect("a player of the game");
    let stop = AtomicBool::new(false);
    let start = Instant::now();
    for seed in 0..games {
        engine.new_game(seed);
        let mut line = Line::new(G::start());
        let mut random = seed;
        while line.ending().is_none() && line.moves().len() < plies {
            let mv = if line.moves().len() < 4 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let moves = line.position().moves();
                moves[(random >> 33) as usize % moves.len()]
            } else {
                let outcome = engine.search(&line, &Limit::depth(depth), &stop, None, &mut |_| ());
                outcome.best.expect("a move, as the game is not over")
            };
            line.play(mv);
        }
    }
    games as f64 / start.elapsed().as_secs_f64()
}
