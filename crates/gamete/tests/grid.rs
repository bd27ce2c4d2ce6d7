//! The program on a grid: coordinators, workers and a broker as processes, and what becomes of them when they are killed.

#[path = "common/broker.rs"]
mod broker;
mod common;
#[path = "common/grid.rs"]
mod grid;
#[path = "common/needs.rs"]
mod needs;

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use broker::Broker;
use common::{Run, folder, is_full};
use gamete_arena::{
    Contestant, Executor as _, Fake, GameName, GameTask, Limits, Player, Puzzle, Rng, SolveTask, Task,
    Workspace, WorkspaceOptions,
};
use gamete_grid::{Access, Grid, GridOptions, Lease, Notices, Share, Worker, WorkerOptions};
use grid::{Process, SMALL, assert_same, evolve, json, start_broker};
use needs::{nats_server, needing};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

needing! {
    an_evolution_has_the_same_bytes_on_a_grid: [nats_server()],
    a_lying_worker_does_not_change_an_experiment: [nats_server()],
    matches_tunes_and_comparisons_are_the_same_on_a_grid: [nats_server()],
    a_comparison_that_is_interrupted_leaves_nothing_at_the_broker: [nats_server()],
    an_engine_plays_where_it_is_known_by_name: [nats_server()],
    options_that_name_files_are_refused_on_a_grid: [nats_server()],
    games_that_cannot_be_checked_are_told_of: [nats_server()],
    what_nobody_resumes_is_removed_from_the_broker: [nats_server()],
    kills_of_anybody_change_an_evolution_in_nothing: [nats_server()],
    kills_of_anybody_change_a_tune_in_nothing: [nats_server()],
    a_worker_leaves_on_ctrl_c: [nats_server()],
    a_game_in_hand_is_returned_on_a_second_ctrl_c: [nats_server()],
    a_worker_leaves_where_there_is_no_broker: [nats_server()],
    a_worker_leaves_when_its_broker_is_gone: [nats_server()],
    a_worker_runs_at_low_priority_if_asked: [priorities()],
    bad_grids_are_refused_in_words: [nats_server()],
}

fn an_evolution_has_the_same_bytes_on_a_grid() {
    let here = folder();
    let whole = json(&evolve(here.path(), &SMALL));
    let broker = start_broker();
    let url = broker.url();
    for workers in [1, 4] {
        let _workers: Vec<Process> = (0..workers).map(|_| Process::worker(&broker)).collect();
        let lab = folder();
        assert_same(&whole, &json(&evolve(lab.path(), &[&SMALL[..], &["--grid", &url]].concat())));
    }
    // A coordinator with cores of its own needs nobody.
    let lab = folder();
    let run = evolve(lab.path(), &[&SMALL[..], &["--grid", &url, "--local", "2"]].concat());
    assert_same(&whole, &json(&run));
}

/// A worker that has the players change colours.
fn liar(broker: &Broker) -> Worker {
    let lie = |task: &Task| {
        let mut task = task.clone();
        if let Task::Game(game) = &mut task {
            let GameTask { white, black, .. } = &mut **game;
            std::mem::swap(white, black);
        }
        Workspace::new(&WorkspaceOptions::default()).run(&task)
    };
    worker_of_this_process(broker, "liar", Fake::new(lie))
}

fn worker_of_this_process(broker: &Broker, name: &str, executor: Fake) -> Worker {
    let options = WorkerOptions {
        access: Access::new(broker.url()),
        name: name.to_owned(),
        concurrency: 1,
        engines: Arc::default(),
        speed: None,
        cache: None,
        notices: Notices::default(),
        only: None,
        patient: false,
    };
    Worker::with_executor(options, Box::new(executor)).expect("a worker")
}

