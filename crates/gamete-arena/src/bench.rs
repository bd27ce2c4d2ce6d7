use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gamete_engine::Limit;
use gamete_game::Line;

use crate::{GameName, ModelInfo, Playable, Player};

/// What a bench counted.
///
/// The nodes are the signature of search and evaluation: the same on every machine, and another as soon as
/// anything is played differently. The last line is as other engines write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchReport {
    /// One for each player.
    pub rows: Vec<BenchRow>,
}

/// What one player counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchRow {
    /// The player's model.
    pub model: &'static str,
    /// The preset of its search.
    pub preset: &'static str,
    /// How deep it searched, in plies.
    pub depth: u32,
    /// Positions searched from.
    pub positions: usize,
    /// Positions visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

const PLAYERS: [(&str, &str, u32); 8] = [
    ("chess/classic", "full", 10),
    ("chess/classic", "classic", 7),
    ("chess/kendall-whitwell", "paper", 3),
    ("chess/material", "full", 9),
    ("chess/material-phased", "full", 9),
    ("checkers/material", "full", 13),
    ("checkers/squares", "paper", 9),
    ("checkers/squares-symmetric", "full", 11),
];

const CHESS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9",
    "rnbq1rk1/ppp1bppp/4pn2/3p2B1/2PP4/2N1PN2/PP3PPP/R2QKB1R b KQ - 0 6",
    "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
    "8/5pk1/4p1p1/7p/1R5P/r5P1/5PK1/8 w - - 0 40",
    "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",
    "8/pp3p2/2p1k3/4p1p1/1P2P1P1/P3K3/2P2P2/8 w - - 0 35",
    "8/6pk/7p/3q4/8/7P/4Q1PK/8 w - - 0 50",
    "8/5k2/2b1p1p1/p3P2p/P2B1P1P/1P3KP1/8/8 w - - 0 45",
    "nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w KQkq - 0 1",
];

const CHECKERS: [&str; 6] = [
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:W19,21,22,23,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,20",
    "B:W13,17,18,20,22,24,27,28,30:B1,2,3,5,6,8,10,11,12",
    "W:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
    "B:WK6,K15,21:BK19,K24,12",
    "W:WK14,K18,K23:BK1,K29",
];

/// Searches fixed positions to fixed depths, telling `on_row` of each player.
pub fn bench(mut on_row: impl FnMut(&BenchRow)) -> BenchReport {
    let mut rows = Vec::with_capacity(PLAYERS.len());
    for (model, preset, depth) in PLAYERS {
        let row = run(model, preset, depth);
        on_row(&row);
        rows.push(row);
    }
    BenchReport { rows }
}

fn run(model: &'static str, preset: &'static str, depth: u32) -> BenchRow {
    let model = ModelInfo::find(model).expect("a model of the catalog");
    let mut player = Player::new(model);
    player.set_preset(preset).expect("a preset");
    let start = Instant::now();
    let (positions, nodes) = match model.game {
        GameName::Chess => (CHESS.len(), search::<gamete_chess::Position>(&player, &CHESS, depth)),
        GameName::Checkers => {
            (CHECKERS.len(), search::<gamete_checkers::Position>(&player, &CHECKERS, depth))
        }
    };
    BenchRow { model: model.name, preset, depth, positions, nodes, time: start.elapsed() }
}

fn search<G: Playable>(player: &Player, fens: &[&str], depth: u32) -> u64 {
    let mut engine = G::engine(player, 16 << 20).expect("a player of the game");
    let stop = AtomicBool::new(false);
    let mut nodes = 0;
    for fen in fens {
        engine.new_game(0);
        let Ok(position) = fen.parse::<G>() else { unreachable!("bench positions are good: {fen}") };
        nodes += engine.search(&Line::new(position), &Limit::depth(depth), &stop, None, &mut |_| ()).nodes;
    }
    nodes
}

impl BenchReport {
    /// Positions visited in all.
    pub fn nodes(&self) -> u64 {
        self.rows.iter().map(|row| row.nodes).sum()
    }

    /// Positions a second, over all.
    pub fn nps(&self) -> u64 {
        let time: Duration = self.rows.iter().map(|row| row.time).sum();
        (self.nodes() as f64 / time.as_secs_f64()) as u64
    }
}

impl fmt::Display for BenchRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nps = (self.nodes as f64 / self.time.as_secs_f64()) as u64;
        write!(
            f,
            "{:<27} {:<8} depth {:>2}, {:>2} positions {:>10} nodes {:>9} nps",
            self.model, self.preset, self.depth, self.positions, self.nodes, nps
        )
    }
}

impl fmt::Display for BenchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        write!(f, "{} nodes {} nps", self.nodes(), self.nps())
    }
}
