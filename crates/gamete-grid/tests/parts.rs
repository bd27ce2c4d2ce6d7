//! What many tasks have in common, large players and lists of positions: it is kept at the broker, and fetched once a worker.

use std::path::{Path, PathBuf};

use broker::Broker;
use common::{
    Lines, expected, large_task, next, options, start, submit, wait_until, with_streams, worker_options,
};
use gamete_arena::{Contestant, GameName, Limits, Player, Puzzle, Rng, SolveTask, Task};
use gamete_grid::{Access, Grid, GridOptions, Worker, WorkerOptions};
use needs::{nats_server, needing};

#[path = "../../gamete/tests/common/broker.rs"]
mod broker;
mod common;
#[path = "../../gamete/tests/common/needs.rs"]
mod needs;

needing! {
    a_player_of_many_games_is_fetched_once: [nats_server()],
    what_is_cached_is_checked_by_its_hash: [nats_server()],
    a_part_that_could_not_be_fetched_is_fetched_later: [nats_server()],
    a_worker_that_can_fetch_nothing_stops_nobody: [nats_server()],
    a_worker_without_room_says_so: [nats_server()],
    a_task_larger_than_a_message_is_done: [nats_server()],
}

const BUCKET: &str = "gamete-parts";

fn do_all(grid: &Grid, tasks: &[Task]) {
    let mut count = 0;
    for (number, outcome) in &submit(grid, tasks.to_vec()) {
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
        count += 1;
    }
    assert_eq!(count, tasks.len());
}