fn a_lying_worker_does_not_change_an_experiment() {
    let here = folder();
    let whole = json(&evolve(here.path(), &SMALL));
    let broker = start_broker();
    let url = broker.url();
    let on_grid = [&SMALL[..], &["--grid", &url]].concat();
    let _liar = liar(&broker);
    let lab = folder();
    let believed = json(&evolve(lab.path(), &on_grid));
    assert_ne!(believed["digest"], whole["digest"], "nobody looks");
    let _workers = [(); 2].map(|()| Process::worker(&broker));
    let lab = folder();
    let run = evolve(lab.path(), &[&on_grid[..], &["--check-workers", "10%"]].concat());
    assert_same(&whole, &json(&run));
    assert!(
        run.err.contains("warning: worker liar (") && run.err.contains(" is wrong about task "),
        "{}",
        run.err
    );
}

/// Waits for something that comes sooner or later.
fn wait_until(what: &str, mut is_there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_there() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn matches_tunes_and_comparisons_are_the_same_on_a_grid() {
    let broker = start_broker();
    let mut workers = vec![Process::worker(&broker)];
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let run = |text: &str| {
        let run = common::gamete(words(text));
        assert_eq!(run.status, Some(0), "{text}: {}", run.err);
        run.out
    };
    let on_grid = format!("-grid {}", broker.url());
    let play = |name: &str, grid: &str| {
        let pgn = path(&format!("{name}.pgn"));
        run(&format!(
            "match -engine model=chess/material -engine model=chess/kendall-whitwell -each nodes=100 -rounds 2 \
             -srand 3 -maxmoves 30 -json -pgnout {pgn} {grid}"
        ));
        std::fs::read_to_string(pgn).expect("games")
    };
    let tune = |lab: &str, grid: &str| {
        let lab = path(lab);
        let out = run(&format!(
            "tune -engine model=chess/material -params auto -each nodes=40 -games 20 -maxmoves 30 -verify games=0 \
             -json -lab {lab} {grid}"
        ));
        serde_json::from_str::<Value>(&out).expect("one JSON object")["digest"].clone()
    };
    let compare = |grid: &str| {
        run(&format!(
            "compare chess/material chess/kendall-whitwell --limits nodes=40 --pairs 2 --json --lab {} {}",
            path("here"),
            grid.replace("-grid", "--grid")
        ))
    };
    let (games, tuned, compared) = (play("here", ""), tune("here", ""), compare(""));
    for count in [1, 4] {
        workers.resize_with(count, || Process::worker(&broker));
        let name = format!("with-{count}");
        assert_eq!(play(&name, &on_grid), games, "{count} workers");
        let journal = std::fs::read(path(&format!("{name}.pgn.db"))).expect("a journal");
        assert!(
            !journal.windows(7).any(|bytes| bytes == b"nats://"),
            "where it is played is no part of a match"
        );
        assert_eq!(tune(&name, &on_grid), tuned, "{count} workers");
        assert_eq!(compare(&on_grid), compared, "{count} workers");
    }
    // On a busy machine, a worker may take a while to answer.
    wait_until("all workers, and nothing else", || {
        let status = status(&broker);
        let workers = status["workers"].as_array().expect("workers");
        workers.iter().map(|worker| &worker["concurrency"]).eq([&Value::from(1); 4])
            && status["experiments"] == serde_json::json!([])
    });
}

/// What `grid status` says.
fn status(broker: &Broker) -> Value {
    json(&common::gamete(["grid", "status", &broker.url(), "--wait", "1", "--json"]))
}

fn a_comparison_that_is_interrupted_leaves_nothing_at_the_broker() {
    let broker = start_broker();
    let folder = folder();
    // There has to be a lab, though nothing of it is compared.
    json(&evolve(folder.path(), &SMALL));
    let experiments = || status(&broker)["experiments"].as_array().expect("experiments").len();
    let lab = folder.path().display().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(words("compare chess/material chess/kendall-whitwell --limits nodes=40 --pairs 2 --json"));
    command.args(["--lab", &lab, "--grid", &broker.url()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Nobody plays.
    let compare = command.spawn().expect("a program to run");
    wait_until("an experiment at the broker", || experiments() == 1);
    kill_process(Pid::from_child(&compare), Signal::INT).expect("a process");
    let run = Run::new(compare.wait_with_output().expect("an end"));
    assert_eq!((run.status, run.out.as_str()), (Some(130), ""), "{}", run.err);
    assert_eq!(experiments(), 0);
}

fn an_engine_plays_where_it_is_known_by_name() {
    let broker = start_broker();
    let engine = common::test_engine("random-mover").display().to_string();
    let folder = folder();
    let file = folder.path().join("engines.toml").display().to_string();
    std::fs::write(&file, format!("[engines.mover]\ncmd = '{engine}'\n")).expect("a file");
    let _without = Process::worker(&broker);
    let _with = Process::start(&["worker", &broker.url(), "--concurrency", "1", "--engines", &file]);
    let run = common::run_match(
        folder.path(),
        &format!(
            "-engine cmd={engine} name=mover -engine model=chess/material -each nodes=20 -rounds 2 -maxmoves 10 -json \
             -grid {}",
            broker.url()
        ),
    );
    assert_eq!(run.status, Some(0), "{}", run.err);
    let found: Value = serde_json::from_str(&run.out).expect("one JSON object");
    assert_eq!(found["games"], 4);
}

fn options_that_name_files_are_refused_on_a_grid() {
    let engine = common::test_engine("random-mover").display().to_string();
    let folder = folder();
    let net = folder.path().join("a.nnue").display().to_string();
    std::fs::write(&net, "net").expect("a file");
    // Before a broker is looked for.
    let on_grid = "-grid nats://127.0.0.1:1";
    let match_ = format!(
        "-engine cmd={engine} name=mover option.EvalFile={net} -engine model=chess/material -each nodes=20 -rounds 1 \
         -maxmoves 10 {on_grid}"
    );
    // A shell is told the options of an engine that has a net.
    let script = folder.path().join("engine.sh").display().to_string();
    let text = "while read line; do case $line in uci) echo option name Depth type spin default 4 min 0 max 9; \
                echo option name EvalFile type string default none; echo uciok;; isready) echo readyok;; quit) exit 0;; esac; done\n";
    std::fs::write(&script, text).expect("a file");
    let tune = format!(
        "tune -engine cmd=sh args={script} option.EvalFile={net} -params auto -each nodes=20 -games 8 -maxmoves 10 -verify games=0 \
         -lab {} {on_grid}",
        folder.path().join("lab").display()
    );
    for (run, name) in
        [(common::run_match(folder.path(), &match_), "mover"), (common::gamete(words(&tune)), "sh-")]
    {
        assert_eq!(run.status, Some(1), "{}", run.err);
        let error = format!(
            ": the option EvalFile={net} names a file of this machine, which workers do not have; games with it cannot be played \
             on a grid"
        );
        let line =
            run.err.lines().find(|line| line.contains(&error)).unwrap_or_else(|| panic!("{}", run.err));
        assert!(line.starts_with(&format!("error: {name}")), "{line}");
    }
}

fn games_that_cannot_be_checked_are_told_of() {
    let broker = start_broker();
    let _worker = Process::worker(&broker);
    let told = |limits: &str| {
        let folder = folder();
        let run = common::run_match(
            folder.path(),
            &format!(
                "-engine model=chess/material -engine model=chess/kendall-whitwell -each {limits} -rounds 1 -maxmoves 4 \
                 -grid {} -local 1 -check-workers 2%",
                broker.url()
            ),
        );
        assert_eq!(run.status, Some(0), "{}", run.err);
        run.err.matches("warning: no game so far can be checked: ").count()
    };
    assert_eq!([told("st=0.02"), told("nodes=20")], [1, 0]);
}

fn what_nobody_resumes_is_removed_from_the_broker() {
    let broker = start_broker();
    let lab = folder();
    let path = lab.path().display().to_string();
    let words = ["evolve", "--verify", "0", "--lab", &path, "--grid", &broker.url()];
    // Nobody plays.
    let mut coordinator = Process::start(&[&words[..], &SMALL].concat());
    let slugs = || {
        let found = status(&broker)["experiments"].clone();
        let slug = |one: &Value| one["slug"].as_str().expect("a name").to_owned();
        found.as_array().expect("experiments").iter().map(slug).collect::<Vec<_>>()
    };
    wait_until("an experiment at the broker", || !slugs().is_empty());
    let slug = slugs().remove(0);
    let remove = |name: &str| {
        let run = common::gamete(["grid", "remove", &broker.url(), name]);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        (run.status, run.err)
    };
    let (status, error) = remove(&slug);
    assert_eq!(status, Some(1));
    assert!(error.contains(&format!("{slug} is running: its coordinator answers; ")), "{error}");
    coordinator.kill();
    let (status, error) = remove("study");
    assert_eq!(status, Some(1));
    assert!(error.contains(&format!("the broker has no experiment study; it has {slug}")), "{error}");
    assert_eq!(remove(&slug), (Some(0), format!("removed {slug}\n")));
    assert_eq!(slugs(), [""; 0]);
}

fn kills_of_anybody_change_an_evolution_in_nothing() {
    let size =
        if is_full() { ["population=24", "generations=30"] } else { ["population=14", "generations=12"] };
    let args = ["--set", size[0], "--set", size[1]];
    let here = folder();
    let whole = json(&evolve(here.path(), &args));
    let (mut broker, labs) = (start_broker(), folder());
    let url = broker.url();
    let on_grid = [&args[..], &["--grid", &url, "--grid-lease", "1"]].concat();
    let command = |lab: &Path| {
        let lab = lab.display().to_string();
        let words = [&["evolve", "--verify", "0", "--json", "--lab", &lab], &on_grid[..]].concat();
        words.into_iter().map(str::to_owned).collect()
    };
    let killed = kill_anybody(&mut broker, command, labs.path(), 7);
    for lab in &killed.labs {
        assert_same(&whole, &json(&evolve(lab, &on_grid)));
    }
}

fn kills_of_anybody_change_a_tune_in_nothing() {
    let games = if is_full() { 4_000 } else { 600 };
    let folder = folder();
    let command = |lab: &Path| {
        words(&format!(
            "tune -engine model=chess/material -params auto -each nodes=100 -games {games} -maxmoves 40 -verify games=0 \
             -srand 3 -json -lab {}",
            lab.display()
        ))
    };
    let digest = |words: &[String]| json(&common::gamete(words))["digest"].clone();
    let whole = digest(&command(&folder.path().join("here")));
    let mut broker = start_broker();
    let grid = words(&format!("-grid {} -grid-lease 1", broker.url()));
    let on_grid = |lab: &Path| [command(lab), grid.clone()].concat();
    let killed = kill_anybody(&mut broker, on_grid, &folder.path().join("grid"), 8);
    for lab in &killed.labs {
        assert_eq!(whole, digest(&on_grid(lab)));
    }
}

/// A coordinator that writes what happens into a file.
fn told_coordinator(words: &[String], said: &Path) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(File::create(said).expect("a file"));
    Process(command.spawn().expect("a program to run"))
}

/// How many games are in the journals of a lab.
fn games(lab: &Path) -> u64 {
    let run = common::gamete(["list", "--lab", &lab.display().to_string(), "--json"]);
    // A lab that is being made cannot be read.
    let found: Value = serde_json::from_str(&run.out).unwrap_or_default();
    found.as_array().into_iter().flatten().filter_map(|one| one["games"].as_u64()).sum()
}

/// Labs whose runs have seen kills, and the workers that are left.
struct Killed {
    labs: Vec<PathBuf>,
    _workers: [Process; 2],
}

/// Starts a coordinator with these words, and two workers; kills any of them or the broker at random moments, 20 times or 100, and
/// starts them again. All that is killed is running, and so is the coordinator whoever is killed; before every other kill, games were
/// played since the one before. Where a run is over before that, which depends on the machine, the next begins in a lab of its own.
fn kill_anybody(
    broker: &mut Broker,
    words: impl Fn(&Path) -> Vec<String>,
    all_labs: &Path,
    seed: u64,
) -> Killed {
    const MOST_RUNS: usize = 20;
    let kills = if is_full() { 100 } else { 20 };
    let lab = |number: usize| all_labs.join(number.to_string());
    let mut labs = vec![lab(0)];
    let folder = folder();
    let said = folder.path().join("said");
    let begin = |labs: &[PathBuf]| told_coordinator(&words(&labs[labs.len() - 1]), &said);
    let mut coordinator = begin(&labs);
    let mut workers = [(); 2].map(|()| Process::worker(broker));
    let mut rng = Rng::new(seed);
    let mut landed = [0; 3];
    let (mut played, mut since) = (0, Instant::now());
    let mut pause = Duration::from_millis(50);
    loop {
        std::thread::sleep(pause);
        if let Some(status) = coordinator.0.try_wait().expect("a child") {
            if status.code() == Some(0) {
                assert!(labs.len() < MOST_RUNS, "{landed:?} kills in {MOST_RUNS} runs; make them longer");
                labs.push(lab(labs.len()));
                (played, since) = (0, Instant::now());
            } else {
                // One that finds no broker while that is being started again ends by itself.
                let said_last = std::fs::read_to_string(&said).expect("text");
                let error = said_last.lines().rfind(|line| line.starts_with("error: ")).unwrap_or_default();
                let no_broker = ["no broker at ", " has no JetStream (", "the broker cannot "];
                assert!(no_broker.iter().any(|part| error.contains(part)), "{said_last}");
            }
            coordinator = begin(&labs);
            continue;
        }
        let count: u32 = landed.iter().sum();
        // A run goes on after the last of them.
        if count == kills {
            break;
        }
        let games = games(&labs[labs.len() - 1]);
        if count.is_multiple_of(2) && games == played {
            assert!(since.elapsed() < Duration::from_secs(120), "nobody plays after {landed:?} kills");
            pause = Duration::from_millis(20);
            continue;
        }
        (played, since) = (games, Instant::now());
        pause = Duration::from_millis(50 + rng.below(400));
        match rng.below(3) {
            0 => {
                landed[0] += u32::from(coordinator.kill());
                coordinator = begin(&labs);
            }
            1 => {
                let victim = &mut workers[rng.below(2) as usize];
                landed[1] += u32::from(victim.kill());
                *victim = Process::worker(broker);
            }
            _ => {
                broker.restart();
                landed[2] += 1;
            }
        }
    }
    eprintln!("{landed:?} kills of coordinators, workers and brokers");
    assert!(landed.iter().all(|&kills| kills > 0), "{landed:?} kills of coordinators, workers and brokers");
    coordinator.kill();
    Killed { labs, _workers: workers }
}

fn a_worker_leaves_on_ctrl_c() {
    let broker = start_broker();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    let words = ["worker", &broker.url(), "--concurrency", "2", "--name", "attic"];
    let worker =
        command.args(words).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a program to run");
    let id = Pid::from_child(&worker);
    let here = folder();
    // When an evolution is over, the worker is there.
    json(&evolve(here.path(), &[&SMALL[..], &["--grid", &broker.url()]].concat()));
    kill_process(id, Signal::INT).expect("a process");
    let run = Run::new(worker.wait_with_output().expect("an end"));
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.err.starts_with("worker attic: 2 games at a time for nats://127.0.0.1:"), "{}", run.err);
    assert!(run.err.contains("finishing the games in hand"), "{}", run.err);
    assert!(run.err.contains("worker attic: left after 30 games, 0 failed"), "{}", run.err);
}

/// A worker that says on standard error what happens, and the lines of it.
fn told_worker(url: &str) -> (Process, std::io::Lines<BufReader<std::process::ChildStderr>>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(["worker", url, "--concurrency", "1", "--name", "attic"]);
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    let mut worker = command.spawn().expect("a program to run");
    let lines = BufReader::new(worker.stderr.take().expect("a pipe")).lines();
    (Process(worker), lines)
}

/// A position to be solved.
fn position(limits: Limits) -> Task {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    let puzzle = Puzzle { fen, best: vec!["e4".to_owned()], avoid: Vec::new() };
    let solver = Contestant::new(Player::load("chess/material").expect("a model"), limits);
    SolveTask { game: GameName::Chess, solver, hash_mb: 1, positions: vec![puzzle] }.into()
}

/// Waits until a worker has a task, as `grid status` says it in words.
fn wait_for_status(broker: &Broker, name: &str, slug: &str) {
    let line = format!(
        "  {slug}: 0 told, 1 open; 0 in the queue, 1 given out (0 not for the first time), 0 outcomes waiting; 0 sent again, 0 failed"
    );
    wait_until(&line, || {
        let run = common::gamete(["grid", "status", &broker.url(), "--wait", "1"]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        let lines: Vec<&str> = run.out.lines().collect();
        let is_there = |line: &str| lines.contains(&line);
        let is_free = |line: &&&str| line.starts_with(&format!("  {name}    1 at a time "));
        let about = lines.iter().find(is_free).copied().unwrap_or_default();
        is_there("1 worker, 1 game at a time")
            && about.contains(" 0 done       0 failed  1 experiment of ")
            && is_there("1 experiment")
            && is_there(&line)
    });
}

fn a_game_in_hand_is_returned_on_a_second_ctrl_c() {
    let broker = start_broker();
    for signal in [Signal::INT, Signal::TERM] {
        // Its lease ends after five minutes.
        let grid = Grid::start(GridOptions {
            access: Access::new(broker.url()),
            experiment: "test".to_owned(),
            home: None,
            fresh: false,
            stop: Arc::default(),
            lease: Lease::default(),
            checked: Share::default(),
            reference: None,
            notices: Notices::default(),
        });
        let grid = grid.expect("a grid");
        let (mut first, mut lines) = told_worker(&broker.url());
        let (sender, outcomes) = mpsc::channel();
        let endless = position(Limits::nodes(u64::MAX));
        let listener = move |_: Task, outcome| sender.send(outcome).expect("somebody who listens");
        grid.submit(endless.key(), endless, Box::new(listener));
        wait_for_status(&broker, "attic", grid.slug());
        let id = Pid::from_child(&first.0);
        if signal == Signal::INT {
            kill_process(id, signal).expect("a process");
            let is_finishing = |line: &std::io::Result<String>| {
                line.as_ref()
                    .expect("text")
                    .contains("finishing the games in hand; once more to give them back now")
            };
            assert!(lines.any(|line| is_finishing(&line)));
        }
        assert!(first.0.try_wait().expect("a child").is_none());
        kill_process(id, signal).expect("a process");
        assert_eq!(first.0.wait().expect("an end").code(), Some(0));
        let rest: Vec<String> = lines.map(|line| line.expect("text")).collect();
        assert!(
            rest.iter().any(|line| line.contains("worker attic: left after 0 games, 0 failed")),
            "{rest:?}"
        );
        let quick = |_: &Task| Workspace::new(&WorkspaceOptions::default()).run(&position(Limits::nodes(20)));
        let _second = worker_of_this_process(&broker, "cellar", Fake::new(quick));
        let outcome =
            outcomes.recv_timeout(Duration::from_secs(60)).expect("an outcome before the lease ends");
        assert!(outcome.is_ok());
        grid.finish();
    }
}

fn a_worker_leaves_where_there_is_no_broker() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (mut worker, mut lines) = told_worker("nats://127.0.0.1:1");
        let line = lines.next().expect("a line").expect("text");
        assert!(line.contains("no broker at nats://127.0.0.1:1") && line.contains("trying again"), "{line}");
        kill_process(Pid::from_child(&worker.0), signal).expect("a process");
        assert_eq!(worker.0.wait().expect("an end").code(), Some(0));
        let rest: Vec<String> = lines.map(|line| line.expect("text")).collect();
        assert!(rest.iter().any(|line| line.contains("left before it reached the broker")), "{rest:?}");
    }
}

