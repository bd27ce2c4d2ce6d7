//! What matches cost beside thinking, as ratios in one run: games of random movers by UCI, players of our own at the
//! board and through UCI, one core and two.
//!
//! The first number among the arguments is how many pairs of games a measurement takes. With `uci` as its argument it
//! is itself the engine that it plays against.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use gamete_arena::uci::{EngineCatalog, EngineSpec, serve};
use gamete_arena::{
    Adjudication, Book, Competitor, Contestant, GameFiles, Limits, Local, LocalOptions, MatchEvent,
    MatchPlan, MatchRules, MatchRunner, OpeningOrder, OpeningPolicy, OpeningSource, Openings, Player,
    ProgramWatch, Tournament, WorkspaceOptions,
};
use gamete_chess::Position;
use gamete_lab::MatchStore;

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

fn contestant(name: &str, competitor: Competitor<EngineSpec>, limits: &str) -> Contestant<EngineSpec> {
    let limits: Limits = limits.parse().expect("limits");
    Contestant { name: name.to_owned(), competitor, limits, time_margin_ms: 0 }
}

fn random_mover(seed: u32) -> Contestant<EngineSpec> {
    let program = Path::new(env!("CARGO_BIN_EXE_gamete")).with_file_name("random-mover");
    assert!(program.exists(), "`cargo build --release -p gamete-arena --bins` makes {}", program.display());
    let spec = EngineSpec::new(program).with_args([seed.to_string()]);
    contestant("mover", Competitor::Engine(spec), "nodes=1")
}

fn player(model: &str) -> Contestant<EngineSpec> {
    contestant(model, Competitor::Player(Player::load(model).expect("a model")), "nodes=1000")
}

fn through_uci(model: &str) -> Contestant<EngineSpec> {
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
fn best<const N: usize>(matches: [(&[Contestant<EngineSpec>; 2], usize, u64); N]) -> [Measured; N] {
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

/// Plays pairs of games with the match runner, and writes them down as a match does.
fn measure(contestants: &[Contestant<EngineSpec>; 2], threads: usize, pairs: u64) -> Measured {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = MatchStore::open(&folder.path().join("bench.db")).expect("a journal");
    let openings = Openings::new(Book::<Position>::chess960(), OpeningOrder::Random, 1, NonZeroU64::MIN);
    let mut engines = EngineCatalog::default();
    let named = |(index, contestant): (usize, &Contestant<EngineSpec>)| {
        contestant.clone().map_engine(|spec| engines.add(&index.to_string(), spec, None))
    };
    let contestants = contestants.iter().enumerate().map(named).collect();
    let engines = Arc::new(engines);
    let plan = MatchPlan {
        contestants,
        engines: Arc::clone(&engines),
        rules: MatchRules {
            tournament: Tournament::RoundRobin,
            rounds: pairs,
            games: 2,
            swap: true,
            reverse: false,
            sprt: None,
            seed: 1,
        },
        openings: OpeningSource::of_book(openings),
        policy: OpeningPolicy::Round,
        adjudication: Adjudication::default(),
        recover: false,
        details: false,
    };
    let plies = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&plies);
    let observer = move |event: &MatchEvent<'_>| {
        if let MatchEvent::EncounterCounted(counted) = event {
            let plies: usize = counted.games.iter().map(|game| game.outcome.moves.len()).sum();
            counter.fetch_add(plies as u64, Ordering::Relaxed);
        }
        Ok(())
    };
    let workspace = WorkspaceOptions { engines, ..WorkspaceOptions::default() };
    let local = LocalOptions { threads, workspace, ..LocalOptions::default() };
    let executor = Local::with_options(local).expect("threads");
    let ([runner, engines], start) = (cpu_seconds(), Instant::now());
    let (files, programs) = (GameFiles::default(), ProgramWatch::default());
    let played = MatchRunner::new(&plan, &journal, files, programs, Arc::default(), Arc::new(observer))
        .and_then(|runner| runner.run(&executor))
        .expect("a match");
    assert!(played.failure.is_none(), "an engine that fails: {:?}", played.failure);
    drop(executor);
    let seconds = start.elapsed().as_secs_f64();
    let after = cpu_seconds();
    Measured {
        games: played.encounters * 2,
        plies: plies.load(Ordering::Relaxed),
        seconds,
        runner: after[0] - runner,
        engines: after[1] - engines,
    }
}

/// The time that all processors gave to this process, and to those that it has seen end.
fn cpu_seconds() -> [f64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = stat.rsplit_once(')').expect("a name").1.split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(4).map(|field| field.parse().expect("a number")).collect();
    // A hundred ticks a second, as Linux counts for programs.
    [(ticks[0] + ticks[1]) / 100.0, (ticks[2] + ticks[3]) / 100.0]
}
