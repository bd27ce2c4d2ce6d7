use std::fmt;
use std::sync::atomic::AtomicBool;
use std::thread::Builder;
use std::time::{Duration, Instant};

use gamete_engine::Limit;
use gamete_game::{BenchPlayer, BoardGame, Line};

use crate::executor::STACK_BYTES;
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

/// Searches fixed positions to fixed depths, telling `on_row` of each player.
pub fn bench(mut on_row: impl FnMut(&BenchRow)) -> BenchReport {
    let mut rows = Vec::new();
    for &game in GameName::ALL {
        for player in dispatch!(game, G => G::BENCH_PLAYERS) {
            let row = run_player(game, player);
            on_row(&row);
            rows.push(row);
        }
    }
    BenchReport { rows }
}

/// Not generic, so that it is compiled in this crate.
fn run_player(game: GameName, player: &BenchPlayer) -> BenchRow {
    dispatch!(game, G => run::<G>(player))
}

fn run<G: Playable>(&BenchPlayer { model, preset, depth }: &BenchPlayer) -> BenchRow {
    let model = ModelInfo::find(model).expect("a model of the game");
    let mut player = Player::new(model);
    player.set_preset(preset).expect("a preset");
    let start = Instant::now();
    let positions = G::BENCH_POSITIONS;
    let nodes = search::<G>(&player, positions, depth);
    BenchRow { model: model.name, preset, depth, positions: positions.len(), nodes, time: start.elapsed() }
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

/// Positions a second that each of so many threads visits while all of them search: how fast this machine is. Takes a second.
pub fn speed(threads: usize) -> u64 {
    let start = || Builder::new().stack_size(STACK_BYTES).spawn(thread_speed::<gamete_chess::Position>);
    let running: Vec<_> = (0..threads.max(1)).filter_map(|_| start().ok()).collect();
    let speeds: Vec<f64> = running.into_iter().filter_map(|thread| thread.join().ok()).collect();
    (speeds.iter().sum::<f64>() / speeds.len().max(1) as f64) as u64
}

fn thread_speed<G: Playable>() -> f64 {
    const LASTS: Duration = Duration::from_secs(1);
    let player = Player::new(ModelInfo::default_for(G::GAME_NAME));
    let mut engine = G::engine(&player, 16 << 20).expect("a player of the game");
    let stop = AtomicBool::new(false);
    let limit = Limit { nodes: Some(20_000), ..Limit::default() };
    let (begun, mut nodes) = (Instant::now(), 0);
    for fen in G::BENCH_POSITIONS.iter().cycle() {
        engine.new_game(0);
        let Ok(position) = fen.parse::<G>() else { unreachable!("bench positions are good: {fen}") };
        nodes += engine.search(&Line::new(position), &limit, &stop, None, &mut |_| ()).nodes;
        if begun.elapsed() >= LASTS {
            break;
        }
    }
    nodes as f64 / begun.elapsed().as_secs_f64()
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
