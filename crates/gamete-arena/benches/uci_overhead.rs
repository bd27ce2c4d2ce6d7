//! What a ply costs beside thinking: random movers against each other, and the time of all processors it takes.
//!
//! The first number among the arguments is how many games.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gamete_arena::uci::{EngineSpec, Timeouts, UciEngine};
use gamete_arena::{GameClock, Limits};
use gamete_chess::Position;
use gamete_game::{ByColor, Game, Line};

static NEVER: AtomicBool = AtomicBool::new(false);

fn main() {
    let games = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(400_u32);
    for (limits, threads) in [("nodes=1", 1), ("tc=60+1", 1), ("nodes=1", 2)] {
        let limits: Limits = limits.parse().expect("limits");
        let (before, start) = (cpu_seconds(), Instant::now());
        let plies: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|worker| scope.spawn(move || play(&limits, games / threads, worker)))
                .collect();
            workers.into_iter().map(|worker| worker.join().expect("no panic")).sum()
        });
        let (seconds, after) = (start.elapsed().as_secs_f64(), cpu_seconds());
        let [runner, engines] = [0, 1].map(|part| (after[part] - before[part]) * 1e6 / plies as f64);
        println!(
            "{:<8} {threads} at a time: {:>6.1} games/s, {:.2} µs of processor a ply ({runner:.2} runner, {engines:.2} engines), {:.0} plies a game",
            limits.to_string(),
            f64::from(games) / seconds,
            runner + engines,
            plies as f64 / f64::from(games),
        );
    }
}

fn play(limits: &Limits, games: u32, worker: u32) -> usize {
    let engine = |seed: u32| {
        let spec = EngineSpec::new(env!("CARGO_BIN_EXE_random-mover")).with_args([seed.to_string()]);
        UciEngine::start(spec, Timeouts::default(), &NEVER).expect("an engine that starts")
    };
    let mut engines = [engine(2 * worker + 1), engine(2 * worker + 2)];
    let mut plies = 0;
    for game in 0..games as usize {
        let mut line = Line::new(Position::start());
        let clocks = ByColor::new_with(|_| GameClock::new(&limits.time_control));
        for engine in &mut engines {
            engine.new_game(line.position(), &NEVER).expect("an engine that is ready");
        }
        while line.ending().is_none() {
            let mover = &mut engines[(line.moves().len() + game) % 2];
            let reply = mover.think(&line, limits, &clocks, &NEVER).expect("a move");
            line.play(reply.mv);
        }
        plies += line.moves().len();
    }
    plies
}

/// The time that all processors gave to this process, and to those that it has seen end.
fn cpu_seconds() -> [f64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = stat.rsplit_once(')').expect("a name").1.split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(4).map(|field| field.parse().expect("a number")).collect();
    // A hundred ticks a second, as Linux counts for programs.
    [(ticks[0] + ticks[1]) / 100.0, (ticks[2] + ticks[3]) / 100.0]
}
