//! What matches cost beside thinking, as ratios in one run: games of random movers by UCI, players of our own at the
//! board and through UCI, one core and two.
//!
//! The first number among the arguments is how many pairs of games a measurement takes. With `uci` as its argument it
//! is itself the engine that it plays against.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gamete_arena::uci::{EngineSpec, serve};
use gamete_arena::{
    Adjudication, Book, Competitor, Contestant, GameOutcome, GameTask, Journal, Limits, Local, OpeningOrder,
    Openings, Player, TaskOutcome, submit_all,
};

/// Measurements of the same thing, of which the best counts.
const TURNS: usize = 3;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("uci") {
        serve(std::io::BufReader::new(std::io::stdin()), std::io::stdout()).expect("somebody to talk to");
        return;
    }
    let pairs = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(100_u64);

    let movers = [1, 2].map(random_mover);
    println!("random movers by UCI, nodes=1, {} games", 2 * pairs);
    let [one, two] = best([(&movers, 1, pairs), (&movers, 2, pairs)]);
    for (threads, run) in [(1, one), (2, two)] {
        println!(
            "  {threads} at a time: {:>7.1} games/s, a ply {:>5.1} µs of the runner and {:.1} µs of the engines, {:.0} plies a game",
            run.games_per_second(),
            run.runner * 1e6 / run.plies as f64,
            run.engines * 1e6 / run.plies as f64,
            run.plies as f64 / run.games as f64,
        );
    }

    for model in ["chess/classic", "chess/material"] {
        // Fewer through UCI, which takes its time; it is the speed that is compared.
        let few = pairs.div_ceil(4);
        println!("{model} against itself, nodes=1000, {} games, and {} through UCI", 2 * pairs, 2 * few);
        let ours = [player(model), player(model)];
        let by_uci = [through_uci(model), through_uci(model)];
        let [one, two, uci, uci_two] =
            best([(&ours, 1, pairs), (&ours, 2, pairs), (&by_uci, 1, few), (&by_uci, 2, few)]);
        let line = |name: &str, run: &Measured, base: &Measured| {
            println!(
                "  {name:<24} {:>7.1} games/s, {:.2} times, {:.0} µs of processor a ply",
                run.games_per_second(),
                run.games_per_second() / base.games_per_second(),
                (run.runner + run.engines) * 1e6 / run.plies as f64,
            );
        };
        line("through UCI, 1 at a time", &uci, &uci);
        line("at the board, 1", &one, &uci);
        line("through UCI, 2 at a time", &uci_two, &uci_two);
        line("at the board, 2", &two, &uci_two);
        println!("  2 cores are {:.2} times 1 core", two.games_per_second() / one.games_per_second());
    }
}

fn contestant(name: &str, competitor: Competitor, limits: &str) -> Contestant {
    let limits: Limits = limits.parse().expect("limits");
    Contestant { name: name.to_owned(), competitor, limits, time_margin_ms: 0 }
}

fn random_mover(seed: u32) -> Contestant {
    let spec = EngineSpec::new(env!("CARGO_BIN_EXE_random-mover")).with_args([seed.to_string()]);
    contestant("mover", Competitor::Engine(spec), "nodes=1")
}

fn player(model: &str) -> Contestant {
    contestant(model, Competitor::Player(Player::load(model).expect("a model")), "nodes=1000")
}

fn through_uci(model: &str) -> Contestant {
    let program = std::env::current_exe().expect("this program");
    let spec = EngineSpec::new(program).with_args(["uci"]).with_option("Model", model);
    contestant(model, Competitor::Engine(spec), "nodes=1000")
}

/// What a match took.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    games: u64,
    plies: u64,
    seconds: f64,
    /// Seconds of all processors.
    runner: f64,
    engines: f64,
}

impl Measured {
    fn games_per_second(&self) -> f64 {
        self.games as f64 / self.seconds
    }
}

/// The best measurement of each match on so many threads and of so many pairs, taking turns.
fn best<const N: usize>(matches: [(&[Contestant; 2], usize, u64); N]) -> [Measured; N] {
    let mut best = [Measured::default(); N];
    for _ in 0..TURNS {
        for (best, (contestants, threads, pairs)) in best.iter_mut().zip(matches) {
            let measured = measure(contestants, threads, pairs);
            if best.games == 0 || measured.games_per_second() > best.games_per_second() {
                *best = measured;
            }
        }
    }
    best
}

/// Plays pairs of games, and writes them down as a match does.
fn measure(contestants: &[Contestant; 2], threads: usize, pairs: u64) -> Measured {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::open(&folder.path().join("bench.db")).expect("a journal");
    let openings = Openings::new(Book::chess960(), OpeningOrder::Random, 1, std::num::NonZeroU64::MIN);
    let executor = Local::new(threads).expect("threads");
    let tasks = (0..pairs).flat_map(|number| {
        let opening = openings.opening(number);
        [[0, 1], [1, 0]].map(|sides| {
            let [white, black] = sides.map(|index| contestants[index].clone());
            (number, GameTask::new(&opening, white, black, Adjudication::default(), number).into())
        })
    });
    let mut waiting: HashMap<u64, Vec<GameOutcome>> = HashMap::new();
    let mut measured = Measured::default();
    let ([runner, engines], start) = (cpu_seconds(), Instant::now());
    submit_all(&executor, tasks, &AtomicBool::new(false), |number, outcome| {
        let Ok(TaskOutcome::Game(game)) = outcome else {
            panic!("a game that cannot be played: {outcome:?}")
        };
        assert!(game.fault.is_none(), "an engine that fails: {game:?}");
        measured.games += 1;
        measured.plies += game.moves.len() as u64;
        let games = waiting.entry(number).or_default();
        games.push(game);
        if games.len() == 2 {
            journal.record(number, &waiting.remove(&number).unwrap_or_default()).expect("a journal to write");
        }
        ControlFlow::Continue(())
    });
    drop(executor);
    measured.seconds = start.elapsed().as_secs_f64();
    let after = cpu_seconds();
    (measured.runner, measured.engines) = (after[0] - runner, after[1] - engines);
    measured
}

/// The time that all processors gave to this process, and to those that it has seen end.
fn cpu_seconds() -> [f64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = stat.rsplit_once(')').expect("a name").1.split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(4).map(|field| field.parse().expect("a number")).collect();
    // A hundred ticks a second, as Linux counts for programs.
    [(ticks[0] + ticks[1]) / 100.0, (ticks[2] + ticks[3]) / 100.0]
}
