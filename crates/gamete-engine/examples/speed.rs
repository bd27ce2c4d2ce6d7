//! Nodes per second at fixed depth, and games per second at shallow ones.

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use common::{Material, Simple, playouts};
use gamete_engine::{Limit, SearchSettings, Searcher};
use gamete_game::{Game, Line, PieceValues, Tactics};

const FENS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 11",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "rq3rk1/ppp2ppp/1bnpb3/3N2B1/3NP3/7P/PPPQ1PP1/2KR3R w - - 7 14",
    "r1bq1r1k/1pp1n1pp/1p1p4/4p2Q/4Pp2/1BNP4/PPP2PPP/3R1RK1 w - - 2 14",
    "r3r1k1/2p2ppp/p1p1bn2/8/1q2P3/2NPQN2/PPP3PP/R4RK1 b - - 2 15",
    "1rbqk1nr/p3ppb1/3p2pp/1ppP4/2P1P3/2N1BN2/PP3PPP/R2QK2R w KQk - 0 9",
    "4k2r/1pb2ppp/1p2p3/1R1p4/3P4/2r1PN2/P4PPP/1R4K1 b - - 3 22",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "3b4/5kp1/1p1p1p1p/pP1PpP1P/P1P1P3/3KN3/8/8 w - - 0 1",
];

fn nps(name: &str, evaluator: &impl PieceValues<gamete_chess::Position>, depth: u32) {
    let mut searcher = Searcher::new(&SearchSettings::full(), 1 << 24);
    let (mut nodes, start) = (0, Instant::now());
    for fen in FENS {
        searcher.new_game();
        let line = Line::new(fen.parse().expect("a FEN"));
        let stop = AtomicBool::new(false);
        nodes += searcher.search(&line, evaluator, &Limit::depth(depth), &stop, None, |_| {}).nodes;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{name} depth {depth}: {nodes} nodes, {seconds:.2} s, {:.2} Mnps", nodes as f64 / seconds / 1e6);
}

fn games<G: Tactics>(name: &str, start: &G, settings: &SearchSettings, depth: u32, plies: usize)
where
    Simple: PieceValues<G>,
{
    let (mut played, mut moves, mut nodes, clock) = (0, 0, 0, Instant::now());
    for opening in playouts(start, 40, 8) {
        let mut line = opening;
        let mut searchers = [(); 2].map(|()| Searcher::new(settings, 1 << 24));
        for ply in 0..plies {
            if line.ending().is_some() {
                break;
            }
            let stop = AtomicBool::new(false);
            let outcome =
                searchers[ply % 2].search(&line, &Simple, &Limit::depth(depth), &stop, None, |_| {});
            nodes += outcome.nodes;
            moves += 1;
            line.play(outcome.best.expect("a move"));
        }
        played += 1;
    }
    let seconds = clock.elapsed().as_secs_f64();
    let rate = f64::from(played) / seconds;
    println!("{name}: {rate:.1} games/s, {} plies/game, {} nodes/move", moves / played, nodes / moves as u64);
}

fn main() {
    let depth = std::env::args().nth(1).and_then(|depth| depth.parse().ok());
    if let Some(depth) = depth {
        nps("material", &Material, depth);
        nps("simple", &Simple, depth);
        return;
    }
    let chess = gamete_chess::Position::start();
    let checkers = gamete_checkers::Position::start();
    games("chess, paper, depth 2", &chess, &SearchSettings::paper(), 2, 400);
    let plain = SearchSettings { alpha_beta: true, ..SearchSettings::minimax() };
    games("checkers, alpha-beta, depth 6", &checkers, &plain, 6, 200);
    let ordered = SearchSettings { own_weights: true, killers: true, ..plain };
    games("checkers, ordered, depth 6", &checkers, &ordered, 6, 200);
    let tabled = SearchSettings { table: true, table_equal_depth: false, ..ordered };
    games("checkers, ordered, table, depth 6", &checkers, &tabled, 6, 200);
    let history = SearchSettings { history: true, continuation_history: true, pvs: true, ..tabled };
    games("checkers, history, table, pvs, depth 6", &checkers, &history, 6, 200);
}