/// What the object store has, by name.
fn objects(broker: &Broker) -> Vec<String> {
    let mut names = Vec::new();
    with_streams(broker, |context, _| {
        let names = &mut names;
        async move {
            use futures_util::TryStreamExt as _;
            let Ok(store) = context.get_object_store(BUCKET).await else { return };
            let infos: Vec<_> = store.list().await.expect("a list").try_collect().await.expect("objects");
            names.extend(infos.into_iter().map(|info| info.name));
        }
    });
    names
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn cached_worker(broker: &Broker, cache: &Path, lines: &Lines) -> Worker {
    let (cache, notices) = (Some(cache.to_owned()), lines.notices());
    Worker::start(WorkerOptions { cache, notices, ..worker_options(broker) }).expect("a worker")
}

fn a_player_of_many_games_is_fetched_once() {
    let (broker, folder, lines) = (start(), tempfile::tempdir().expect("a folder"), Lines::default());
    let worker = cached_worker(&broker, folder.path(), &lines);
    let grid = Grid::start(GridOptions { notices: lines.notices(), ..options(&broker) }).expect("a grid");
    do_all(&grid, &(0..100).map(large_task).collect::<Vec<_>>());
    let (kept, cached) = (objects(&broker), files(folder.path()));
    assert_eq!((kept.len(), cached.len()), (1, 1), "{kept:?} {cached:?}");
    assert!(cached[0].ends_with(&kept[0]), "{kept:?} {cached:?}");
    // A player with few weights goes with its tasks.
    do_all(&grid, &(0..100).map(common::task).collect::<Vec<_>>());
    assert_eq!(objects(&broker), kept);
    // One who comes back finds what is there.
    drop(worker);
    let left = submit(&grid, [common::task(1_000)]);
    wait_until("a task in the queue", || (common::messages(&broker, "tasks") > 0).then_some(()));
    drop((grid, left));
    assert_eq!(objects(&broker), kept);
    let _worker = cached_worker(&broker, folder.path(), &lines);
    let grid = Grid::start(options(&broker)).expect("a grid");
    do_all(&grid, &(0..100).map(large_task).collect::<Vec<_>>());
    assert_eq!(objects(&broker), kept);
    grid.finish();
    assert_eq!(objects(&broker), Vec::<String>::new(), "nothing is left of an experiment");
    wait_until("an empty cache", || files(folder.path()).is_empty().then_some(()));
    assert!(lines.0.lock().unwrap().is_empty(), "{:?}", lines.0.lock().unwrap());
}

fn what_is_cached_is_checked_by_its_hash() {
    let (broker, folder, lines) = (start(), tempfile::tempdir().expect("a folder"), Lines::default());
    let grid = Grid::start(options(&broker)).expect("a grid");
    let tasks: Vec<Task> = (0..100).map(large_task).collect();
    let worker = cached_worker(&broker, folder.path(), &lines);
    do_all(&grid, &tasks);
    drop(worker);
    let path = files(folder.path()).pop().expect("a file");
    let whole = std::fs::read(&path).expect("a file");
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    std::fs::write(&path, damaged).expect("written");
    let worker = cached_worker(&broker, folder.path(), &lines);
    do_all(&grid, &tasks);
    assert_eq!(std::fs::read(&path).expect("a file"), whole, "it was fetched again");
    drop(worker);
    // Something else in its place is never taken for it.
    let name = objects(&broker).pop().expect("a part");
    put(&broker, &name, &zstd::bulk::compress(br#"{"positions":[]}"#, 1).expect("memory"));
    std::fs::remove_file(&path).expect("a file");
    let outcomes = submit(&grid, [large_task(1000)]);
    let _worker = cached_worker(&broker, folder.path(), &lines);
    lines.wait_for("is not what its hash says");
    assert!(outcomes.try_recv().is_err() && files(folder.path()).is_empty());
    grid.finish();
}

/// Puts something into the object store.
fn put(broker: &Broker, name: &str, bytes: &[u8]) {
    with_streams(broker, |context, _| async move {
        let store = context.get_object_store(BUCKET).await.expect("a store");
        store.put(name, &mut &*bytes).await.expect("a part");
    });
}

fn a_part_that_could_not_be_fetched_is_fetched_later() {
    let (broker, folder, lines) = (start(), tempfile::tempdir().expect("a folder"), Lines::default());
    let grid = Grid::start(options(&broker)).expect("a grid");
    let worker = cached_worker(&broker, folder.path(), &lines);
    do_all(&grid, &(0..100).map(large_task).collect::<Vec<_>>());
    drop(worker);
    let (name, path) = (objects(&broker).pop().expect("a part"), files(folder.path()).pop().expect("a file"));
    let whole = std::fs::read(&path).expect("a file");
    put(&broker, &name, b"nonsense");
    std::fs::remove_file(&path).expect("a file");
    let task = large_task(1000);
    let outcomes = submit(&grid, [task.clone()]);
    let _worker = cached_worker(&broker, folder.path(), &lines);
    lines.wait_for("have in common cannot be fetched: ");
    put(&broker, &name, &whole);
    assert_eq!(next(&outcomes).1.expect("an outcome"), expected(&task));
    grid.finish();
}

fn a_worker_that_can_fetch_nothing_stops_nobody() {
    let denied = r#"{ publish: { deny: "$JS.API.STREAM.INFO.OBJ_gamete-parts" } }"#;
    let text = format!(
        "jetstream {{}}\nauthorization {{ users = [ {{ user: lab, password: secret }}, \
         {{ user: other, password: secret, permissions: {denied} }} ] }}"
    );
    let broker = Broker::configured(nats_server().expect("a broker that is there"), &text);
    let access = |user: &str| Access {
        user: Some(user.to_owned()),
        password: Some("secret".to_owned()),
        ..Access::new(broker.url())
    };
    let worker = |user: &str, lines: &Lines| {
        let (access, notices) = (access(user), lines.notices());
        Worker::start(WorkerOptions { access, notices, ..worker_options(&broker) }).expect("a worker")
    };
    let (lines, of_other) = (Lines::default(), Lines::default());
    let grid = Grid::start(GridOptions { access: access("lab"), ..options(&broker) }).expect("a grid");
    let other = worker("other", &of_other);
    let tasks: Vec<Task> = (0..60).map(large_task).collect();
    let outcomes = submit(&grid, tasks.clone());
    of_other.wait_for("have in common cannot be fetched: ");
    let _worker = worker("lab", &lines);
    for (number, outcome) in &outcomes {
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert_eq!(other.counts().failed, 0, "it refuses nothing");
    grid.finish();
}

fn a_worker_without_room_says_so() {
    let (broker, folder, lines) = (start(), tempfile::tempdir().expect("a folder"), Lines::default());
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let _worker = cached_worker(&broker, &file, &lines);
    let grid = Grid::start(options(&broker)).expect("a grid");
    do_all(&grid, &(0..100).map(large_task).collect::<Vec<_>>());
    let line = lines.wait_for("what tasks have in common is kept in memory");
    assert!(line.contains("file") && line.contains("--cache"), "{line}");
    grid.finish();
}

/// So many positions that are hard to compress.
fn positions(count: usize) -> Vec<Puzzle> {
    let mut rng = Rng::new(1);
    let mut position = |_| {
        let mut board = [[' '; 8]; 8];
        (board[0][0], board[7][7]) = ('k', 'K');
        (0..8).for_each(|file| board[2 + rng.below(5) as usize][file] = 'P');
        let ranks = board.map(|squares| squares.into_iter().collect::<String>()).join("/");
        let spaces = (1..=8).rev().map(|count| (" ".repeat(count), count.to_string()));
        let board = spaces.fold(ranks, |text, (spaces, count)| text.replace(&spaces, &count));
        Puzzle { fen: format!("{board} w - - 0 1"), best: Vec::new(), avoid: Vec::new() }
    };
    (0..count).map(&mut position).collect()
}

fn a_task_larger_than_a_message_is_done() {
    let program = nats_server().expect("a broker that is there");
    let broker = Broker::configured(program, "jetstream {}\nmax_payload: 12KB");
    let lines = Lines::default();
    let worker = WorkerOptions { notices: lines.notices(), ..worker_options(&broker) };
    let _worker = Worker::start(worker).expect("a worker");
    let grid = Grid::start(GridOptions { notices: lines.notices(), ..options(&broker) }).expect("a grid");
    let solver = Contestant::new(Player::load("chess/material").unwrap(), Limits::nodes(1));
    let task: Task =
        SolveTask { game: GameName::Chess, solver, hash_mb: 1, positions: positions(2_000) }.into();
    let outcomes = submit(&grid, [task.clone()]);
    assert_eq!(next(&outcomes).1.expect("an outcome"), expected(&task));
    assert_eq!(objects(&broker).len(), 1);
    grid.finish();
    assert!(lines.0.lock().unwrap().is_empty(), "{:?}", lines.0.lock().unwrap());
}