fn a_worker_leaves_when_its_broker_is_gone() {
    let mut broker = start_broker();
    let (mut worker, mut lines) = told_worker(&broker.url());
    lines.next().expect("a line").expect("text");
    broker.kill();
    let line = lines.next().expect("a line").expect("text");
    assert!(line.contains("is away; trying to reach it again"), "{line}");
    kill_process(Pid::from_child(&worker.0), Signal::INT).expect("a process");
    assert_eq!(worker.0.wait().expect("an end").code(), Some(0));
    let rest: Vec<String> = lines.map(|line| line.expect("text")).collect();
    assert!(rest.iter().any(|line| line.contains("left after 0 games")), "{rest:?}");
}

/// Where Linux tells the priority of a process.
fn priorities() -> needs::Need {
    let path = Path::new("/proc/self/stat").to_owned();
    if path.exists() { Ok(path) } else { Err("there is no /proc/self/stat".to_owned()) }
}

fn a_worker_runs_at_low_priority_if_asked() {
    // It goes on trying where there is no broker.
    let worker = Process::start(&["worker", "nats://127.0.0.1:1", "--nice"]);
    wait_until("its priority", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", worker.0.id())).expect("a process");
        let fields: Vec<_> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
        fields[16] == "19"
    });
}

fn bad_grids_are_refused_in_words() {
    let here = folder();
    let refused = |args: &[&str]| {
        let run = evolve(here.path(), args);
        assert_eq!(run.status, Some(1), "{}", run.err);
        run.err
    };
    let error = refused(&["--grid", "nats://me:secret@127.0.0.1:1"]);
    assert!(error.contains("no broker at nats://127.0.0.1:1") && !error.contains("secret"), "{error}");
    let error = refused(&["--grid", "nats://127.0.0.1:1", "--grid-password-file", "missing"]);
    assert!(error.contains("missing"), "{error}");
    let file = here.path().join("engines.toml");
    std::fs::write(&file, "[engines.x]\ncmd = 'x'\nshell = true\n").expect("a file");
    let run = common::gamete(["worker", "nats://127.0.0.1:1", "--engines", &file.display().to_string()]);
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("engines.toml") && run.err.contains("shell"), "{}", run.err);
    std::fs::write(&file, "[engines.x]\ncmd = 'x'\noptions = [['Hash', '1']]\n").expect("a file");
    let run = common::gamete(["worker", "nats://127.0.0.1:1", "--engines", &file.display().to_string()]);
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("engines.x: options come with each game"), "{}", run.err);
    let text = |cmd: &str| format!("[engines.x]\ncmd = '{cmd}'\n");
    for cmd in ["/missing/stockfish", "nobody-has-this"] {
        std::fs::write(&file, text(cmd)).expect("a file");
        let run = common::gamete(["worker", "nats://127.0.0.1:1", "--engines", &file.display().to_string()]);
        assert_eq!((run.status, run.err.lines().count()), (Some(1), 1), "{}", run.err);
        let error = format!(
            "engines.toml: engines.x: cmd = {cmd:?} is no program that can be run here; correct the path, or leave this engine out"
        );
        assert!(run.err.contains(&error), "{}", run.err);
    }
}
